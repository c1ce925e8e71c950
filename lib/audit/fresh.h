// SPDX-License-Identifier: Apache-2.0

// Where inference puts a node, whatever the file's tags are: the one comparison that cannot be
// misled by wrong tags around the node. It is what `tag` starts from; `tag` then takes a second
// look and recalls earlier tags, which would ask the very comparisons and tags that are compared
// here.
#ifndef ONNX_HIER_LIB_AUDIT_FRESH_H_
#define ONNX_HIER_LIB_AUDIT_FRESH_H_

#include <vector>

#include "lib/audit/tag_audit.h"
#include "lib/graph/graph_analysis.h"
#include "lib/owners/evidence.h"

namespace onnx_hier {

// In the form that the tags have.
struct FreshTags {
  IdVector<NodeId, PathId> places;
  IdVector<NodeId, float> confidences;

  // Whether the node would be tagged so.
  bool IsSame(NodeId node, PathId tag) const { return !places.empty() && places[node] == tag; }
};

// For tags that are instance names. `analysis` is of the graph. New paths may be added to `paths`.
FreshTags InferFresh(const TagAudit& audit, const GraphAnalysis& analysis, const Evidence& evidence,
                     ModulePaths& paths);

// A witness that compares: a node that would be tagged with another layer.
void AskFresh(const TagAudit& audit, const ModulePaths& paths, const FreshTags& fresh,
              std::vector<Suggestion>& suggestions);

}  // namespace onnx_hier

#endif  // ONNX_HIER_LIB_AUDIT_FRESH_H_
