// SPDX-License-Identifier: Apache-2.0
#include <cstdint>

#include "absl/container/flat_hash_set.h"
#include "lib/names/given_name.h"
#include "lib/names/parameter_name.h"
#include "onnx_hier/tags.h"

namespace onnx_hier {
namespace {

absl::flat_hash_set<absl::string_view> TakenNames(const Graph& graph) {
  absl::flat_hash_set<absl::string_view> taken;
  for (NodeId node : graph.node_ids()) taken.insert(graph.node(node).name);
  // A node that is called like what holds a parameter would seem to be that.
  for (ValueId value : graph.value_ids()) {
    if (graph.value(value).kind == ValueKind::kInitializer) {
      taken.insert(OwnerInParameterName(graph.value(value).name));
    }
  }
  return taken;
}

}  // namespace

GivenNames::GivenNames(const Graph& graph, NamedNodes which) {
  IdSet<NodeId> wanting(graph.node_count());
  absl::flat_hash_set<absl::string_view> seen;
  for (NodeId node : graph.node_ids()) {
    const absl::string_view name = graph.node(node).name;
    const bool is_shared = which == NamedNodes::kUnnamedAndShared && !seen.insert(name).second;
    if (!name.empty() && !is_shared) continue;
    wanting.Add(node);
    ++size_;
  }
  if (size_ == 0) return;
  const absl::flat_hash_set<absl::string_view> taken = TakenNames(graph);
  names_.resize(graph.node_count());
  // Each number is used once, so that no two of these names are equal.
  uint64_t next_number = graph.node_count();
  for (NodeId node : graph.node_ids()) {
    if (!wanting.Has(node)) continue;
    const absl::string_view shared = graph.node(node).name;
    const absl::string_view type = graph.op(node).type;
    // One that was copied with the name that it was given had none.
    const bool had_none = shared.empty() || IsGiven(shared, type, graph.doc_string(node));
    const auto numbered = [&](uint64_t number) {
      return had_none ? GivenName(type, number) : UniqueName(shared, number);
    };
    std::string& name = names_[node];
    name = numbered(node.index());
    while (taken.contains(name)) name = numbered(next_number++);
  }
}

}  // namespace onnx_hier
