#include "onnx_hier/annotation.h"

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

}  // namespace onnx_hier
