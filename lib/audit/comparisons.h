// SPDX-License-Identifier: Apache-2.0

// Nodes for which neither a name nor a parameter speaks, compared with the nodes around them.
#ifndef ONNX_HIER_LIB_AUDIT_COMPARISONS_H_
#define ONNX_HIER_LIB_AUDIT_COMPARISONS_H_

#include <vector>

#include "lib/audit/corrections.h"
#include "lib/audit/tag_audit.h"
#include "lib/graph/flow.h"
#include "lib/graph/graph_analysis.h"
#include "lib/owners/evidence.h"

namespace onnx_hier {

// Where inference puts a node, whatever the file's tags are: the one comparison that cannot be
// misled by wrong tags around the node, in the form that the tags have. It is what `tag` starts
// from; `tag` then takes a second look and recalls earlier tags, which would ask the very
// comparisons and tags that are compared here.
struct FreshTags {
  IdVector<NodeId, PathId> places;
  IdVector<NodeId, float> containments;  // in these
  IdSet<NodeId> parameters;              // nodes of which these speak, which were heard before

  // Whether the node would be tagged so.
  bool IsSame(NodeId node, PathId tag) const { return !places.empty() && places[node] == tag; }
};

// For tags that are instance names. `analysis` is of the graph. New paths may be added to `paths`.
FreshTags InferFresh(const TagAudit& audit, const GraphAnalysis& analysis, const Evidence& evidence,
                     ModulePaths& paths);

// Asks the witnesses that compare, in rounds, and puts right in `audit` what they agree on. Returns
// what was put right, in graph order; nothing that is settled. `flow` is of the graph; `fresh` may
// be empty.
std::vector<Correction> CompareTags(const Flow& flow, const IdSet<NodeId>& settled,
                                    const FreshTags& fresh, const ModulePaths& paths,
                                    TagAudit& audit);

}  // namespace onnx_hier

#endif  // ONNX_HIER_LIB_AUDIT_COMPARISONS_H_
