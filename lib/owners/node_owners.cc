// SPDX-License-Identifier: Apache-2.0
#include "lib/owners/node_owners.h"

#include <algorithm>

namespace onnx_hier {

NodeOwners::NodeOwners(size_t nodes, PathId unknown) : assignments_(nodes) {
  if (!unknown.valid()) return;
  for (Assignment& owner : assignments_) owner.primary = unknown;
}

void NodeOwners::Decide(NodeId node, Assignment owner) {
  owner.containment = std::max(owner.confidence, owner.containment);
  assignments_[node] = owner;
}

void NodeOwners::Doubt(NodeId node, float confidence, float containment) {
  Assignment& owner = assignments_[node];
  owner.confidence = std::min(owner.confidence, confidence);
  owner.containment = std::max(owner.confidence, std::min(owner.containment, containment));
}

void NodeOwners::Retreat(NodeId node, PathId around, float containment) {
  Assignment& owner = assignments_[node];
  owner.primary = around;
  owner.confidence = 0;
  owner.containment = containment;
  owner.retreat = onnx_hier::Retreat::kUnsure;
}

}  // namespace onnx_hier
