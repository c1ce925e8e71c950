// SPDX-License-Identifier: Apache-2.0

// Names that optimisers, quantisers and converters made from the names that they found.
//
//   "fused /pooler/dense/Gemm"                     -> "/pooler/dense/Gemm"
//   "/layer.0/self/MatMul/MatMulScaleFusion/"      -> "/layer.0/self/MatMul/MatMulScaleFusion"
//   "/relu/Relu_output_0_QuantizeLinear"           -> "/relu/Relu_output_0"
//   "pixel_values_cast_to_/conv1/Conv"             -> "/conv1/Conv"
//   "If_0_then_branch__Inline_0__/stft/Conv"       -> "/stft/Conv": inlined from another model
//   "/conv1/Conv_/relu/Relu"                       -> both halves: two nodes were fused
//
//   "_inlfunc_HardSwish_token_3_HS_X"              -> a value inside of an operator of the standard
//                                                     that was written out as others
//
// Sources: onnxruntime (core/optimizer/*_fusion.cc, core/graph/graph.cc,
// core/graph/function_utils.cc, python/tools/quantization), onnxconverter-common (float16.py),
// OnnxSlim (core/pattern/fusion).
#ifndef ONNX_HIER_LIB_NAMES_DERIVED_NAME_H_
#define ONNX_HIER_LIB_NAMES_DERIVED_NAME_H_

#include <algorithm>

#include "absl/container/inlined_vector.h"
#include "absl/strings/ascii.h"
#include "absl/strings/match.h"
#include "absl/strings/string_view.h"
#include "absl/strings/strip.h"
#include "lib/base/slash_path.h"
#include "lib/graph/weight.h"
#include "onnx_hier/graph.h"

namespace onnx_hier {

// The names of nodes or values that `name` was made from: one, as a rule itself. Views into it.
absl::InlinedVector<absl::string_view, 2> OriginalNames(absl::string_view name);

// "/relu/Relu_output_0" -> "/relu/Relu": the node that makes a value of that name. Other names are
// given back as they are; `*is_value` says which it was.
absl::string_view NodeOfValueName(absl::string_view name, bool* is_value);

// "/conv/Conv_output_0_bias_reshape_output" -> "/conv/Conv_output_0": without what a quantiser put
// behind the name of a value to name another one of that place. Other names as they are.
absl::string_view WithoutSuffixOfValue(absl::string_view name);

// "If_0_then_branch__Inline_0__stft.weight" -> "stft.weight": what inliners of whole models put in
// front of every name taken off (spox).
absl::string_view WithoutInlinePrefix(absl::string_view name);

// "FusedBack_h.0.weight" -> "h.0.weight": what optimisers put in front of a name taken off.
absl::string_view WithoutOptimiserPrefixes(absl::string_view name);

// "fused x_token_3_nchwc" -> "x": without all that tools put in front of a name and behind it.
absl::string_view WithoutDecorations(absl::string_view name);

// "/self/MatMul/MatMulScaleFusion/" -> "/self/MatMul": what says which fusions a node went through
// taken off.
absl::string_view WithoutFusions(absl::string_view name);

// "_inlfunc_HardSwish_token_3_HS_X": whether a value lies inside of an operator of the standard
// that was replaced by the operators of its definition.
bool IsInsideOperator(absl::string_view value_name);

// Operators do, and few modules.
inline bool BeginsWithCapital(absl::string_view component) {
  return !component.empty() && absl::ascii_isupper(static_cast<unsigned char>(component[0]));
}

// "MatMul_Grad", inside of which the gradient of MatMul is computed.
inline bool IsGradient(absl::string_view component) {
  return absl::EndsWith(component, "_Grad") && BeginsWithCapital(component);
}

// "MatMul_12" -> "MatMul": without the number that tells repetitions apart. So of "MatMul_node_12",
// as onnxscript's GraphBuilder counts.
inline absl::string_view WithoutCounter(absl::string_view name) {
  size_t digits = name.size();
  while (digits > 0 && absl::ascii_isdigit(static_cast<unsigned char>(name[digits - 1]))) --digits;
  const bool is_counted = digits < name.size() && digits > 0 && name[digits - 1] == '_';
  if (!is_counted) return name;
  name = name.substr(0, digits - 1);
  absl::string_view op_type = name;
  const bool is_built =
      absl::ConsumeSuffix(&op_type, "_node") && BeginsWithCapital(LastComponent(op_type));
  return is_built ? op_type : name;
}

// Whether it ends with an operator, counted so: "MatMul_node_12".
inline bool HasBuilderCounter(absl::string_view name) {
  const absl::string_view rest = name.substr(WithoutCounter(name).size());
  return absl::StartsWith(rest, "_node_");
}

// "/encoder/MatMul_12" -> "MatMul": what a node's name ends with, its operator as exported.
inline absl::string_view OperatorInName(absl::string_view name) {
  return WithoutCounter(LastComponent(name));
}

// Whether a quantiser put the node there, called after the value: that module does no such thing.
inline bool IsPutInByQuantiser(const Graph& graph, NodeId node) {
  const absl::string_view op_type = graph.op(node).type;
  const absl::string_view name = graph.node(node).name;
  return IsQuantisation(op_type) && !name.empty() && OperatorInName(name) != op_type;
}

// Whether the name ends so with `op_type`, found without looking at what stands before; `*folder`
// is what does, without the slash: "/encoder" of "/encoder/MatMul_12".
inline bool EndsWithOperator(absl::string_view name, absl::string_view op_type,
                             absl::string_view* folder) {
  name = WithoutCounter(name);
  if (!absl::EndsWith(name, op_type)) return false;
  // Operators have short names.
  if (std::find(op_type.begin(), op_type.end(), '/') != op_type.end()) return false;
  name.remove_suffix(op_type.size());
  if (!name.empty() && !absl::ConsumeSuffix(&name, "/")) return false;
  *folder = name;
  return true;
}

}  // namespace onnx_hier

#endif  // ONNX_HIER_LIB_NAMES_DERIVED_NAME_H_
