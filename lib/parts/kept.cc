// SPDX-License-Identifier: Apache-2.0
#include "lib/parts/kept.h"

#include <algorithm>

namespace onnx_hier {

Interface::Interface(const Graph& graph, BlockId block) {
  const auto list = [](absl::Span<const ValueId> values, Places& places) {
    for (size_t i = 0; i < values.size(); ++i) {
      if (values[i].valid()) places[values[i]].push_back(i);
    }
  };
  list(graph.inputs(block), inputs_);
  list(graph.outputs(block), outputs_);
}

Kept::Kept(const Units& units, const FunctionCalls& calls, const Interface& interface,
           const Part& part)
    : units_(units),
      graph_(units.graph()),
      interface_(interface),
      has_functions_(graph_.block_count()),
      has_nodes_(graph_.node_count()),
      has_values_(graph_.value_count()),
      has_tensors_(graph_.tensor_count()),
      is_input_(graph_.value_count()),
      is_output_(graph_.value_count()) {
  TakeNodes(calls, part);
  TakeValues(part);
}

// With those inside, and with functions that are called, from whatever depth. What is not taken is
// not looked at: of large models there are many parts.
void Kept::TakeNodes(const FunctionCalls& calls, const Part& part) {
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
    const BlockId callee = calls.CalleeOf(node);
    if (!callee.valid() || has_functions_.Has(callee)) continue;
    has_functions_.Add(callee);
    functions_.push_back(callee);
    enter(callee);
  }
  std::sort(nodes_.begin(), nodes_.end());
}

void Kept::TakeValues(const Part& part) {
  const auto take_parameter = [&](ValueId value) {
    const TensorId tensor = units_.tensor(value);
    if (!tensor.valid()) return;
    Take(value);
    if (has_tensors_.Has(tensor)) return;
    has_tensors_.Add(tensor);
    parameters_.push_back(value);
  };
  for (ValueId value : part.inputs) {
    is_input_.Add(value);
    Take(value);
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
      if (value.valid()) Take(value);
    }
  }
}

void Kept::Take(ValueId value) {
  if (has_values_.Has(value)) return;
  has_values_.Add(value);
  values_.push_back(value);
}

}  // namespace onnx_hier
