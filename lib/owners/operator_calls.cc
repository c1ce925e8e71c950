// SPDX-License-Identifier: Apache-2.0
#include "lib/owners/operator_calls.h"

#include <algorithm>
#include <cstdint>
#include <utility>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "absl/strings/match.h"
#include "absl/strings/string_view.h"
#include "absl/strings/strip.h"
#include "lib/base/hash.h"
#include "lib/base/rules.h"
#include "lib/graph/weight.h"
#include "lib/names/number.h"
#include "lib/owners/module_operators.h"

namespace onnx_hier {
namespace {

// "val_12" is no call's own name. Longer ones, as nearly all are elsewhere, need not be looked at.
constexpr size_t kLongestNumbered = 24;

bool IsNumbered(absl::string_view value_name) {
  return value_name.size() <= kLongestNumbered && absl::ConsumePrefix(&value_name, "val_") &&
         IsNumber(value_name);
}

// Whether a call goes on behind the node that makes such a value. onnxruntime writes a product of
// three dimensions as one of two between two Reshapes.
bool IsWithinCall(absl::string_view value_name) {
  return IsNumbered(value_name) || absl::StartsWith(value_name, "gemm_input_reshape") ||
         absl::StartsWith(value_name, "gemm_output_reshape");
}

template <class Condition>
bool AllOutputs(const Graph& graph, NodeId node, const Condition& condition) {
  const absl::Span<const ValueId> outputs = graph.outputs(node);
  return !outputs.empty() && std::all_of(outputs.begin(), outputs.end(), [&](ValueId value) {
    return !value.valid() || condition(graph.value(value).name);
  });
}

// What the exporter calls its nodes: "node_linear_3".
constexpr absl::string_view kNodePrefix = "node_";

// Whether the node is called after the call that it ends: "node_linear_3", which makes "linear_3".
bool IsNamedAfterCall(const Graph& graph, NodeId node) {
  absl::string_view name = graph.node(node).name;
  const absl::Span<const ValueId> outputs = graph.outputs(node);
  return absl::ConsumePrefix(&name, kNodePrefix) && !outputs.empty() && outputs[0].valid() &&
         graph.value(outputs[0]).name == name;
}

// Whether any node is called as that exporter calls nodes, or what they make inside of calls.
bool HasCalls(const Flow& flow) {
  const Graph& graph = flow.graph();
  for (Rank rank : flow.ranks()) {
    if (flow.is_constant(rank)) continue;
    const NodeId node = flow.node(rank);
    if (IsNamedAfterCall(graph, node) || AllOutputs(graph, node, IsNumbered)) return true;
  }
  return false;
}

// "node_lstm__1" -> "node_lstm": of nodes that make the outputs of one call; others: empty.
absl::string_view CallOfOutput(absl::string_view node_name) {
  const size_t end = node_name.rfind("__");
  if (end == absl::string_view::npos || !absl::StartsWith(node_name, kNodePrefix) ||
      !IsNumber(node_name.substr(end + 2))) {
    return {};
  }
  return node_name.substr(0, end);
}

}  // namespace

OperatorCalls::OperatorCalls(const Flow& flow) : flow_(flow) {
  const Graph& graph = flow.graph();
  if (!IsOn(Rule::kOperatorCalls) || !HasCalls(flow)) return;
  ends_.resize(flow.size());
  absl::flat_hash_map<std::pair<BlockId, absl::string_view>, Rank> last_outputs;
  for (Rank rank(static_cast<uint32_t>(flow.size())); rank > Rank(0);) {
    --rank;
    if (flow.is_constant(rank)) continue;
    const NodeId node = flow.node(rank);
    if (!AllOutputs(graph, node, IsWithinCall)) {
      const absl::string_view call = CallOfOutput(graph.node(node).name);
      ends_[rank] = rank;
      if (call.empty()) continue;
      ends_[rank] =
          last_outputs.emplace(std::pair(graph.node(node).block, call), rank).first->second;
      continue;
    }
    const absl::Span<const Flow::Edge> readers = flow.consumers(rank);
    if (readers.empty()) continue;
    const Rank end = ends_[readers[0].rank];
    const bool agree = std::all_of(readers.begin(), readers.end(),
                                   [&](const Flow::Edge& edge) { return ends_[edge.rank] == end; });
    if (agree) ends_[rank] = end;
  }
}

OperatorCalls::Places OperatorCalls::PlacesOf(const KnownModules& known) const {
  if (empty()) return {};
  Places places(flow_.size());
  IdSet<Rank> torn(flow_.size());
  for (Rank rank : flow_.ranks()) {
    const Rank end = this->end(rank);
    if (!end.valid()) continue;
    Place& place = places[end];
    if (!known[rank].valid()) continue;
    if (!place.witness.valid()) place.witness = rank;
    if (known[rank] != known[place.witness]) torn.Add(end);
  }
  for (Rank rank : flow_.ranks()) {
    if (torn.Has(rank)) places[rank] = {};
  }
  return places;
}

}  // namespace onnx_hier
