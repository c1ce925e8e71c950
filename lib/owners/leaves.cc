// SPDX-License-Identifier: Apache-2.0
#include "lib/owners/leaves.h"

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

// A module that nothing is known to be in, and so many nodes with weights that no name tells of: it
// holds the modules that these are of. 10 of 151 such nodes of 3,500 files are exactly there.
constexpr uint32_t kSeveralWeights = 2;

bool IsGuessed(const Evidence& evidence, NodeId node) {
  return !evidence.nodes[node].place.valid() && evidence.owners_of(node).empty();
}

// An operator that has a weight to itself is in a leaf, as a rule.
void DoubtWeightsInContainers(const Graph& graph, const ModulePaths& paths,
                              const ModuleChildren& children, absl::Span<const NodeId> guessed,
                              NodeOwners& owners) {
  std::vector<NodeId> weighted;
  IdVector<PathId, uint32_t> weights(paths.size());
  for (NodeId node : guessed) {
    if (!HasOwnWeight(graph, node)) continue;
    weighted.push_back(node);
    ++weights[owners[node].primary];
  }
  for (NodeId node : weighted) {
    const PathId module = owners[node].primary;
    if (children.count(module) == 0 && weights[module] < kSeveralWeights) continue;
    owners.Doubt(node,
                 IsOwnersAlone(graph.op(node).type) ? kKernelInContainer : kMatrixInContainer);
  }
}

// What quantisers made of one operator is in one place: the leaf that any of it is the surest to be
// in, else where the operator is.
void JoinIntegers(const Graph& graph, const Evidence& evidence, const ModuleChildren& children,
                  NodeOwners& owners) {
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
      if (!other.valid() || children.count(owners[other].primary) > 0) continue;
      const bool is_surer = owners[other].confidence > owners[surest].confidence;
      if (is_surer || children.count(owners[surest].primary) > 0) surest = other;
    }
    for (NodeId other : all) {
      if (!other.valid() || other == surest || !IsGuessed(evidence, other)) continue;
      Assignment owner = owners[surest];
      owner.method = Method::kLocality;
      owner.witness = surest;
      owners.Decide(other, owner);
    }
  }
}

// A list owns no node: what is around it and may be called does.
void LeaveLists(const Evidence& evidence, const ModulePaths& paths, const ModuleChildren& children,
                absl::Span<const NodeId> guessed, NodeOwners& owners) {
  for (NodeId node : guessed) {
    PathId module = owners[node].primary;
    while (module != paths.root() && children.is_list(module) &&
           !evidence.called.Contains(module)) {
      module = paths.parent(module);
    }
    owners.Move(node, module);
  }
}

}  // namespace

void CorrectByLeaves(const Flow& flow, const Evidence& evidence, const ModulePaths& paths,
                     NodeOwners& owners) {
  std::vector<NodeId> guessed;
  for (NodeId node : flow.graph().node_ids()) {
    if (IsGuessed(evidence, node)) guessed.push_back(node);
  }
  if (guessed.empty()) return;
  // A leaf that nodes are moved out of stays one: it has its parameters.
  const ModuleChildren children(paths, UsedPaths(evidence, owners));
  if (evidence.called.size() > 0 && IsOn(Rule::kOutOfLists)) {
    LeaveLists(evidence, paths, children, guessed, owners);
  }
  if (IsOn(Rule::kWeightsInContainers)) {
    DoubtWeightsInContainers(flow.graph(), paths, children, guessed, owners);
  }
  if (IsOn(Rule::kJoinedIntegers)) {
    JoinIntegers(flow.graph(), evidence, children, owners);
  }
}

}  // namespace onnx_hier
