// SPDX-License-Identifier: Apache-2.0

// Nodes for which neither a name nor a parameter speaks, compared with the nodes around them.
#ifndef ONNX_HIER_LIB_AUDIT_COMPARISONS_H_
#define ONNX_HIER_LIB_AUDIT_COMPARISONS_H_

#include <vector>

#include "lib/audit/corrections.h"
#include "lib/audit/fresh.h"
#include "lib/audit/tag_audit.h"
#include "lib/graph/flow.h"

namespace onnx_hier {

// Asks the witnesses that compare, in rounds, and puts right in `audit` what they agree on. Returns
// what was put right, in graph order; nothing that is settled. `flow` is of the graph; `fresh` may
// be empty.
std::vector<Correction> CompareTags(const Flow& flow, const IdSet<NodeId>& settled,
                                    const FreshTags& fresh, const ModulePaths& paths,
                                    TagAudit& audit);

}  // namespace onnx_hier

#endif  // ONNX_HIER_LIB_AUDIT_COMPARISONS_H_
