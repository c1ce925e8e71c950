// SPDX-License-Identifier: Apache-2.0

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

// Whether a node does nothing but hold something.
inline bool IsConstant(const Graph& graph, NodeId node) {
  return graph.op(node).type == "Constant" && graph.inputs(node).empty();
}

// QuantizeLinear, DequantizeLinear and their like: whether a node only passes numbers on in another
// form.
inline bool IsQuantisation(absl::string_view op_type) {
  return absl::EndsWithIgnoreCase(op_type, "QuantizeLinear");
}

// The tensor of an initializer, or of the Constant that makes the value; none: neither.
inline TensorId HeldTensor(const Graph& graph, ValueId id) {
  const Value& value = graph.value(id);
  if (value.kind == ValueKind::kInitializer) return value.tensor;
  if (!value.producer.valid() || graph.op(value.producer).type != "Constant") return TensorId();
  const absl::Span<const TensorId> tensors = graph.tensors(value.producer);
  return tensors.size() == 1 ? tensors[0] : TensorId();
}

// What is kept in the file of a value: of one that a DequantizeLinear makes, what that reads.
inline ValueId StoredValue(const Graph& graph, ValueId id) {
  const NodeId maker = graph.value(id).producer;
  if (!maker.valid() || graph.op(maker).type != "DequantizeLinear") return id;
  const absl::Span<const ValueId> inputs = graph.inputs(maker);
  return inputs.empty() || !inputs[0].valid() ? id : inputs[0];
}

// What an Identity gives another name; none: the node is none, or has no such input or output.
inline ValueId CopiedValue(const Graph& graph, NodeId node) {
  const absl::Span<const ValueId> inputs = graph.inputs(node);
  const absl::Span<const ValueId> outputs = graph.outputs(node);
  const bool is_copy = graph.op(node).type == "Identity" && inputs.size() == 1 &&
                       outputs.size() == 1 && outputs[0].valid();
  return is_copy ? inputs[0] : ValueId();
}

// Whether a node reads a weight, of any dimensions, as it is stored.
inline bool ReadsWeight(const Graph& graph, NodeId node) {
  for (ValueId value : graph.inputs(node)) {
    if (!value.valid() || !graph.value(value).tensor.valid()) continue;
    if (IsWeight(graph.tensor(graph.value(value).tensor))) return true;
  }
  return false;
}

// Whether a node reads a weight of two dimensions or more, perhaps one that is stored in another
// form.
inline bool ReadsMatrix(const Graph& graph, NodeId node) {
  for (ValueId value : graph.inputs(node)) {
    if (!value.valid()) continue;
    const TensorId tensor = HeldTensor(graph, StoredValue(graph, value));
    if (!tensor.valid() || graph.dims(tensor).size() < 2) continue;
    if (IsWeight(graph.tensor(tensor))) return true;
  }
  return false;
}

// Whether an operator passes on what it reads in another type, layout or place: what optimisers and
// quantisers put in between others, and take away.
inline bool IsMover(absl::string_view op_type) {
  for (const absl::string_view mover :
       {"Cast", "DequantizeLinear", "Dropout", "Flatten", "Identity", "QuantizeLinear",
        "ReorderInput", "ReorderOutput", "Reshape", "Squeeze", "Transpose", "Unsqueeze"}) {
    if (op_type == mover) return true;
  }
  return false;
}

// "Conv", "FusedConv", "QLinearConv", "ConvInteger", "ConvTranspose".
inline bool IsConvolution(absl::string_view op_type) {
  return absl::EndsWith(op_type, "Conv") || absl::EndsWith(op_type, "ConvTranspose") ||
         op_type == "ConvInteger";
}

// Whether an operator has a weight that is its own module's: "Conv", "FusedConv", "QLinearMatMul",
// "MatMulNBits".
inline bool IsWeighted(absl::string_view op_type) {
  return IsConvolution(op_type) || absl::EndsWith(op_type, "Gemm") ||
         absl::StrContains(op_type, "MatMul");
}

// Whether an operator is a whole recurrent layer, with all its weights.
inline bool IsRecurrence(absl::string_view op_type) {
  return op_type == "LSTM" || op_type == "GRU" || op_type == "RNN";
}

// Whether an operator that has a module's matrix or kernel to itself is that module's own: nothing
// else is done with a table of embeddings or a kernel. A matrix may be multiplied by the module
// around its own, as torch's attention does with that of its output.
inline bool IsOwnersAlone(absl::string_view op_type) {
  return op_type == "Gather" || IsConvolution(op_type);
}

// The largest matrix or kernel among the parameters that a node reads, as it is stored; none: it
// reads none.
inline ValueId LargestWeight(const Graph& graph, NodeId node) {
  ValueId weight;
  uint64_t most = 0;
  for (ValueId value : graph.inputs(node)) {
    if (!value.valid()) continue;
    const ValueId stored = StoredValue(graph, value);
    if (!graph.value(stored).tensor.valid()) continue;
    const Tensor& tensor = graph.tensor(graph.value(stored).tensor);
    if (tensor.dims.size() < 2 || tensor.elements <= most) continue;
    most = tensor.elements;
    weight = stored;
  }
  return weight;
}

// What a weighted operator has for a weight; none: it is no such operator, or has none.
inline ValueId WeightOf(const Graph& graph, NodeId node) {
  return IsWeighted(graph.op(node).type) ? LargestWeight(graph, node) : ValueId();
}

// Whether a node has a weight, and nothing else reads that.
inline bool HasOwnWeight(const Graph& graph, NodeId node) {
  const ValueId weight = WeightOf(graph, node);
  return weight.valid() && graph.uses(weight).size() == 1;
}

}  // namespace onnx_hier

#endif  // ONNX_HIER_LIB_GRAPH_WEIGHT_H_
