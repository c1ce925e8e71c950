// SPDX-License-Identifier: Apache-2.0
#include "lib/parts/units.h"

#include <cstdint>
#include <functional>
#include <queue>
#include <utility>
#include <vector>

namespace onnx_hier {

Units::Units(const Graph& graph, BlockId block, GivenTensors given)
    : graph_(graph),
      block_(block),
      given_(std::move(given)),
      units_(graph.node_count()),
      makers_(graph.value_count()),
      outputs_(graph.value_count()) {
  for (ValueId value : graph.outputs(block)) {
    if (value.valid()) outputs_.Add(value);
  }
  for (NodeId node : graph.nodes(block)) nodes_.push_back(node);
  FindUnits();
  ListReadings();
  if (!IsSorted()) {
    Sort();
    FindUnits();
    ListReadings();
  }
  ListReaders();
}

// A node comes before the blocks that it holds, and these before their own nodes.
void Units::FindUnits() {
  units_.assign(graph_.node_count(), Unit());
  for (Unit unit : ids()) {
    units_[nodes_[unit]] = unit;
    for (ValueId value : makes(unit)) {
      if (value.valid()) makers_[value] = unit;
    }
  }
  for (NodeId node : graph_.node_ids()) {
    const Block& block = graph_.block(graph_.node(node).block);
    if (block.kind == BlockKind::kSubgraph && graph_.node(node).block != block_) {
      units_[node] = units_[block.owner];
    }
  }
}

void Units::ListReadings() {
  // This graph, and those around it.
  IdSet<BlockId> outer(graph_.block_count());
  for (BlockId block = block_; block.valid(); block = graph_.block(block).parent) outer.Add(block);
  const Grouped<Unit, ValueId> all(size(), [&](const auto& visit) {
    const auto add = [&](Unit unit, ValueId id) {
      if (!unit.valid() || !id.valid()) return;
      const Value& value = graph_.value(id);
      if (value.kind == ValueKind::kUndefined || outer.Has(value.block)) visit(unit, id);
    };
    for (NodeId node : graph_.node_ids()) {
      for (ValueId value : graph_.inputs(node)) add(units_[node], value);
    }
    // A graph may give out what it has not made.
    for (BlockId block : graph_.block_ids()) {
      if (block == block_ || graph_.block(block).kind != BlockKind::kSubgraph) continue;
      for (ValueId value : graph_.outputs(block)) add(units_[graph_.block(block).owner], value);
    }
  });
  // Each once.
  reads_ = {};
  IdVector<ValueId, Unit> last_reader(graph_.value_count());
  for (Unit unit : ids()) {
    for (ValueId value : all.of(unit)) {
      if (last_reader[value] == unit) continue;
      last_reader[value] = unit;
      reads_.Add(value);
    }
    reads_.Close();
  }
}

bool Units::IsSorted() const {
  for (Unit unit : ids()) {
    for (ValueId value : reads(unit)) {
      if (makers_[value].valid() && !(makers_[value] < unit)) return false;
    }
  }
  return true;
}

// Of those that are ready, the first of the file goes first; what is on cycles comes last.
void Units::Sort() {
  ListReaders();
  std::vector<uint32_t> waiting(size(), 0);
  for (Unit unit : ids()) {
    for (ValueId value : reads(unit)) {
      if (makers_[value].valid()) ++waiting[unit.index()];
    }
  }
  std::priority_queue<uint32_t, std::vector<uint32_t>, std::greater<>> ready;
  for (size_t i = 0; i < size(); ++i) {
    if (waiting[i] == 0) ready.push(static_cast<uint32_t>(i));
  }
  IdVector<Unit, NodeId> order;
  order.reserve(size());
  while (!ready.empty()) {
    const Unit unit(ready.top());
    ready.pop();
    order.push_back(nodes_[unit]);
    for (ValueId value : makes(unit)) {
      if (!value.valid()) continue;
      for (Unit reader : readers(value)) {
        if (--waiting[reader.index()] == 0) ready.push(reader.index());
      }
    }
  }
  for (Unit unit : ids()) {
    if (waiting[unit.index()] > 0) order.push_back(nodes_[unit]);
  }
  nodes_ = std::move(order);
}

void Units::ListReaders() {
  readers_ = Grouped<ValueId, Unit>(graph_.value_count(), [this](const auto& visit) {
    for (Unit unit : ids()) {
      for (ValueId value : reads(unit)) visit(value, unit);
    }
  });
}

}  // namespace onnx_hier
