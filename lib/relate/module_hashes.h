// SPDX-License-Identifier: Apache-2.0

// What modules are with all inside them, as numbers that are the same for modules of two models
// that are built alike, or hold the same; wherever they are, and whatever feeds them.
#ifndef ONNX_HIER_LIB_RELATE_MODULE_HASHES_H_
#define ONNX_HIER_LIB_RELATE_MODULE_HASHES_H_

#include <cstdint>

#include "absl/status/status.h"
#include "lib/graph/tensor_hashes.h"
#include "lib/relate/module_flow.h"
#include "lib/relate/module_groups.h"
#include "onnx_hier/ids.h"

namespace onnx_hier {

class ModuleHashes {
 public:
  // The groups of `flow` must outlive this.
  explicit ModuleHashes(const ModuleFlow& flow);

  // Reads samples of what parameters hold, once; contents() is structure() until then.
  absl::Status Read(TensorHashes& tensors);

  // Whether there is a module at the path, or inside of it.
  bool exists(PathId path) const { return exists_.Has(path); }
  uint64_t structure(PathId path) const { return structure_[path]; }
  uint64_t contents(PathId path) const { return contents_[path]; }
  // Whether it has parameters inside, and what all of them hold was read.
  bool has_contents(PathId path) const { return has_parameters_.Has(path) && !unknown_.Has(path); }

 private:
  // Of each path, from hashes of the groups: with those of the paths inside by their names.
  IdVector<PathId, uint64_t> Total(const IdVector<PathId, uint64_t>& own) const;

  const ModuleGroups& groups_;
  IdSet<PathId> exists_;
  IdSet<PathId> has_parameters_;
  IdSet<PathId> unknown_;  // what some of them hold
  IdVector<PathId, uint64_t> own_;
  IdVector<PathId, uint64_t> structure_;
  IdVector<PathId, uint64_t> contents_;
  bool is_read_ = false;
};

}  // namespace onnx_hier

#endif  // ONNX_HIER_LIB_RELATE_MODULE_HASHES_H_
