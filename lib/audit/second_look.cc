// SPDX-License-Identifier: Apache-2.0
#include "lib/audit/second_look.h"

#include <vector>

#include "absl/container/flat_hash_set.h"
#include "lib/audit/comparisons.h"
#include "lib/audit/unsure.h"
#include "lib/base/rules.h"
#include "lib/names/layer_lists.h"
#include "lib/owners/infer.h"

namespace onnx_hier {
namespace {

// Placed with more than this, a node moves no further than to the module that holds both places.
constexpr float kRatherSure = 0.5f;
// How often what was moved is exactly right then. Of 66 exports with known owners, as in
// weights_table.inc, with 30, 60 and 90 % of the names taken away, each node for itself and in runs
// of about 12, 20 masks of each, and with all names taken away: 114 of 441 that moved to another
// layer (27 were right before), and none of 266 that moved to what holds both (30). What it gains
// is that 294 of all these are in a wrong module, and 606 were.
constexpr float kMovedConfidence = 0.26f;
constexpr float kHoldsBothConfidence = 0.01f;
// In real models two or three leave nothing.
constexpr int kMostLooks = 16;

// Of what nothing is known there is nothing to compare.
bool IsOpen(const Assignment& assignment) {
  return IsUnsure(assignment) && assignment.method != Method::kNone;
}

void Move(const Correction& wish, const ModulePaths& paths, const Least& least,
          NodeOwners& owners) {
  const Assignment& now = owners[wish.node];
  // What holds both holds the node at least as surely as the one did. A node moves once to another
  // layer.
  const bool torn = now.confidence > kRatherSure || least.At(wish.expected) > kMovedConfidence ||
                    now.method == Method::kRepaired;
  if (torn) {
    owners.Decide(wish.node, {.primary = paths.CommonAncestor(now.primary, wish.expected),
                              .confidence = kHoldsBothConfidence,
                              .containment = now.containment,
                              .method = Method::kRepaired});
  } else {
    owners.Decide(
        wish.node,
        {.primary = wish.expected, .confidence = kMovedConfidence, .method = Method::kRepaired});
  }
}

}  // namespace

std::vector<Correction> CompareAssignments(const Flow& flow, const Evidence& evidence,
                                           ModulePaths& paths, const NodeOwners& owners,
                                           const IdSet<NodeId>& settled) {
  if (settled.HasAll()) return {};
  const LayerLists layers(paths, UsedPaths(evidence, owners));
  if (layers.list_count() == 0) return {};
  const Graph& graph = flow.graph();
  TagAudit audit{graph, layers, IdVector<NodeId, PathId>(graph.node_count())};
  for (NodeId node : graph.node_ids()) audit.tags[node] = owners[node].primary;
  std::vector<Correction> wishes = CompareTags(flow, settled, FreshTags(), paths, audit);
  // A path that is carried from one layer to another may be one that the other has not.
  std::erase_if(wishes, [&](const Correction& wish) { return !layers.exists(wish.expected); });
  return wishes;
}

IdSet<NodeId> SettledNodes(const NodeOwners& owners) {
  IdSet<NodeId> settled(owners.size());
  for (NodeId node : IdRange<NodeId>(owners.size())) {
    if (!IsOpen(owners[node])) settled.Add(node);
  }
  return settled;
}

std::vector<NodeId> TakeSecondLook(const Flow& flow, const Evidence& evidence, ModulePaths& paths,
                                   const Least& least, const IdSet<NodeId>& settled,
                                   NodeOwners& owners) {
  std::vector<NodeId> moved;
  if (!IsOn(Rule::kSecondLook)) return moved;
  for (const Correction& wish : CompareAssignments(flow, evidence, paths, owners, settled)) {
    Move(wish, paths, least, owners);
    moved.push_back(wish.node);
  }
  return moved;
}

ContaminationCount ReviewAssignments(const Flow& flow, const Evidence& evidence, ModulePaths& paths,
                                     const Least& least, NodeOwners& owners) {
  const IdSet<NodeId> settled = SettledNodes(owners);
  absl::flat_hash_set<NodeId> found;
  for (int i = 0; i < kMostLooks; ++i) {
    const std::vector<NodeId> again = TakeSecondLook(flow, evidence, paths, least, settled, owners);
    found.insert(again.begin(), again.end());
    if (again.empty()) return {found.size(), 0};
  }
  return {found.size(), CompareAssignments(flow, evidence, paths, owners, settled).size()};
}

}  // namespace onnx_hier
