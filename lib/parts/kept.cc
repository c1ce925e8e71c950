#include "lib/parts/kept.h"

#include <algorithm>

#include "lib/graph/callees.h"

namespace onnx_hier {

Kept::Kept(const Units& units, const Part& part)
    : units_(units),
      graph_(units.graph()),
      has_functions_(graph_.block_count()),
      has_nodes_(graph_.node_count()),
      has_values_(graph_.value_count()),
      has_tensors_(graph_.tensor_count()),
      is_input_(graph_.value_count()),
      was_input_(graph_.value_count()),
      is_output_(graph_.value_count()),
      was_output_(graph_.value_count()) {
  TakeNodes(part);
  TakeValues(part);
}

// With those inside, and with functions that are called, from whatever depth. What is not taken is
// not looked at: of large models there are many parts.
void Kept::TakeNodes(const Part& part) {
  const IdVector<OpId, BlockId> callees = FindCallees(graph_);
  std::vector<NodeId> open = part.nodes;
  const auto enter = [&](BlockId block) {
    for (NodeId node : graph_.nodes(block)) open.push_back(node);
  };
  while (!open.empty()) {
    const NodeId node = open.back();
    open.pop_back();
    has_nodes_.Add(node);
    nodes_.push_back(node);
    for (BlockId block : graph_.blocks(node)) enter(block);
    const BlockId callee = callees.empty() ? BlockId() : callees[graph_.node(node).op];
    if (!callee.valid() || has_functions_.Has(callee)) continue;
    has_functions_.Add(callee);
    enter(callee);
  }
  std::sort(nodes_.begin(), nodes_.end());
}

void Kept::TakeValues(const Part& part) {
  for (ValueId value : graph_.inputs(graph_.main_block())) {
    if (value.valid()) was_input_.Add(value);
  }
  for (ValueId value : graph_.outputs(graph_.main_block())) {
    if (value.valid()) was_output_.Add(value);
  }
  const auto take_parameter = [&](ValueId value) {
    const TensorId tensor = units_.tensor(value);
    if (!tensor.valid()) return;
    has_values_.Add(value);
    if (has_tensors_.Has(tensor)) return;
    has_tensors_.Add(tensor);
    parameters_.push_back(value);
  };
  for (ValueId value : part.inputs) {
    is_input_.Add(value);
    has_values_.Add(value);
    take_parameter(value);
  }
  for (ValueId value : part.outputs) {
    is_output_.Add(value);
    take_parameter(value);
  }
  for (NodeId node : part.nodes) {
    const Unit unit = units_.unit(node);
    for (ValueId value : units_.reads(unit)) take_parameter(value);
    for (ValueId value : units_.makes(unit)) {
      if (value.valid()) has_values_.Add(value);
    }
  }
}

std::vector<TensorId> Kept::left_out_initializers() const {
  std::vector<TensorId> left_out;
  for (TensorId id : graph_.tensor_ids()) {
    if (graph_.tensor(id).block == graph_.main_block() && !has_tensors_.Has(id)) {
      left_out.push_back(id);
    }
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
