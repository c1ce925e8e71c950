// SPDX-License-Identifier: Apache-2.0
#include "lib/parts/function_calls.h"

#include <algorithm>

#include "absl/container/flat_hash_set.h"
#include "lib/graph/top_blocks.h"

namespace onnx_hier {

FunctionCalls::FunctionCalls(const Graph& graph)
    : graph_(graph),
      callees_(FindCallees(graph)),
      tops_(FindTopBlocks(graph)),
      calls_(graph.block_count()) {
  depths_.assign(graph.block_count(), kNever);
  depths_[graph.main_block()] = 0;
  counts_.assign(graph.block_count(), 0);
  if (callees_.empty()) return;
  for (NodeId node : graph.node_ids()) {
    if (CalleeOf(node).valid()) calls_[tops_[graph.node(node).block]].push_back(node);
  }
  // Breadth first.
  std::vector<BlockId> reached = {graph.main_block()};
  for (size_t i = 0; i < reached.size(); ++i) {
    for (NodeId node : CallsIn(reached[i])) {
      const BlockId callee = CalleeOf(node);
      if (depths_[callee] != kNever) continue;
      depths_[callee] = depths_[reached[i]] + 1;
      reached.push_back(callee);
    }
  }
  SortInnerFirst();
  CountWays();
}

// Depth first. Of functions that call each other, which ONNX forbids, some order.
void FunctionCalls::SortInnerFirst() {
  struct Open {
    BlockId block;
    size_t next_call = 0;
  };
  IdSet<BlockId> seen(graph_.block_count());
  std::vector<Open> open = {{graph_.main_block()}};
  seen.Add(graph_.main_block());
  while (!open.empty()) {
    const BlockId block = open.back().block;
    if (open.back().next_call == CallsIn(block).size()) {
      inner_first_.push_back(block);
      open.pop_back();
      continue;
    }
    const BlockId callee = CalleeOf(CallsIn(block)[open.back().next_call++]);
    if (seen.Has(callee)) continue;
    seen.Add(callee);
    open.push_back({callee});
  }
}

IdVector<BlockId, uint32_t> FunctionCalls::RunsOf(BlockId function) const {
  IdVector<BlockId, uint32_t> runs;
  runs.assign(graph_.block_count(), 0);
  for (BlockId block : inner_first_) {
    uint64_t count = 0;
    for (NodeId node : CallsIn(block)) {
      count += CalleeOf(node) == function ? 1 : runs[CalleeOf(node)];
      count = std::min<uint64_t>(count, kNever);
    }
    runs[block] = static_cast<uint32_t>(count);
  }
  return runs;
}

// From the main graph inwards. A call back to what is around it is no way.
void FunctionCalls::CountWays() {
  IdSet<BlockId> done(graph_.block_count());
  counts_[graph_.main_block()] = 1;
  for (size_t i = inner_first_.size(); i-- > 0;) {
    const BlockId block = inner_first_[i];
    done.Add(block);
    for (NodeId node : CallsIn(block)) {
      const BlockId callee = CalleeOf(node);
      if (done.Has(callee)) continue;
      const uint64_t count = uint64_t{counts_[callee]} + counts_[block];
      counts_[callee] = static_cast<uint32_t>(std::min<uint64_t>(count, kNever));
    }
  }
}

std::vector<NodeId> FunctionCalls::WayTo(BlockId function, uint32_t call) const {
  std::vector<NodeId> way;
  const IdVector<BlockId, uint32_t> runs = RunsOf(function);
  // A way is no longer than there are functions, unless these call each other.
  for (BlockId block = graph_.main_block(); block != function && way.size() < depths_.size();) {
    for (NodeId node : CallsIn(block)) {
      const BlockId callee = CalleeOf(node);
      const uint32_t count = callee == function ? 1 : runs[callee];
      if (call >= count) {
        call -= count;
        continue;
      }
      way.push_back(node);
      block = callee;
      break;
    }
    if (way.empty() || CalleeOf(way.back()) != block) return {};
  }
  return way;
}

GivenTensors FunctionCalls::GivenOn(const std::vector<NodeId>& way) const {
  GivenTensors given;
  for (NodeId node : way) {
    const absl::Span<const ValueId> actual = graph_.inputs(node);
    const absl::Span<const ValueId> formal = graph_.inputs(CalleeOf(node));
    GivenTensors inside;
    absl::flat_hash_set<TensorId> seen;
    for (size_t i = 0; i < std::min(actual.size(), formal.size()); ++i) {
      if (!actual[i].valid() || !formal[i].valid()) continue;
      const auto outer = given.find(actual[i]);
      const TensorId tensor = outer == given.end() ? graph_.value(actual[i]).tensor : outer->second;
      if (!tensor.valid() || graph_.tensor(tensor).block != graph_.main_block()) continue;
      if (seen.insert(tensor).second) inside.emplace(formal[i], tensor);
    }
    given = std::move(inside);
  }
  return given;
}

}  // namespace onnx_hier
