// SPDX-License-Identifier: Apache-2.0
#include "lib/audit/list_passes.h"

#include <algorithm>
#include <cstddef>
#include <utility>

#include "absl/algorithm/container.h"
#include "absl/container/flat_hash_map.h"
#include "lib/audit/longest_run.h"
#include "lib/graph/weight.h"

namespace onnx_hier {
namespace {

// What runs more often is an unrolled recurrence, of a cell and not of layers.
constexpr size_t kMostPasses = 64;

// Of the nodes that tell, how many must tell of passes one after the other.
constexpr double kLeastOrdered = 0.9;

// Where between nodes `begin` and `end` the layer before ends and that behind begins.
size_t BorderIn(const std::vector<uint32_t>& layers, size_t begin, size_t end) {
  const uint32_t before = layers[begin - 1];
  const uint32_t behind = layers[end];
  size_t border = begin;
  int gain = 0;
  int most = 0;
  for (size_t i = begin; i < end; ++i) {
    gain += (layers[i] == before ? 1 : 0) - (layers[i] == behind ? 1 : 0);
    if (gain <= most) continue;
    most = gain;
    border = i + 1;
  }
  return border;
}

}  // namespace

ListPasses::ListPasses(const TagAudit& audit, const Flow& flow)
    : number_(audit.graph.node_count(), 0) {
  turns_.reserve(audit.graph.node_count());
  for (NodeId node : audit.graph.node_ids()) turns_.push_back(TurnOf(audit, flow, node));
}

std::vector<ListNodes> ListPasses::Split(ListNodes list) {
  const uint32_t passes = CountPasses(list);
  if (passes > 1) Number(list, passes);
  uint32_t last = 0;
  for (NodeId node : list.nodes) last = std::max(last, number_[node]);
  std::vector<ListNodes> split(last + 1);
  if (last == 0) {
    split[0] = std::move(list);
    return split;
  }
  for (size_t i = 0; i < list.nodes.size(); ++i) {
    ListNodes& pass = split[number_[list.nodes[i]]];
    pass.nodes.push_back(list.nodes[i]);
    pass.layers.push_back(list.layers[i]);
  }
  std::erase_if(split, [](const ListNodes& pass) { return pass.nodes.empty(); });
  return split;
}

// By the first parameter that it reads, itself or the copy that exporters make for each pass. Most
// of those that read it must have the node's tag: else it is shared, or was merged with equal ones.
ListPasses::Turn ListPasses::TurnOf(const TagAudit& audit, const Flow& flow, NodeId node) {
  const Graph& graph = audit.graph;
  for (ValueId value : graph.inputs(node)) {
    if (!value.valid()) continue;
    const NodeId maker = graph.value(value).producer;
    const ValueId parameter = maker.valid() ? CopiedValue(graph, maker) : value;
    if (!parameter.valid() || !graph.value(parameter).tensor.valid() ||
        !IsWeight(graph.tensor(graph.value(parameter).tensor)) ||
        graph.uses(parameter).size() > kMostPasses) {
      continue;
    }
    Turn turn;
    uint32_t alike = 0;
    for (const Use& use : graph.uses(parameter)) {
      NodeId reader = use.node;
      if (CopiedValue(graph, reader).valid()) {
        const absl::Span<const Use> of_copy = graph.uses(graph.outputs(reader)[0]);
        if (of_copy.size() != 1) continue;
        reader = of_copy[0].node;
      }
      ++turn.of;
      turn.number += flow.rank(reader) < flow.rank(node) ? 1 : 0;
      alike += audit.tags[reader] == audit.tags[node] ? 1 : 0;
    }
    if (2 * alike > turn.of) return turn;
  }
  return {};
}

// As most nodes say that read a parameter; 1: none, or no such number.
uint32_t ListPasses::CountPasses(const ListNodes& list) const {
  absl::flat_hash_map<uint32_t, size_t> counts;
  size_t all = 0;
  for (NodeId node : list.nodes) {
    if (turns_[node].of == 0) continue;
    ++counts[turns_[node].of];
    ++all;
  }
  for (const auto& [passes, nodes] : counts) {
    if (2 * nodes > all) return passes;
  }
  return 1;
}

void ListPasses::Number(const ListNodes& list, uint32_t passes) {
  std::vector<size_t> places;  // of nodes that tell
  std::vector<uint32_t> told;
  for (size_t i = 0; i < list.nodes.size(); ++i) {
    const Turn& turn = turns_[list.nodes[i]];
    if (turn.of != passes) continue;
    places.push_back(i);
    told.push_back(turn.number);
  }
  const std::vector<char> in_order = LongestRun(told);
  const auto ordered = static_cast<double>(absl::c_count(in_order, 1));
  if (ordered < kLeastOrdered * static_cast<double>(told.size())) return;
  size_t done = 0;
  uint32_t before = 0;
  for (size_t k = 0; k < places.size(); ++k) {
    if (in_order[k] == 0) continue;
    const size_t i = places[k];
    const bool is_next = done > 0 && told[k] != before;
    const size_t border = is_next ? BorderIn(list.layers, done, i) : done;
    for (; done <= i; ++done) number_[list.nodes[done]] = done < border ? before : told[k];
    before = told[k];
  }
  for (; done < list.nodes.size(); ++done) number_[list.nodes[done]] = before;
}

}  // namespace onnx_hier
