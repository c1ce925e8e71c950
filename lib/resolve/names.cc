#include "lib/resolve/resolve.h"

namespace onnx_hier {

bool ResolveByNames(const Evidence& evidence, Assignments& assignments) {
  bool changed = false;
  for (NodeId id : IdRange<NodeId>(assignments.size())) {
    const NodeEvidence& node = evidence.nodes[id];
    Assignment& assignment = assignments[id];
    if (assignment.primary.valid()) continue;
    if (node.node_name.valid()) {
      assignment.primary = node.node_name;
      assignment.method = Method::kNodeName;
    } else if (node.value_name.valid()) {
      assignment.primary = node.value_name;
      assignment.method = Method::kValueName;
    } else {
      continue;
    }
    assignment.confidence = 1;
    changed = true;
  }
  return changed;
}

}  // namespace onnx_hier
