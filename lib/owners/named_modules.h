// SPDX-License-Identifier: Apache-2.0

// Which modules the file names, and whether there may be others that it does not.
//
// Where all names of a layer's `proj` were lost, those of other layers have one:
//
//   layers.0.attn.query, layers.0.attn.proj, layers.1.attn.query    layers.1.attn.proj may be
//   encoder.0.attn, decoder.0.fc                                    decoder.0.attn may be
//   layers.0.1.fc, layers.0.1.act, layers.0.0.query, layers.0.0.key layers.0.0.fc is made up: its
//                                                                   list holds two kinds of modules
//   layers.0, layers.1, nothing behind them                         layers.2 is made up
//   post.1, post.3                                                  post.2 must be
#ifndef ONNX_HIER_LIB_OWNERS_NAMED_MODULES_H_
#define ONNX_HIER_LIB_OWNERS_NAMED_MODULES_H_

#include <cstdint>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "absl/strings/string_view.h"
#include "onnx_hier/ids.h"
#include "onnx_hier/module_paths.h"

namespace onnx_hier {

class NamedModules {
 public:
  // `paths` must outlive this, and may grow.
  explicit NamedModules(const ModulePaths& paths) : paths_(paths), named_(paths.size()) {
    named_.Add(paths.root());
  }

  // A known node or a parameter is in the module; it and all around it are named.
  void Add(PathId module);
  // Once all are added. Linear in modules.
  void Finish();

  // `module` may be one that was added since.
  bool Has(PathId module) const { return named_.Contains(module); }
  // Whether it is named, or some module that may be built like the one around it has its like.
  bool MayBeThere(PathId module) const;

 private:
  struct Inside {
    std::vector<PathId> modules;  // the first few
    uint64_t most = 0;            // the largest number of any
  };

  bool HasLike(PathId module) const;
  bool MayBeAlike(PathId module, PathId other) const;
  bool AreCalledAlike(PathId module, PathId other) const;

  const ModulePaths& paths_;
  IdSet<PathId> named_;
  IdVector<PathId, Inside> inside_;
  absl::flat_hash_map<absl::string_view, std::vector<PathId>>
      holders_;  // by the name of one inside
};

}  // namespace onnx_hier

#endif  // ONNX_HIER_LIB_OWNERS_NAMED_MODULES_H_
