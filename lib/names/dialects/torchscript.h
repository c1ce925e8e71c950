// SPDX-License-Identifier: Apache-2.0

// Scopes as torch writes them into names, and whoever writes them like torch:
//
//   /encoder/layer.1/Add     a component may end in numbers: member 1 of the list `layer`
//   /layer1/layer1.0/Conv    a called container repeats itself in its members: layer1.0
//   /relu_1/Relu             perhaps the second call of `relu`
//   /Constant                made by the root module
//   Constant_13              no scope: nothing is said
//
// Values are "<node name>_output_<slot>". Source: torch >= 1.13,
// torch/csrc/jit/passes/onnx/naming.cpp.
#ifndef ONNX_HIER_LIB_NAMES_DIALECTS_TORCHSCRIPT_H_
#define ONNX_HIER_LIB_NAMES_DIALECTS_TORCHSCRIPT_H_

#include "lib/names/scope_grammar.h"

namespace onnx_hier {

const ScopeGrammar& TorchScopes();

}  // namespace onnx_hier

#endif  // ONNX_HIER_LIB_NAMES_DIALECTS_TORCHSCRIPT_H_
