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

void PlaceByNames(const Evidence& evidence, NodeOwners& owners) {
  for (NodeId id : IdRange<NodeId>(owners.size())) {
    const NodeEvidence& node = evidence.nodes[id];
    if (owners[id].primary.valid() || !node.place.valid()) continue;
    const float confidence = node.is_around ? kAroundConfidence : node.confidence;
    owners.Decide(id, {.primary = node.place,
                       .confidence = confidence,
                       .containment = node.is_around ? 1 : confidence,
                       .method = MethodOf(node.witness),
                       .retreat = node.is_around ? Retreat::kUnsure : Retreat::kNone,
                       .call = node.call,
                       .witness = node.neighbour});
  }
}

}  // namespace onnx_hier
