// SPDX-License-Identifier: Apache-2.0
#include "lib/owners/leaves.h"

#include <algorithm>
#include <cstdint>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "absl/strings/string_view.h"
#include "absl/types/span.h"
#include "lib/base/rules.h"
#include "lib/graph/integer_operator.h"
#include "lib/graph/node_look.h"
#include "lib/graph/weight.h"
#include "lib/names/module_children.h"
#include "lib/owners/infer.h"
#include "lib/owners/module_operators.h"
#include "lib/owners/parameter_reads.h"

namespace onnx_hier {
namespace {

// How often such a node is exactly there: no kernel of 326, 75 of 799 matrices (attentions that
// multiply by their own), in 197 files of 59 models whose names were taken away.
constexpr float kKernelInContainer = 0.005f;
constexpr float kMatrixInContainer = 0.1f;

// Of 13 nodes of 2 models with known owners that are moved out of a leaf, 5 lie in the module
// around it, none is its own.
constexpr float kAroundLeaf = 0.2f;
constexpr float kInsideAroundLeaf = 0.5f;

// Of 30 activations and pools behind the last known member of a list, in 12 models, that were put
// around the list, 10 are there, 8 of them in one model; 17 are in a member that nothing names.
constexpr float kBehindList = 0.3f;

bool IsGuessed(const Evidence& evidence, NodeId node) {
  return !evidence.nodes[node].place.valid() && evidence.owners_of(node).empty();
}

void MoveOut(PathId around, bool to_root, Assignment& assignment) {
  assignment.primary = around;
  assignment.retreat = Retreat::kUnsure;
  assignment.confidence = std::min(assignment.confidence, kAroundLeaf);
  assignment.containment = to_root ? 1 : std::min(assignment.containment, kInsideAroundLeaf);
}

// What stands between two calls of a leaf is in neither: moves nodes out of leaves whose weights
// are read more often than they have such nodes.
void LeaveRepeatedLeaves(const Flow& flow, const Evidence& evidence, const ModulePaths& paths,
                         const ModuleChildren& children, absl::Span<const NodeId> guessed_nodes,
                         Assignments& assignments) {
  const Graph& graph = flow.graph();
  IdSet<PathId> guessed(paths.size());  // modules that have guessed nodes
  for (NodeId node : guessed_nodes) guessed.Add(assignments[node].primary);
  IdVector<PathId, uint32_t> calls(paths.size(), 0);
  FindParameterReads(
      flow, evidence,
      [&](PathId owner, Rank rank) {
        const NodeId node = flow.node(rank);
        return guessed.Has(owner) && children.count(owner) == 0 &&
               assignments[node].primary == owner && IsWeighted(graph.op(node).type);
      },
      [&](PathId owner, absl::Span<const Rank> readers) {
        calls[owner] = std::max(calls[owner], static_cast<uint32_t>(readers.size()));
      });
  absl::flat_hash_map<uint64_t, std::vector<NodeId>> alike;  // nodes of a module
  for (NodeId node : graph.node_ids()) {
    const PathId module = assignments[node].primary;
    if (calls[module] < 2) continue;
    alike[MixHash(module.index(), LookOfOperator(graph, node))].push_back(node);
  }
  for (const auto& [look, nodes] : alike) {
    const PathId leaf = assignments[nodes.front()].primary;
    if (nodes.size() >= calls[leaf]) continue;
    PathId around = leaf;
    do {
      around = paths.parent(around);
    } while (around != paths.root() && (children.is_list(around) || !evidence.IsCandidate(around)));
    for (NodeId node : nodes) {
      if (IsGuessed(evidence, node)) MoveOut(around, around == paths.root(), assignments[node]);
    }
  }
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

// Where a Sequential ends with an activation or a pool, nothing names that.
void DoubtBehindLists(const Flow& flow, const ModulePaths& paths, const ModuleChildren& children,
                      absl::Span<const NodeId> guessed, Assignments& assignments) {
  const Graph& graph = flow.graph();
  for (NodeId node : guessed) {
    Assignment& assignment = assignments[node];
    if (assignment.confidence <= kBehindList || !IsModuleByItself(graph.op(node).type)) continue;
    const absl::Span<const Flow::Edge> producers = flow.producers(flow.rank(node));
    if (producers.empty()) continue;
    const PathId member = assignments[flow.node(producers[0].rank)].primary;
    if (!children.is_last_member(member, paths)) continue;
    const PathId list = paths.parent(member);
    if (assignment.primary == list || !paths.Contains(assignment.primary, list)) continue;
    assignment.confidence = kBehindList;
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
  if (IsOn(Rule::kRepeatedLeaves)) {
    LeaveRepeatedLeaves(flow, evidence, paths, children, guessed, assignments);
  }
  if (IsOn(Rule::kWeightsInContainers)) {
    DoubtWeightsInContainers(flow.graph(), children, guessed, assignments);
  }
  if (IsOn(Rule::kJoinedIntegers)) {
    JoinIntegers(flow.graph(), evidence, children, assignments);
  }
  if (IsOn(Rule::kBehindLists)) DoubtBehindLists(flow, paths, children, guessed, assignments);
}

}  // namespace onnx_hier
