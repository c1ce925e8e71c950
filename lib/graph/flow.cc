#include "lib/graph/flow.h"

#include <algorithm>
#include <functional>
#include <queue>

namespace onnx_hier {
namespace {

// The node that makes the value, or none.
NodeId ProducerOf(const Graph& graph, ValueId value) {
  return value.valid() ? graph.value(value).producer : NodeId();
}

bool IsSorted(const Graph& graph) {
  for (NodeId id : graph.node_ids()) {
    for (ValueId value : graph.inputs(id)) {
      const NodeId producer = ProducerOf(graph, value);
      if (producer.valid() && !(producer < id)) return false;
    }
  }
  return true;
}

// Of the nodes that are ready, the first of the file goes first; nodes on cycles come last.
IdVector<Rank, NodeId> TopologicalOrder(const Graph& graph) {
  IdVector<NodeId, uint32_t> waiting(graph.node_count(), 0);
  for (NodeId id : graph.node_ids()) {
    for (ValueId value : graph.inputs(id)) {
      if (ProducerOf(graph, value).valid()) ++waiting[id];
    }
  }
  std::priority_queue<uint32_t, std::vector<uint32_t>, std::greater<>> ready;
  for (NodeId id : graph.node_ids()) {
    if (waiting[id] == 0) ready.push(id.index());
  }
  IdVector<Rank, NodeId> order;
  order.reserve(graph.node_count());
  while (!ready.empty()) {
    const NodeId id(ready.top());
    ready.pop();
    order.push_back(id);
    for (ValueId value : graph.outputs(id)) {
      if (!value.valid()) continue;
      for (const Use& use : graph.uses(value)) {
        if (--waiting[use.node] == 0) ready.push(use.node.index());
      }
    }
  }
  for (NodeId id : graph.node_ids()) {
    if (waiting[id] > 0) order.push_back(id);
  }
  return order;
}

}  // namespace

Flow::Flow(const Graph& graph) : graph_(graph), ranks_(graph.node_count()) {
  OrderNodes();
  ListProducers();
  ListConsumers();
}

bool Flow::reads_input(Rank rank) const {
  const absl::Span<const ValueId> inputs = graph_.inputs(nodes_[rank]);
  return std::any_of(inputs.begin(), inputs.end(), [this](ValueId value) {
    return value.valid() && graph_.value(value).kind == ValueKind::kInput;
  });
}

void Flow::OrderNodes() {
  if (IsSorted(graph_)) {
    nodes_.reserve(graph_.node_count());
    for (NodeId id : graph_.node_ids()) nodes_.push_back(id);
  } else {
    nodes_ = TopologicalOrder(graph_);
  }
  for (Rank i : ranks()) ranks_[nodes_[i]] = i;
}

void Flow::ListProducers() {
  producers_.begin.reserve(size() + 1);
  constants_ = IdSet<Rank>(size());
  constants_before_.reserve(size() + 1);
  uint32_t constants = 0;
  for (Rank i : ranks()) {
    producers_.begin.push_back(static_cast<uint32_t>(producers_.items.size()));
    constants_before_.push_back(constants);
    bool constant = true;
    uint32_t slot = 0;
    for (ValueId id : graph_.inputs(nodes_[i])) {
      const uint32_t at = slot++;
      if (!id.valid()) continue;
      const Value& value = graph_.value(id);
      const bool is_edge = value.producer.valid() && ranks_[value.producer] < i;
      if (is_edge) producers_.items.push_back({ranks_[value.producer], at});
      constant = constant && (value.kind == ValueKind::kInitializer ||
                              (is_edge && is_constant(ranks_[value.producer])));
    }
    if (!constant) continue;
    constants_.Add(i);
    ++constants;
  }
  producers_.begin.push_back(static_cast<uint32_t>(producers_.items.size()));
  constants_before_.push_back(constants);
}

void Flow::ListConsumers() {
  consumers_.begin.assign(size() + 1, 0);
  for (const Edge& edge : producers_.items) ++consumers_.begin[edge.rank + 1];
  for (Rank i : ranks()) consumers_.begin[i + 1] += consumers_.begin[i];
  consumers_.items.resize(producers_.items.size());
  IdVector<Rank, uint32_t> next = consumers_.begin;
  for (Rank i : ranks()) {
    for (const Edge& edge : producers(i)) consumers_.items[next[edge.rank]++] = {i, edge.slot};
  }
}

}  // namespace onnx_hier
