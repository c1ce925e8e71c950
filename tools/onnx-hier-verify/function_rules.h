// SPDX-License-Identifier: Apache-2.0

// What runtimes ask of functions beyond what they compute.
#ifndef ONNX_HIER_TOOLS_VERIFY_FUNCTION_RULES_H_
#define ONNX_HIER_TOOLS_VERIFY_FUNCTION_RULES_H_

#include <onnx/onnx_pb.h>

#include "tools/onnx-hier-verify/difference.h"
#include "tools/onnx-hier-verify/nodes.h"

namespace onnx_hier::verify {

// The first rule that OUT, or one of these functions of it, breaks: a function imports the domain
// of every node in it, and no two nodes of one list have one name, if those of IN's main graph have
// not. onnxruntime (1.30) loads neither.
Difference BrokenFunctionRule(const onnx::ModelProto& in, const onnx::ModelProto& out,
                              const Functions& functions);

}  // namespace onnx_hier::verify

#endif  // ONNX_HIER_TOOLS_VERIFY_FUNCTION_RULES_H_
