// SPDX-License-Identifier: Apache-2.0
#include "lib/owners/names.h"

#include "lib/owners/infer.h"

namespace onnx_hier {

Method MethodOf(Witness witness) {
  switch (witness) {
    case Witness::kRule:
      return Method::kRule;
    case Witness::kNodeName:
      return Method::kNodeName;
    case Witness::kValueName:
      return Method::kValueName;
    case Witness::kMetadata:
      return Method::kMetadata;
    case Witness::kParameters:
      return Method::kParameters;
    case Witness::kFunction:
      return Method::kFunction;
    case Witness::kReaders:
      return Method::kReaders;
    case Witness::kMaker:
      return Method::kLocality;
    case Witness::kTransferValue:
      return Method::kTransferValue;
    case Witness::kTransferName:
      return Method::kTransferName;
    case Witness::kTransferParameter:
      return Method::kTransferParameter;
    case Witness::kTransferRegion:
      return Method::kTransferRegion;
    case Witness::kNone:
      break;
  }
  return Method::kNone;
}

namespace {

// Of what a name only says that some module around it is: of 102 such nodes in 121 exports that
// onnxruntime optimised, 2 belong to that module itself.
constexpr float kAroundConfidence = 0.02f;

}  // namespace

void PlaceByNames(const Evidence& evidence, Assignments& assignments) {
  for (NodeId id : IdRange<NodeId>(assignments.size())) {
    const NodeEvidence& node = evidence.nodes[id];
    Assignment& assignment = assignments[id];
    if (assignment.primary.valid() || !node.place.valid()) continue;
    assignment.primary = node.place;
    assignment.method = MethodOf(node.witness);
    assignment.call = node.call;
    assignment.witness = node.neighbour;
    assignment.confidence = node.is_around ? kAroundConfidence : node.confidence;
    assignment.containment = node.is_around ? 1 : node.confidence;
    if (node.is_around) assignment.retreat = Retreat::kUnsure;
  }
}

}  // namespace onnx_hier
