// SPDX-License-Identifier: Apache-2.0
#include "lib/graph/numbered_order.h"

#include <algorithm>
#include <cstdint>
#include <functional>
#include <queue>
#include <utility>
#include <vector>

#include "absl/container/flat_hash_set.h"
#include "absl/strings/numbers.h"
#include "absl/strings/string_view.h"
#include "absl/strings/strip.h"

namespace onnx_hier {
namespace {

constexpr uint32_t kNoNumber = 0xFFFFFFFFu;
// Nodes after which a file that has no such names is given up.
constexpr size_t kTried = 64;

// 12 for a Conv that is called "Conv_12".
uint32_t NumberOf(absl::string_view name, absl::string_view op_type) {
  uint32_t number = 0;
  const bool is_numbered = absl::ConsumePrefix(&name, op_type) && absl::ConsumePrefix(&name, "_") &&
                           absl::SimpleAtoi(name, &number);
  return is_numbered ? number : kNoNumber;
}

// Of each node; of no size if most have none, if two have the same, or if all are in that order.
IdVector<Rank, uint32_t> ReadNumbers(const Flow& flow) {
  const Graph& graph = flow.graph();
  IdVector<Rank, uint32_t> numbers(flow.size());
  size_t numbered = 0;
  uint32_t last = 0;
  bool ascending = true;
  for (Rank i : flow.ranks()) {
    const NodeId node = flow.node(i);
    const uint32_t number = NumberOf(graph.node(node).name, graph.op(node).type);
    numbers[i] = number;
    if (number == kNoNumber) {
      if (i.index() >= kTried && 2 * numbered < i.index()) return {};
      continue;
    }
    ascending = ascending && (numbered == 0 || number > last);
    last = number;
    ++numbered;
  }
  // As exported, nearly all files are.
  if (ascending || 2 * numbered < flow.size()) return {};
  absl::flat_hash_set<uint32_t> seen;
  for (uint32_t number : numbers) {
    if (number != kNoNumber && !seen.insert(number).second) return {};
  }
  return numbers;
}

}  // namespace

std::optional<IdVector<Rank, NodeId>> OrderByNumbers(const Flow& flow) {
  IdVector<Rank, uint32_t> numbers = ReadNumbers(flow);
  if (numbers.empty()) return std::nullopt;
  for (size_t k = flow.size(); k-- > 0;) {
    const Rank i(k);
    if (numbers[i] != kNoNumber) continue;
    for (const Flow::Edge& edge : flow.consumers(i)) {
      numbers[i] = std::min(numbers[i], numbers[edge.rank]);
    }
  }
  // Those with nothing left to wait for; of the same number, the first of the file comes first.
  using Waiting = std::pair<uint32_t, Rank>;
  std::priority_queue<Waiting, std::vector<Waiting>, std::greater<>> ready;
  IdVector<Rank, uint32_t> waits_for(flow.size());
  for (Rank i : flow.ranks()) {
    waits_for[i] = static_cast<uint32_t>(flow.producers(i).size());
    if (waits_for[i] == 0) ready.push({numbers[i], i});
  }
  IdVector<Rank, NodeId> nodes;
  nodes.reserve(flow.size());
  while (!ready.empty()) {
    const Rank rank = ready.top().second;
    ready.pop();
    nodes.push_back(flow.node(rank));
    for (const Flow::Edge& edge : flow.consumers(rank)) {
      if (--waits_for[edge.rank] == 0) ready.push({numbers[edge.rank], edge.rank});
    }
  }
  return nodes;
}

}  // namespace onnx_hier
