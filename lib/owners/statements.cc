// SPDX-License-Identifier: Apache-2.0
#include "lib/owners/statements.h"

#include <algorithm>

namespace onnx_hier {

void NodeStatements::Say(NodeId node, const Statement& said, PathId other) {
  NodeEvidence& now = nodes_[node];
  const bool overrules = now.place.valid() && said.place.valid() && now.place != said.place &&
                         now.method != said.method;
  if (overrules) overruled_.push_back({node, now});
  static_cast<Statement&>(now) = said;
  now.other_place = other != said.place ? other : PathId();
}

void NodeStatements::Doubt(NodeId node, float confidence) {
  nodes_[node].confidence = std::min(nodes_[node].confidence, confidence);
}

void NodeStatements::Rename(const IdVector<PathId, PathId>& to) {
  const auto rename = [&to](PathId& path) {
    if (path.valid()) path = to[path];
  };
  for (NodeEvidence& node : nodes_) {
    rename(node.place);
    rename(node.other_place);
    if (node.other_place == node.place) node.other_place = PathId();
  }
  for (Overruled& overruled : overruled_) rename(overruled.said.place);
}

void NodeStatements::Add(const NodeStatements& part, absl::FunctionRef<NodeId(NodeId)> in_whole,
                         uint32_t first_owner) {
  const auto translate = [&](Statement& said) {
    if (said.neighbour.valid()) said.neighbour = in_whole(said.neighbour);
  };
  for (NodeId id : IdRange<NodeId>(part.size())) {
    NodeEvidence& node = nodes_[in_whole(id)];
    node = part[id];
    translate(node);
    node.owners = {node.owners.begin + first_owner, node.owners.end + first_owner};
  }
  for (Overruled overruled : part.overruled_) {
    translate(overruled.said);
    overruled_.push_back({in_whole(overruled.node), overruled.said});
  }
}

}  // namespace onnx_hier
