#include "lib/graph/flow.h"

#include <functional>
#include <queue>

namespace onnx_hier {
namespace {

// Of the nodes that are ready, the first of the file goes first; nodes on cycles come last.
IdVector<Rank, NodeId> TopologicalOrder(const Graph& graph) {
  IdVector<NodeId, uint32_t> waiting(graph.node_count(), 0);
  for (NodeId id : graph.node_ids()) {
    for (ValueId value : graph.inputs(id)) {
      if (value.valid() && graph.value(value).producer.valid()) ++waiting[id];
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
  nodes_.reserve(graph.node_count());
  for (NodeId id : graph.node_ids()) {
    nodes_.push_back(id);
    ranks_[id] = Rank(id.index());
  }
  // Nearly all files are in order, which shows while they are gone through.
  if (!ListProducers()) {
    nodes_ = TopologicalOrder(graph);
    for (Rank i : ranks()) ranks_[nodes_[i]] = i;
    ListProducers();
  }
  ListConsumers();
}

bool Flow::ListProducers() {
  producers_ = {};
  producers_.begin.resize(size() + 1);
  constants_ = IdSet<Rank>(size());
  input_readers_ = IdSet<Rank>(size());
  constants_before_.resize(size() + 1);
  uint32_t constants = 0;
  bool in_order = true;
  for (Rank i : ranks()) {
    producers_.begin[i] = static_cast<uint32_t>(producers_.items.size());
    constants_before_[i] = constants;
    bool constant = true;
    bool reads_input = false;
    uint32_t slot = 0;
    for (ValueId id : graph_.inputs(nodes_[i])) {
      const uint32_t at = slot++;
      if (!id.valid()) continue;
      const Value& value = graph_.value(id);
      bool is_constant_value = value.kind == ValueKind::kInitializer;
      if (value.producer.valid()) {
        const Rank producer = ranks_[value.producer];
        if (producer < i) {
          producers_.items.push_back({producer, at});
          is_constant_value = is_constant_value || is_constant(producer);
        } else {
          in_order = false;
        }
      }
      constant = constant && is_constant_value;
      reads_input = reads_input || value.kind == ValueKind::kInput;
    }
    if (reads_input) input_readers_.Add(i);
    if (!constant) continue;
    constants_.Add(i);
    ++constants;
  }
  const Rank end(size());
  producers_.begin[end] = static_cast<uint32_t>(producers_.items.size());
  constants_before_[end] = constants;
  return in_order;
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
