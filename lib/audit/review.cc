// SPDX-License-Identifier: Apache-2.0
#include "lib/audit/review.h"

#include <vector>

#include "absl/container/flat_hash_set.h"
#include "lib/audit/earlier_tags.h"
#include "lib/audit/second_look.h"

namespace onnx_hier {

ContaminationCount ReviewAssignments(const Flow& flow, const Evidence& evidence, ModulePaths& paths,
                                     float least_containment, Assignments& assignments) {
  const IdSet<NodeId> settled = SettledNodes(assignments);
  const std::vector<NodeId> moved =
      TakeSecondLook(flow, evidence, paths, least_containment, settled, assignments);
  const bool recalled = RecallEarlierTags(flow, evidence, paths, least_containment, assignments);
  // What comparisons found nothing in, they need not see again.
  if (moved.empty() && !recalled) return {};
  absl::flat_hash_set<NodeId> found(moved.begin(), moved.end());
  const std::vector<Correction> left =
      CompareAssignments(flow, evidence, paths, assignments, settled);
  for (const Correction& wish : left) found.insert(wish.node);
  return {found.size(), left.size()};
}

}  // namespace onnx_hier
