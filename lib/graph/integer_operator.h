// SPDX-License-Identifier: Apache-2.0

// What quantisers put in the place of an operator on floats:
//
//   DynamicQuantizeLinear -> MatMulInteger -> Cast -> Mul
//                         \-----------------> Mul /
#ifndef ONNX_HIER_LIB_GRAPH_INTEGER_OPERATOR_H_
#define ONNX_HIER_LIB_GRAPH_INTEGER_OPERATOR_H_

#include "absl/strings/match.h"
#include "absl/strings/string_view.h"
#include "absl/types/span.h"
#include "onnx_hier/graph.h"

namespace onnx_hier {

// Those that are not there are none.
struct IntegerOperator {
  NodeId operation;
  NodeId cast;
  NodeId scaling;
  NodeId scales;  // the product of both scales
};

// "MatMulInteger", "ConvInteger": of the standard, but no exporter writes them.
inline bool IsIntegerOperator(absl::string_view op_type) {
  return absl::EndsWith(op_type, "Integer");
}

// The node that reads what `id` makes, if there is one alone, of that operator; else none.
inline NodeId OnlyReader(const Graph& graph, NodeId id, absl::string_view op_type) {
  const absl::Span<const ValueId> outputs = graph.outputs(id);
  if (outputs.size() != 1 || !outputs[0].valid()) return NodeId();
  const absl::Span<const Use> uses = graph.uses(outputs[0]);
  return uses.size() == 1 && graph.op(uses[0].node).type == op_type ? uses[0].node : NodeId();
}

// Of a node with such an operator.
inline IntegerOperator IntegerOperatorAt(const Graph& graph, NodeId id) {
  IntegerOperator found = {.operation = id, .cast = OnlyReader(graph, id, "Cast")};
  if (found.cast.valid()) found.scaling = OnlyReader(graph, found.cast, "Mul");
  if (!found.scaling.valid()) return found;
  for (ValueId value : graph.inputs(found.scaling)) {
    const NodeId maker = value.valid() ? graph.value(value).producer : NodeId();
    if (maker.valid() && OnlyReader(graph, maker, "Mul") == found.scaling) found.scales = maker;
  }
  return found;
}

}  // namespace onnx_hier

#endif  // ONNX_HIER_LIB_GRAPH_INTEGER_OPERATOR_H_
