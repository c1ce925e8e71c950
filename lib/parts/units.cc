// SPDX-License-Identifier: Apache-2.0
#include "lib/parts/units.h"

#include <functional>
#include <queue>
#include <utility>

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
  std::vector<Reading> readings;
  const auto add = [&](Unit unit, ValueId id) {
    if (!unit.valid() || !id.valid()) return;
    const Value& value = graph_.value(id);
    if (value.kind == ValueKind::kUndefined || outer.Has(value.block))
      readings.emplace_back(unit, id);
  };
  for (NodeId node : graph_.node_ids()) {
    for (ValueId value : graph_.inputs(node)) add(units_[node], value);
  }
  // A graph may give out what it has not made.
  for (BlockId block : graph_.block_ids()) {
    if (block == block_ || graph_.block(block).kind != BlockKind::kSubgraph) continue;
    for (ValueId value : graph_.outputs(block)) add(units_[graph_.block(block).owner], value);
  }
  GroupReadings(readings);
}

void Units::GroupReadings(const std::vector<Reading>& readings) {
  reads_.begin.assign(size() + 1, 0);
  for (const auto& [unit, value] : readings) ++reads_.begin[unit.index() + 1];
  for (size_t i = 0; i < size(); ++i) reads_.begin[i + 1] += reads_.begin[i];
  std::vector<ValueId> values(readings.size());
  std::vector<uint32_t> next = reads_.begin;
  for (const auto& [unit, value] : readings) values[next[unit.index()]++] = value;
  reads_.items.clear();
  reads_.items.reserve(values.size());
  IdVector<ValueId, Unit> last_reader(graph_.value_count());
  uint32_t begin = 0;
  for (Unit unit : ids()) {
    const uint32_t end = reads_.begin[unit.index() + 1];
    reads_.begin[unit.index()] = static_cast<uint32_t>(reads_.items.size());
    for (uint32_t i = begin; i < end; ++i) {
      if (last_reader[values[i]] == unit) continue;
      last_reader[values[i]] = unit;
      reads_.items.push_back(values[i]);
    }
    begin = end;
  }
  reads_.begin[size()] = static_cast<uint32_t>(reads_.items.size());
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
  readers_.begin.assign(graph_.value_count() + 1, 0);
  for (ValueId value : reads_.items) ++readers_.begin[value.index() + 1];
  for (size_t i = 0; i < graph_.value_count(); ++i) readers_.begin[i + 1] += readers_.begin[i];
  readers_.items.resize(reads_.items.size());
  std::vector<uint32_t> next = readers_.begin;
  for (Unit unit : ids()) {
    for (ValueId value : reads(unit)) readers_.items[next[value.index()]++] = unit;
  }
}

}  // namespace onnx_hier
