// SPDX-License-Identifier: Apache-2.0
#include "lib/owners/bound_nodes.h"

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

bool IsSource(const Flow& flow, Rank rank) {
  return flow.graph().op(flow.node(rank)).type == "Constant" && flow.producers(rank).empty();
}

}  // namespace

BoundNodes::BoundNodes(const Flow& flow) : flow_(flow) {
  if (IsOn(Rule::kOperatorCalls) && HasCalls(flow)) FindCalls();
  if (IsOn(Rule::kBoundConstants)) BindConstants();
}

void BoundNodes::FindCalls() {
  const Graph& graph = flow_.graph();
  ends_.resize(flow_.size());
  absl::flat_hash_map<std::pair<BlockId, absl::string_view>, Rank> last_outputs;
  for (Rank rank(static_cast<uint32_t>(flow_.size())); rank > Rank(0);) {
    --rank;
    if (flow_.is_constant(rank)) continue;
    const NodeId node = flow_.node(rank);
    if (!AllOutputs(graph, node, IsWithinCall)) {
      const absl::string_view call = CallOfOutput(graph.node(node).name);
      ends_[rank] = rank;
      if (call.empty()) continue;
      ends_[rank] =
          last_outputs.emplace(std::pair(graph.node(node).block, call), rank).first->second;
      continue;
    }
    const absl::Span<const Flow::Edge> readers = flow_.consumers(rank);
    if (readers.empty()) continue;
    const Rank end = ends_[readers[0].rank];
    const bool agree = std::all_of(readers.begin(), readers.end(),
                                   [&](const Flow::Edge& edge) { return ends_[edge.rank] == end; });
    if (agree) ends_[rank] = end;
  }
}

void BoundNodes::BindConstants() {
  std::vector<Rank> waiting;  // that no other node stands behind yet
  for (Rank rank : flow_.ranks()) {
    if (IsSource(flow_, rank)) {
      waiting.push_back(rank);
      continue;
    }
    for (Rank constant : waiting) {
      const absl::Span<const Flow::Edge> readers = flow_.consumers(constant);
      const bool is_bound =
          !readers.empty() && std::all_of(readers.begin(), readers.end(),
                                          [&](const auto& edge) { return edge.rank == rank; });
      if (!is_bound) continue;
      if (ends_.empty()) ends_.resize(flow_.size());
      if (!ends_[rank].valid()) ends_[rank] = rank;
      ends_[constant] = ends_[rank];
    }
    waiting.clear();
  }
}

IdVector<Rank, Rank> BoundNodes::WitnessesAmong(const KnownModules& known) const {
  IdVector<Rank, Rank> witnesses(flow_.size());
  IdSet<Rank> torn(flow_.size());
  for (Rank rank : flow_.ranks()) {
    const Rank end = this->end(rank);
    if (!end.valid() || !known[rank].valid()) continue;
    Rank& witness = witnesses[end];
    if (witness.valid() && known.is_open(rank) && !known.is_open(witness)) continue;
    if (witness.valid() && known.is_open(rank) == known.is_open(witness)) {
      if (known[rank] != known[witness]) torn.Add(end);
    } else {
      torn.Remove(end);
    }
    witness = rank;
  }
  for (Rank rank : flow_.ranks()) {
    if (torn.Has(rank)) witnesses[rank] = Rank();
  }
  return witnesses;
}

// Of a node that is where those are that it is bound to.
Method BoundNodes::MethodIn(Rank rank) const {
  return flow_.is_constant(rank) ? Method::kReaders : Method::kLocality;
}

void BoundNodes::Settle(absl::Span<const Rank> open, Basis basis, const InferOptions& options,
                        KnownModules& known, IdVector<Rank, OpenDecision>& decisions) const {
  if (empty()) return;
  const IdVector<Rank, Rank> witnesses = WitnessesAmong(known);
  for (Rank rank : open) {
    const Rank end = this->end(rank);
    const Rank witness = end.valid() ? witnesses[end] : Rank();
    if (!witness.valid()) continue;
    // What is presumed of a node by its parameters says nothing of others that read some, too.
    const bool is_presumed = known.is_open(witness);
    if (is_presumed && (known[rank].valid() || flow_.is_constant(rank))) continue;
    const PathId module = known[witness];
    const Method method = MethodIn(rank);
    decisions[rank] = {rank, module, basis, 1, 1, method, witness};
    known.Settle(rank, module);
    NoteHeard(options.trace, rank, {method, module, witness});
  }
}

void BoundNodes::Agree(absl::Span<const Rank> weighed, const InferOptions& options,
                       IdVector<Rank, OpenDecision>& decisions) const {
  if (empty()) return;
  struct Surest {
    Rank rank;
    float confidence = 0;
  };
  IdVector<Rank, Surest> surest(flow_.size());  // by the group's last node
  for (Rank rank : weighed) {
    if (!end(rank).valid()) continue;
    const OpenDecision& own = decisions[rank];
    const float confidence = Calibrated(options.tables.calibration, own.basis, own.score);
    Surest& its = surest[end(rank)];
    if (!its.rank.valid() || confidence > its.confidence) its = {rank, confidence};
  }
  for (Rank rank : weighed) {
    if (!end(rank).valid()) continue;
    const OpenDecision& its = decisions[surest[end(rank)].rank];
    if (decisions[rank].path == its.path) continue;
    decisions[rank] = its;
    decisions[rank].rank = rank;
    decisions[rank].method = MethodIn(rank);
    decisions[rank].witness = its.rank;
    NoteUnweighed(options.trace, rank);
  }
}

}  // namespace onnx_hier
