#include "lib/parts/kept.h"

#include "lib/graph/callees.h"

namespace onnx_hier {

Kept::Kept(const Units& units, const Part& part)
    : units_(units),
      graph_(units.graph()),
      top_blocks_(graph_.block_count()),
      has_functions_(graph_.block_count()),
      has_nodes_(graph_.node_count()),
      has_values_(graph_.value_count()),
      is_input_(graph_.value_count()),
      was_input_(graph_.value_count()),
      is_output_(graph_.value_count()),
      was_output_(graph_.value_count()) {
  for (BlockId id : graph_.block_ids()) {
    const Block& block = graph_.block(id);
    top_blocks_[id] = block.kind == BlockKind::kSubgraph ? top_blocks_[block.parent] : id;
  }
  TakeNodes(part);
  TakeFunctions();
  TakeValues(part);
}

void Kept::TakeNodes(const Part& part) {
  IdSet<Unit> taken(units_.size());
  for (NodeId node : part.nodes) taken.Add(units_.unit(node));
  for (NodeId node : graph_.node_ids()) {
    const Unit unit = units_.unit(node);
    if (unit.valid() && taken.Has(unit)) has_nodes_.Add(node);
  }
}

// Those that are called, from whatever depth, and theirs.
void Kept::TakeFunctions() {
  const IdVector<OpId, BlockId> callees = FindCallees(graph_);
  if (!callees.empty()) {
    IdVector<BlockId, std::vector<NodeId>> members(graph_.block_count());
    for (NodeId node : graph_.node_ids()) {
      members[top_blocks_[graph_.node(node).block]].push_back(node);
    }
    std::vector<BlockId> open;
    const auto call = [&](NodeId node) {
      const BlockId callee = callees[graph_.node(node).op];
      if (!callee.valid() || has_functions_.Has(callee)) return;
      has_functions_.Add(callee);
      open.push_back(callee);
    };
    for (NodeId node : graph_.node_ids()) {
      if (has_nodes_.Has(node)) call(node);
    }
    while (!open.empty()) {
      const BlockId function = open.back();
      open.pop_back();
      for (NodeId node : members[function]) {
        has_nodes_.Add(node);
        call(node);
      }
    }
  }
  for (NodeId node : graph_.node_ids()) {
    if (has_nodes_.Has(node)) nodes_.push_back(node);
  }
}

void Kept::TakeValues(const Part& part) {
  for (ValueId value : graph_.inputs(graph_.main_block())) {
    if (value.valid()) was_input_.Add(value);
  }
  for (ValueId value : graph_.outputs(graph_.main_block())) {
    if (value.valid()) was_output_.Add(value);
  }
  IdSet<TensorId> read(graph_.tensor_count());
  for (ValueId value : part.inputs) {
    is_input_.Add(value);
    has_values_.Add(value);
  }
  for (ValueId value : part.outputs) is_output_.Add(value);
  for (NodeId node : part.nodes) {
    const Unit unit = units_.unit(node);
    for (ValueId value : units_.reads(unit)) {
      const TensorId tensor = units_.tensor(value);
      if (!tensor.valid()) continue;
      has_values_.Add(value);
      if (read.Has(tensor)) continue;
      read.Add(tensor);
      parameters_.push_back(value);
    }
    for (ValueId value : units_.makes(unit)) {
      if (value.valid()) has_values_.Add(value);
    }
  }
}

std::vector<TensorId> Kept::left_out_initializers() const {
  std::vector<TensorId> left_out;
  IdSet<TensorId> read(graph_.tensor_count());
  for (ValueId value : parameters_) read.Add(units_.tensor(value));
  for (TensorId id : graph_.tensor_ids()) {
    if (graph_.tensor(id).block == graph_.main_block() && !read.Has(id)) left_out.push_back(id);
  }
  return left_out;
}

std::vector<BlockId> Kept::left_out_functions() const {
  std::vector<BlockId> left_out;
  for (BlockId id : graph_.block_ids()) {
    if (graph_.block(id).kind == BlockKind::kFunction && !has_functions_.Has(id)) {
      left_out.push_back(id);
    }
  }
  return left_out;
}

}  // namespace onnx_hier
