// SPDX-License-Identifier: Apache-2.0

// Who owns each node, as far as that is decided.
//
// Assignments are made and changed by these calls alone: who asks what decided a node, and how
// surely, finds all that may have had a say by who holds a NodeOwners.
#ifndef ONNX_HIER_LIB_OWNERS_NODE_OWNERS_H_
#define ONNX_HIER_LIB_OWNERS_NODE_OWNERS_H_

#include <cstddef>
#include <utility>

#include "onnx_hier/annotation.h"
#include "onnx_hier/ids.h"

namespace onnx_hier {

class NodeOwners {
 public:
  NodeOwners() = default;
  // All of them `unknown`'s, or nobody's; no decision says so.
  explicit NodeOwners(size_t nodes, PathId unknown = PathId());
  // What was decided before.
  explicit NodeOwners(Assignments decided) : assignments_(std::move(decided)) {}

  size_t size() const { return assignments_.size(); }
  const Assignment& operator[](NodeId node) const { return assignments_[node]; }
  auto begin() const { return assignments_.begin(); }
  auto end() const { return assignments_.end(); }
  Assignments Take() && { return std::move(assignments_); }

  // Whatever was decided of the node before. It lies in its owner at least as surely as that is
  // exactly right.
  void Decide(NodeId node, Assignment owner);
  // To what its owner is called, or stands for: as surely as before.
  void Move(NodeId node, PathId module) { assignments_[node].primary = module; }
  // No surer than that.
  void Doubt(NodeId node, float confidence, float containment = 1);
  // To what holds its owner, since that is not sure enough; itself it is hardly ever.
  void Retreat(NodeId node, PathId around, float containment);

 private:
  Assignments assignments_;
};

}  // namespace onnx_hier

#endif  // ONNX_HIER_LIB_OWNERS_NODE_OWNERS_H_
