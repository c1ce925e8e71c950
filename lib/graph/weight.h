// What a module learns, and which operators learn, by shapes, types and operators alone.
#ifndef ONNX_HIER_LIB_GRAPH_WEIGHT_H_
#define ONNX_HIER_LIB_GRAPH_WEIGHT_H_

#include "absl/strings/match.h"
#include "absl/strings/string_view.h"
#include "absl/types/span.h"
#include "lib/graph/data_type.h"
#include "onnx_hier/graph.h"

namespace onnx_hier {

// Not a shape, an index, a flag or a single number.
inline bool IsWeight(const Tensor& tensor) {
  return tensor.elements > 1 && tensor.data_type != data_type::kInt32 &&
         tensor.data_type != data_type::kInt64 && tensor.data_type != data_type::kBool;
}

// The tensor of an initializer, or of the Constant that makes the value; none: neither.
inline TensorId HeldTensor(const Graph& graph, ValueId id) {
  const Value& value = graph.value(id);
  if (value.kind == ValueKind::kInitializer) return value.tensor;
  if (!value.producer.valid() || graph.op(value.producer).type != "Constant") return TensorId();
  const absl::Span<const TensorId> tensors = graph.tensors(value.producer);
  return tensors.size() == 1 ? tensors[0] : TensorId();
}

// Whether a node reads a weight of two dimensions or more.
inline bool ReadsMatrix(const Graph& graph, NodeId node) {
  for (ValueId value : graph.inputs(node)) {
    if (!value.valid()) continue;
    const TensorId tensor = HeldTensor(graph, value);
    if (!tensor.valid() || graph.dims(tensor).size() < 2) continue;
    if (IsWeight(graph.tensor(tensor))) return true;
  }
  return false;
}

// Whether an operator has a weight that is its own module's: "Conv", "FusedConv", "QLinearMatMul".
inline bool IsWeighted(absl::string_view op_type) {
  return absl::EndsWith(op_type, "Conv") || absl::EndsWith(op_type, "ConvTranspose") ||
         absl::EndsWith(op_type, "Gemm") || absl::EndsWith(op_type, "MatMul");
}

}  // namespace onnx_hier

#endif  // ONNX_HIER_LIB_GRAPH_WEIGHT_H_
