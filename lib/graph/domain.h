// SPDX-License-Identifier: Apache-2.0

// Domains of operators and functions.
#ifndef ONNX_HIER_LIB_GRAPH_DOMAIN_H_
#define ONNX_HIER_LIB_GRAPH_DOMAIN_H_

#include "absl/strings/string_view.h"

namespace onnx_hier {

// ONNX has two names for its own domain: "ai.onnx" becomes "". Operators of a Graph have it so,
// opset imports are as the file has them.
inline absl::string_view StandardDomain(absl::string_view domain) {
  return domain == "ai.onnx" ? absl::string_view() : domain;
}

// onnxruntime's operators on images whose channels stand in blocks.
constexpr absl::string_view kNchwcDomain = "com.microsoft.nchwc";

}  // namespace onnx_hier

#endif  // ONNX_HIER_LIB_GRAPH_DOMAIN_H_
