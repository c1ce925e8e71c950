// SPDX-License-Identifier: Apache-2.0

// Names of nodes in the names that runtimes give to what they made of them.
//
//   "/q/MatMul/MatMulScaleFusion/"               -> /q/MatMul          onnxruntime
//   "/relu/Relu_output_0_nchwc"                  -> /relu/Relu_output_0
//   "_inlfunc_Attention_MatMul_3"                -> MatMul_3 of the function Attention
//   "/conv/Conv + /relu/Relu"                    -> both               TensorRT
//   "PWN(/act/Sigmoid, /act/Mul)"                -> both
//   "Reformatting CopyNode for Input Tensor 0 to /conv/Conv"   -> /conv/Conv
//   "/cv/Mul_output_0 copy"                      -> /cv/Mul_output_0
//   "convolution:/conv/Conv/WithoutBiases"       -> /conv/Conv        OpenVINO
//   "{ForeignNode[/a/Add.../b/Softmax]}"         -> the nodes from one to the other
//
// Sources: onnxruntime (core/optimizer, core/framework/function_utils.cc); NVIDIA/TensorRT issues
// 3768, 4020, 4397, and the developer guide's chapter on trtexec.
#ifndef ONNX_HIER_LIB_PROFILE_KERNEL_NAMES_H_
#define ONNX_HIER_LIB_PROFILE_KERNEL_NAMES_H_

#include <utility>
#include <vector>

#include "absl/strings/string_view.h"

namespace onnx_hier {

// Names of nodes, or of values, as they may stand in a model; views into the kernel's name.
struct NamedParts {
  std::vector<absl::string_view> names;
  // What lies between the first and the second name, both included, for each pair.
  std::vector<std::pair<absl::string_view, absl::string_view>> ranges;
};

// What several names were put together to. One that stands alone is given back as it is.
NamedParts PartsOf(absl::string_view kernel_name);

// What a name may have been before an optimiser added to it, the likeliest first. It is not among
// them itself.
std::vector<absl::string_view> NamesBefore(absl::string_view name);

// A node of a function that onnxruntime put in the place of a call.
struct InlinedName {
  absl::string_view function;
  absl::string_view node;
};
// As which the name may be read.
std::vector<InlinedName> InlinedNames(absl::string_view name);

}  // namespace onnx_hier

#endif  // ONNX_HIER_LIB_PROFILE_KERNEL_NAMES_H_
