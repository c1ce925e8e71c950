// SPDX-License-Identifier: Apache-2.0

// Fields of ONNX that are younger than 1.12, whichever version this program was built with: what
// the installed onnx does not know, protobuf keeps as unknown fields.
#ifndef ONNX_HIER_TOOLS_VERIFY_NEWER_FIELDS_H_
#define ONNX_HIER_TOOLS_VERIFY_NEWER_FIELDS_H_

#include <onnx/onnx_pb.h>

#include <string>
#include <vector>

namespace onnx_hier::verify {

// Which of several functions of one name it is, or calls.
std::string OverloadOf(const onnx::FunctionProto& function);
std::string OverloadOf(const onnx::NodeProto& node);

// Attributes that a function has where a call does not give them.
std::vector<onnx::AttributeProto> DefaultsOf(const onnx::FunctionProto& function);

// Unknown fields of a node, serialized; without its overload, and without its metadata, which like
// its name does not change what it does.
std::string OtherFieldsOf(const onnx::NodeProto& node);

}  // namespace onnx_hier::verify

#endif  // ONNX_HIER_TOOLS_VERIFY_NEWER_FIELDS_H_
