// SPDX-License-Identifier: Apache-2.0
#include "lib/owners/leaves.h"

#include <algorithm>
#include <vector>

#include "absl/types/span.h"
#include "lib/base/rules.h"
#include "lib/graph/integer_operator.h"
#include "lib/graph/weight.h"
#include "lib/names/module_children.h"
#include "lib/owners/infer.h"

namespace onnx_hier {
namespace {

// How often such a node is exactly there: no kernel of 326, 75 of 799 matrices (attentions that
// multiply by their own), in 197 files of 59 models whose names were taken away.
constexpr float kKernelInContainer = 0.005f;
constexpr float kMatrixInContainer = 0.1f;

bool IsGuessed(const Evidence& evidence, NodeId node) {
  return !evidence.nodes[node].place.valid() && evidence.owners_of(node).empty();
}

// An operator that has a weight to itself is in a leaf, as a rule.
void DoubtWeightsInContainers(const Graph& graph, const ModuleChildren& children,
                              absl::Span<const NodeId> guessed, Assignments& assignments) {
  for (NodeId node : guessed) {
    Assignment& assignment = assignments[node];
    if (children.count(assignment.primary) == 0 || !HasOwnWeight(graph, node)) continue;
    assignment.confidence =
        std::min(assignment.confidence,
                 IsOwnersAlone(graph.op(node).type) ? kKernelInContainer : kMatrixInContainer);
  }
}

// What quantisers made of one operator is in one place: the leaf that any of it is the surest to be
// in, else where the operator is.
void JoinIntegers(const Graph& graph, const Evidence& evidence, const ModuleChildren& children,
                  Assignments& assignments) {
  const auto is_integer = [&](OpId op) { return IsIntegerOperator(graph.op(op).type); };
  bool any = false;
  for (OpId op : graph.op_ids()) any = any || is_integer(op);
  if (!any) return;
  for (NodeId node : graph.node_ids()) {
    if (!is_integer(graph.node(node).op)) continue;
    const IntegerOperator integer = IntegerOperatorAt(graph, node);
    const NodeId all[] = {node, integer.cast, integer.scaling, integer.scales};
    NodeId surest = node;
    for (NodeId other : all) {
      if (!other.valid() || children.count(assignments[other].primary) > 0) continue;
      const bool is_surer = assignments[other].confidence > assignments[surest].confidence;
      if (is_surer || children.count(assignments[surest].primary) > 0) surest = other;
    }
    for (NodeId other : all) {
      if (!other.valid() || other == surest || !IsGuessed(evidence, other)) continue;
      assignments[other] = assignments[surest];
      assignments[other].method = Method::kLocality;
      assignments[other].witness = surest;
    }
  }
}

// A list owns no node: what is around it and may be called does.
void LeaveLists(const Evidence& evidence, const ModulePaths& paths, const ModuleChildren& children,
                absl::Span<const NodeId> guessed, Assignments& assignments) {
  for (NodeId node : guessed) {
    Assignment& assignment = assignments[node];
    while (assignment.primary != paths.root() && children.is_list(assignment.primary) &&
           !evidence.called.Contains(assignment.primary)) {
      assignment.primary = paths.parent(assignment.primary);
    }
  }
}

}  // namespace

void CorrectByLeaves(const Flow& flow, const Evidence& evidence, const ModulePaths& paths,
                     Assignments& assignments) {
  std::vector<NodeId> guessed;
  for (NodeId node : flow.graph().node_ids()) {
    if (IsGuessed(evidence, node)) guessed.push_back(node);
  }
  if (guessed.empty()) return;
  // A leaf that nodes are moved out of stays one: it has its parameters.
  const ModuleChildren children(paths, UsedPaths(evidence, assignments));
  if (evidence.called.size() > 0 && IsOn(Rule::kOutOfLists)) {
    LeaveLists(evidence, paths, children, guessed, assignments);
  }
  if (IsOn(Rule::kWeightsInContainers)) {
    DoubtWeightsInContainers(flow.graph(), children, guessed, assignments);
  }
  if (IsOn(Rule::kJoinedIntegers)) {
    JoinIntegers(flow.graph(), evidence, children, assignments);
  }
}

}  // namespace onnx_hier
