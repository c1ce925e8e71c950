// SPDX-License-Identifier: Apache-2.0

// Does one model come to the same as another once its local functions are inlined? What `fold`
// writes: modules as functions, which nodes of the main graph call.
//
//   FoldedDifference(in, out).Text()
//     -> ""                                     folded
//     -> "node 3 '/enc/Add' of IN: nothing in OUT does the same"
//
// Names of nodes and of inner values may differ, and the versions of the format and of operators
// may be higher. Graph inputs, outputs and initializers are matched by name. Functions that both
// models have stay calls.
#ifndef ONNX_HIER_TOOLS_VERIFY_FOLDED_H_
#define ONNX_HIER_TOOLS_VERIFY_FOLDED_H_

#include <onnx/onnx_pb.h>

#include "tools/onnx-hier-verify/difference.h"
#include "tools/onnx-hier-verify/nodes.h"

namespace onnx_hier::verify {

// Functions of OUT that IN lacks: those to inline.
Functions NewFunctions(const onnx::ModelProto& in, const onnx::ModelProto& out);

Difference FoldedDifference(const onnx::ModelProto& in, const onnx::ModelProto& out);

}  // namespace onnx_hier::verify

#endif  // ONNX_HIER_TOOLS_VERIFY_FOLDED_H_
