// SPDX-License-Identifier: Apache-2.0

// Scopes as TensorFlow writes them: "model/conv1/Conv2D__17", and values "model/conv1/Conv2D:0". No
// slash stands in front, each name is given once, nothing is numbered by calls. TensorFlow Lite
// joins the names of what it fused: "re_lu/Relu;bn/add;conv/Conv2D". Sources: tf2onnx, keras2onnx.
#ifndef ONNX_HIER_LIB_NAMES_DIALECTS_TENSORFLOW_H_
#define ONNX_HIER_LIB_NAMES_DIALECTS_TENSORFLOW_H_

#include "absl/strings/string_view.h"
#include "lib/names/scope_grammar.h"

namespace onnx_hier {

const ScopeGrammar& TensorflowScopes();

// "StatefulPartitionedCall_1", "moments": whether a component is what a function of TensorFlow
// does, which is no module.
bool IsFunctionScope(absl::string_view component);

// "model/norm" for "model/norm/batchnorm" and an operator "mul_1" in it: TensorFlow's function for
// batch normalisation names its operators in lower case, but for Rsqrt; a layer that is called so
// has a FusedBatchNorm. Other folders are given back as they are.
absl::string_view WithoutBatchNorm(absl::string_view folder, absl::string_view op_name);

// "re_lu/Relu;bn/add;conv/Conv2D" of a Conv -> "conv/Conv2D": of joined names, that of the weighted
// operator, or else the first. A view into `name`.
absl::string_view PartOfJoinedName(absl::string_view name, absl::string_view op_type);

}  // namespace onnx_hier

#endif  // ONNX_HIER_LIB_NAMES_DIALECTS_TENSORFLOW_H_
