// SPDX-License-Identifier: Apache-2.0

// Modules in the names of parameters of no known grammar, as the file itself shows where they end:
//
//   conv2d_11/kernel:0, conv2d_11/bias:0             keras2onnx
//   conv5_expand_bn_scale, conv5_expand_bn_offset    Paddle's static graphs
//   conv2d_1/Kernel, p_re_lu_1/Alpha                 tflite2onnx
//   linear_7_MatMul_W, linear_7_MatMul_B             MATLAB, CNTK
//   param_conv1_W, param_conv1_b                     Chainer
//
// Operators of a kind call their parameters alike behind the module's name, and those of one
// operator have the same in front.
#ifndef ONNX_HIER_LIB_NAMES_LEARNED_PARAMETERS_H_
#define ONNX_HIER_LIB_NAMES_LEARNED_PARAMETERS_H_

#include <string>
#include <vector>

#include "onnx_hier/graph.h"
#include "onnx_hier/ids.h"

namespace onnx_hier {

struct LearnedOwner {
  ValueId parameter;
  std::string module;  // names with slashes between, also those of TensorFlow's call wrappers
};

// Of initializers, and of Constants that hold weights. Empty where most weights are named in a
// known grammar, or where too few are named alike. Linear.
std::vector<LearnedOwner> LearnParameterOwners(const Graph& graph);

}  // namespace onnx_hier

#endif  // ONNX_HIER_LIB_NAMES_LEARNED_PARAMETERS_H_
