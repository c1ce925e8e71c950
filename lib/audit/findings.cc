// SPDX-License-Identifier: Apache-2.0
#include "onnx_hier/check.h"

namespace onnx_hier {

absl::string_view TagWitnessName(TagWitness witness) {
  switch (witness) {
    case TagWitness::kName:
      return "name";
    case TagWitness::kOutput:
      return "output";
    case TagWitness::kModule:
      return "module";
    case TagWitness::kParameters:
      return "parameters";
    case TagWitness::kClassMap:
      return "class_map";
    case TagWitness::kModuleMap:
      return "module_map";
    case TagWitness::kFresh:
      return "fresh";
    case TagWitness::kTwin:
      return "twin";
    case TagWitness::kSegment:
      return "segment";
    case TagWitness::kOriginal:
      return "original";
  }
  return "";
}

absl::string_view FindingKindName(FindingKind kind) {
  return kind == FindingKind::kCrossLayer ? "cross_layer" : "cross_module";
}

}  // namespace onnx_hier
