// SPDX-License-Identifier: Apache-2.0
#include "lib/tags/method_name.h"

#include <cstddef>

namespace onnx_hier {

absl::string_view MethodName(Method method) {
  switch (method) {
    case Method::kMetadata:
      return "metadata";
    case Method::kFunction:
      return "function";
    case Method::kNodeName:
      return "node_name";
    case Method::kValueName:
      return "value_name";
    case Method::kParameters:
      return "parameters";
    case Method::kRepetition:
      return "repetition";
    case Method::kResidual:
      return "residual";
    case Method::kStructure:
      return "structure";
    case Method::kOrder:
      return "order";
    case Method::kReaders:
      return "readers";
    case Method::kLocality:
      return "locality";
    case Method::kSidecar:
      return "sidecar";
    case Method::kRepaired:
      return "repaired";
    case Method::kEarlierTag:
      return "earlier_tag";
    case Method::kRule:
      return "rule";
    case Method::kTransferValue:
      return "transfer_value";
    case Method::kTransferName:
      return "transfer_name";
    case Method::kTransferParameter:
      return "transfer_parameter";
    case Method::kTransferRegion:
      return "transfer_region";
    case Method::kNone:
      return "none";
  }
  return "none";
}

std::optional<Method> MethodNamed(absl::string_view name) {
  for (size_t i = 0; i < kMethodCount; ++i) {
    const auto method = static_cast<Method>(i);
    if (MethodName(method) == name) return method;
  }
  return std::nullopt;
}

}  // namespace onnx_hier
