// SPDX-License-Identifier: Apache-2.0

// Methods by the names that are written for them: MethodName() (annotation.h), and back.
#ifndef ONNX_HIER_LIB_TAGS_METHOD_NAME_H_
#define ONNX_HIER_LIB_TAGS_METHOD_NAME_H_

#include <optional>

#include "absl/strings/string_view.h"
#include "onnx_hier/annotation.h"

namespace onnx_hier {

// None: this version knows of no such method.
std::optional<Method> MethodNamed(absl::string_view name);

// Whether the file says it of the node: names, metadata, parameters, the function that it is in.
constexpr bool IsByName(Method method) {
  return method == Method::kMetadata || method == Method::kNodeName ||
         method == Method::kValueName || method == Method::kParameters ||
         method == Method::kFunction;
}

// Whether the model that a node's own was made from told its module.
constexpr bool IsTransfer(Method method) {
  return method == Method::kTransferValue || method == Method::kTransferName ||
         method == Method::kTransferParameter || method == Method::kTransferRegion;
}

}  // namespace onnx_hier

#endif  // ONNX_HIER_LIB_TAGS_METHOD_NAME_H_
