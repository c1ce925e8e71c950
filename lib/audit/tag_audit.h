// SPDX-License-Identifier: Apache-2.0

// Tags that are looked over, and what a witness may say of them.
//
// Witnesses come in two kinds. Names and parameters are believed alone: a node for which one of
// them speaks is settled. The others (twins, order, inference) compare a node with nodes around
// it, whose tags may be wrong as well: they are heard in rounds, on the tags as repaired so far,
// and must agree or be sure.
#ifndef ONNX_HIER_LIB_AUDIT_TAG_AUDIT_H_
#define ONNX_HIER_LIB_AUDIT_TAG_AUDIT_H_

#include "lib/names/layer_lists.h"
#include "onnx_hier/check.h"
#include "onnx_hier/graph.h"
#include "onnx_hier/ids.h"

namespace onnx_hier {

struct TagAudit {
  const Graph& graph;
  const LayerLists& layers;
  IdVector<NodeId, PathId> tags;  // the primary tags, as repaired so far; none: no tag
};

// Of a tag that is no less specific form of what is right.
inline FindingKind KindOf(TagRelation relation) {
  return relation == TagRelation::kCrossLayer ? FindingKind::kCrossLayer
                                              : FindingKind::kCrossModule;
}

// What one witness says of one node.
struct Suggestion {
  NodeId node;
  FindingKind kind = FindingKind::kCrossLayer;
  PathId expected;
  TagWitness witness = TagWitness::kName;
  float confidence = 0;
};

}  // namespace onnx_hier

#endif  // ONNX_HIER_LIB_AUDIT_TAG_AUDIT_H_
