#include "lib/contamination/second_look.h"

#include <vector>

#include "lib/contamination/comparisons.h"
#include "lib/contamination/siblings.h"

namespace onnx_hier {
namespace {

// What is placed with more than this is left alone.
constexpr float kSure = 0.75f;
// Placed with more than this, a node moves no further than to the module that holds both places.
constexpr float kRatherSure = 0.5f;

bool IsOpen(const Assignment& assignment) {
  switch (assignment.method) {
    case Method::kRepetition:
    case Method::kResidual:
    case Method::kStructure:
    case Method::kReaders:
    case Method::kOrder:
    case Method::kLocality:
      return assignment.confidence < kSure;
    default:
      return false;
  }
}

std::vector<PathId> UsedPaths(const Evidence& evidence,
                              const IdVector<NodeId, Assignment>& assignments) {
  std::vector<PathId> used = evidence.owners;
  for (const Assignment& assignment : assignments) used.push_back(assignment.primary);
  return used;
}

}  // namespace

std::vector<Ballot> CompareAssignments(const Graph& graph, const Evidence& evidence,
                                       ModulePaths& paths,
                                       const IdVector<NodeId, Assignment>& assignments,
                                       const IdVector<NodeId, char>& settled) {
  const Siblings siblings(paths, UsedPaths(evidence, assignments));
  if (siblings.list_count() == 0) return {};
  Trial trial{graph, siblings, IdVector<NodeId, PathId>(graph.node_count())};
  for (NodeId node : graph.node_ids()) trial.tags[node] = assignments[node].primary;
  return HearComparisons(settled, FreshTags(), paths, trial);
}

bool TakeSecondLook(const Graph& graph, const Evidence& evidence, ModulePaths& paths,
                    IdVector<NodeId, Assignment>& assignments) {
  IdVector<NodeId, char> settled(graph.node_count(), 1);
  bool any_open = false;
  for (NodeId node : graph.node_ids()) {
    if (!IsOpen(assignments[node])) continue;
    settled[node] = 0;
    any_open = true;
  }
  if (!any_open) return false;
  const std::vector<Ballot> wishes =
      CompareAssignments(graph, evidence, paths, assignments, settled);
  for (const Ballot& wish : wishes) {
    Assignment& assignment = assignments[wish.node];
    const bool torn = assignment.confidence > kRatherSure;
    assignment.primary =
        torn ? paths.CommonAncestor(assignment.primary, wish.expected) : wish.expected;
    assignment.confidence = torn ? 1 - assignment.confidence : wish.confidence();
    assignment.method = Method::kRepaired;
    assignment.witness = NodeId();
  }
  return !wishes.empty();
}

}  // namespace onnx_hier
