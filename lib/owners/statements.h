// SPDX-License-Identifier: Apache-2.0

// What witnesses say of where each node is.
#ifndef ONNX_HIER_LIB_OWNERS_STATEMENTS_H_
#define ONNX_HIER_LIB_OWNERS_STATEMENTS_H_

#include <cstddef>
#include <cstdint>
#include <vector>

#include "absl/functional/function_ref.h"
#include "onnx_hier/annotation.h"
#include "onnx_hier/ids.h"

namespace onnx_hier {

// What one witness says of a node.
struct Statement {
  PathId place;                   // none: it says nothing
  Method method = Method::kNone;  // what says so
  bool is_around = false;  // `place` is only what holds the node's module, which nothing names
  NodeId neighbour;        // see goes_by_neighbour(); of several the first
  float confidence = 1;    // of its names: how often such names are as they are printed
  uint32_t call = 0;  // which call of the module at `place`; only names of nodes and values tell

  // Whether it was put in for others: those that read it, or the one whose value it reads.
  bool goes_by_neighbour() const {
    return method == Method::kReaders || method == Method::kLocality;
  }
};

// The statement that counts, and what else is known of the node.
struct NodeEvidence : Statement {
  PathId other_place;  // where another witness puts it, if that is elsewhere
  Range owners;        // in Evidence::owners

  // The module of another node whose work it does, too, after an optimiser fused the two: of a node
  // that is still called "/conv1/Conv" and makes "/relu/Relu_output_0", relu. None: it is as it
  // was.
  PathId fused_place() const { return goes_by_neighbour() ? PathId() : other_place; }
};

// For each node the statement that counts: the last one that was made. Whoever makes another one
// has looked at the one before, and outranks it.
class NodeStatements {
 public:
  size_t size() const { return nodes_.size(); }
  void resize(size_t nodes) { nodes_.resize(nodes); }
  const NodeEvidence& operator[](NodeId node) const { return nodes_[node]; }
  auto begin() const { return nodes_.begin(); }
  auto end() const { return nodes_.end(); }

  // Counts from now on. `other`: where another witness puts the node; it may be the same place.
  void Say(NodeId node, const Statement& said, PathId other = PathId());
  // What counts is no surer than that.
  void Doubt(NodeId node, float confidence);
  // See Evidence::owners_of.
  void SetOwners(NodeId node, Range owners) { nodes_[node].owners = owners; }

  // Statements that counted until another witness put the node elsewhere, the first ones first.
  struct Overruled {
    NodeId node;
    Statement said;
  };
  const std::vector<Overruled>& overruled() const { return overruled_; }

  // `to`: what each path is called now.
  void Rename(const IdVector<PathId, PathId>& to);
  // Takes over what is said of the nodes of a part, which are `in_whole` here; their owners begin
  // at `first_owner`.
  void Add(const NodeStatements& part, absl::FunctionRef<NodeId(NodeId)> in_whole,
           uint32_t first_owner);

 private:
  IdVector<NodeId, NodeEvidence> nodes_;
  std::vector<Overruled> overruled_;
};

}  // namespace onnx_hier

#endif  // ONNX_HIER_LIB_OWNERS_STATEMENTS_H_
