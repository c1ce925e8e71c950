// SPDX-License-Identifier: Apache-2.0

// Bodies of functions, one call at a time, and graphs inside of nodes, as models of their own: what
// a part of them is a part of.
#ifndef ONNX_HIER_TOOLS_VERIFY_BODIES_H_
#define ONNX_HIER_TOOLS_VERIFY_BODIES_H_

#include <onnx/onnx_pb.h>

#include <string>

#include "absl/functional/function_ref.h"

namespace onnx_hier::verify {

// Calls `visit` with each body that has a node which makes `value`, until it returns true: whether
// it did. Weights that a function is given are the body's under its own names, attributes are those
// of the call, and what a graph sees around it are its weights and inputs. After a fixed number of
// bodies, in which functions count with each way to them, the answer is no.
bool AnyBody(const onnx::ModelProto& model, const std::string& value,
             absl::FunctionRef<bool(const onnx::ModelProto&)> visit);

}  // namespace onnx_hier::verify

#endif  // ONNX_HIER_TOOLS_VERIFY_BODIES_H_
