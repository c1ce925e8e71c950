#include "lib/infer/names.h"

#include "lib/infer/infer.h"

namespace onnx_hier {

Method MethodOf(Witness witness) {
  switch (witness) {
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
    case Witness::kNone:
      break;
  }
  return Method::kNone;
}

void PlaceByNames(const Evidence& evidence, Assignments& assignments) {
  for (NodeId id : IdRange<NodeId>(assignments.size())) {
    const NodeEvidence& node = evidence.nodes[id];
    Assignment& assignment = assignments[id];
    if (assignment.primary.valid() || !node.place.valid()) continue;
    assignment.primary = node.place;
    assignment.method = MethodOf(node.witness);
    assignment.call = node.call;
    assignment.confidence = 1;
  }
}

}  // namespace onnx_hier
