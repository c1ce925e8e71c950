// SPDX-License-Identifier: Apache-2.0
#include "lib/audit/review.h"

#include <vector>

#include "absl/container/flat_hash_set.h"
#include "lib/audit/second_look.h"

namespace onnx_hier {
namespace {

// In real models two or three looks leave nothing.
constexpr int kMostLooks = 16;

}  // namespace

ContaminationCount ReviewAssignments(const Flow& flow, const Evidence& evidence, ModulePaths& paths,
                                     const Least& least, Assignments& assignments) {
  const IdSet<NodeId> settled = SettledNodes(assignments);
  absl::flat_hash_set<NodeId> found;
  // Until a check of these tags would find nothing.
  for (int i = 0; i < kMostLooks; ++i) {
    const std::vector<NodeId> again =
        TakeSecondLook(flow, evidence, paths, least, settled, assignments);
    found.insert(again.begin(), again.end());
    if (again.empty()) return {found.size(), 0};
  }
  return {found.size(), CompareAssignments(flow, evidence, paths, assignments, settled).size()};
}

}  // namespace onnx_hier
