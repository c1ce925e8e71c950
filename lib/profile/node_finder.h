// SPDX-License-Identifier: Apache-2.0

// The nodes that a kernel's name means.
//
//   const NodeFinder finder(graph);
//   const FoundNodes found = finder.Find(kernel);
//   found.nodes   // all of them; empty: the name means none
//   found.by      // kName, kOutput or kParts
#ifndef ONNX_HIER_LIB_PROFILE_NODE_FINDER_H_
#define ONNX_HIER_LIB_PROFILE_NODE_FINDER_H_

#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "absl/strings/string_view.h"
#include "onnx_hier/graph.h"
#include "onnx_hier/ids.h"
#include "onnx_hier/profile.h"

namespace onnx_hier {

struct FoundNodes {
  std::vector<NodeId> nodes;
  // All nodes between two, both included, in the order of the file.
  std::vector<std::pair<NodeId, NodeId>> ranges;
  PlacedBy by = PlacedBy::kNone;

  bool empty() const { return nodes.empty() && ranges.empty(); }
};

class NodeFinder {
 public:
  explicit NodeFinder(const Graph& graph);

  FoundNodes Find(const Kernel& kernel) const;
  // By a name that a compiler wrote in letters, digits and '_' alone, or with a number behind it:
  // "_fc_MatMul_3". Of names that are then alike, none is meant.
  FoundNodes FindSanitised(absl::string_view name) const;

 private:
  // Nodes of that name: of the operator, where some are, else of any.
  std::vector<NodeId> Named(absl::string_view name, absl::string_view op_type) const;
  // The maker of a value of that name; of an initializer, its first reader.
  NodeId ByValue(absl::string_view name) const;
  std::vector<NodeId> Inlined(absl::string_view name, absl::string_view op_type) const;
  // By name, value, or what the name was before.
  std::vector<NodeId> FindPart(absl::string_view name, absl::string_view op_type) const;
  FoundNodes FindParts(absl::string_view name) const;

  // Nodes of one name.
  struct Alike {
    NodeId first, last;
  };
  struct Values {
    size_t longest = 0;
    absl::flat_hash_map<absl::string_view, NodeId> nodes;
  };
  Values ListValues() const;

  const Graph& graph_;
  size_t longest_node_ = 0;  // of all names: what is longer means none
  absl::flat_hash_map<absl::string_view, Alike> named_;
  IdVector<NodeId, NodeId> next_named_;  // of the same name
  // Nodes and makers of values by such names; none: several have it. Listed likewise.
  mutable std::optional<absl::flat_hash_map<std::string, NodeId>> sanitised_;
  mutable std::optional<Values> values_;  // listed when first asked for: most names are nodes'
};

}  // namespace onnx_hier

#endif  // ONNX_HIER_LIB_PROFILE_NODE_FINDER_H_
