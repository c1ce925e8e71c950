// SPDX-License-Identifier: Apache-2.0

// What is known before anything is guessed: the nodes whose place in the hierarchy is said by
// themselves or by the parameters they read.
#ifndef ONNX_HIER_LIB_OWNERS_KNOWN_MODULES_H_
#define ONNX_HIER_LIB_OWNERS_KNOWN_MODULES_H_

#include <algorithm>
#include <cstdint>
#include <vector>

#include "lib/graph/flow.h"
#include "lib/owners/evidence.h"
#include "onnx_hier/module_paths.h"

namespace onnx_hier {

// What is known of each node, by rank.
class KnownModules {
 public:
  explicit KnownModules(size_t size) : modules_(size), open_(size) { open_.AddAll(); }

  size_t size() const { return modules_.size(); }
  IdRange<Rank> ranks() const { return IdRange<Rank>(modules_.size()); }
  // The module that the node is taken to be in, or none.
  PathId operator[](Rank rank) const { return modules_[rank]; }
  // Whether that is still to be decided. An open node may be known all the same: by its parameters.
  bool is_open(Rank rank) const { return open_.Has(rank); }
  // Whether nothing is known of any node.
  bool nothing() const {
    return std::none_of(modules_.begin(), modules_.end(), [](PathId path) { return path.valid(); });
  }

  void Presume(Rank rank, PathId module) { modules_[rank] = module; }
  void Settle(Rank rank, PathId module) {
    modules_[rank] = module;
    open_.Remove(rank);
  }

 private:
  IdVector<Rank, PathId> modules_;
  IdSet<Rank> open_;
};

// The module whose parameters a node reads; of several, what contains them all; none: it reads
// none.
PathId AnchorOf(const Evidence& evidence, NodeId node, const ModulePaths& paths);

// Equal for nodes of the same operator that read parameters of the same last names in the same
// slots, however these come to them; what else they read does not matter.
uint64_t AnchorLook(const Graph& graph, const Evidence& evidence, NodeId node);

// Nodes that say where they are, are settled; of the others, those that read parameters are
// presumed to be with these. A constant counts only by what it says itself, unless it does its
// module's work: where others like it, such as embeddings, read their parameters at run time. What
// reads that is around the module.
KnownModules CollectKnown(const Flow& flow, const Evidence& evidence, const ModulePaths& paths);

}  // namespace onnx_hier

#endif  // ONNX_HIER_LIB_OWNERS_KNOWN_MODULES_H_
