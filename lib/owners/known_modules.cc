// SPDX-License-Identifier: Apache-2.0
#include "lib/owners/known_modules.h"

#include <algorithm>

#include "absl/container/flat_hash_set.h"
#include "lib/base/hash.h"
#include "lib/base/rules.h"
#include "lib/graph/parameter_parts.h"

namespace onnx_hier {
namespace {

// Which nodes read what a module made of its parameters, not the parameters themselves.
//
// A parameter may be reshaped or dequantised before it is read. But where an operator reads such
// parameters at run time elsewhere, as embeddings do, it does its module's work:
//
//   words.weight -> Gather (x)
//   bias.weight -> Gather (positions) -> Transpose -> Add (y)
class MadeConstants {
 public:
  MadeConstants(const Flow& flow, const Evidence& evidence)
      : flow_(flow), evidence_(evidence), made_by_(flow.size()) {
    for (Rank i : flow.ranks()) {
      if (!evidence.owners_of(flow.node(i)).empty()) Look(i);
    }
  }

  bool IsMaker(Rank rank) const {
    return IsOn(Rule::kMadeConstants) && made_by_[rank] == rank && IsWork(rank);
  }
  bool IsReader(Rank rank) const {
    const Rank maker = made_by_[rank];
    return IsOn(Rule::kMadeConstants) && maker.valid() && maker != rank && IsWork(maker);
  }

 private:
  bool ReadsParameter(Rank rank) const {
    const Graph& graph = flow_.graph();
    const absl::Span<const ValueId> inputs = graph.inputs(flow_.node(rank));
    return std::any_of(inputs.begin(), inputs.end(), [&](ValueId value) {
      return value.valid() && graph.value(value).kind == ValueKind::kInitializer &&
             evidence_.value_owners[value].valid();
    });
  }

  uint64_t LookAt(Rank rank) const {
    return AnchorLook(flow_.graph(), evidence_, flow_.node(rank));
  }

  bool IsWork(Rank maker) const { return at_run_time_.contains(LookAt(maker)); }

  void Look(Rank rank) {
    if (ReadsParameter(rank)) {
      if (flow_.is_constant(rank)) {
        made_by_[rank] = rank;
      } else {
        at_run_time_.insert(LookAt(rank));
      }
      return;
    }
    for (const Flow::Edge& edge : flow_.producers(rank)) {
      if (!made_by_[rank].valid() && flow_.is_constant(edge.rank)) {
        made_by_[rank] = made_by_[edge.rank];
      }
    }
  }

  const Flow& flow_;
  const Evidence& evidence_;
  IdVector<Rank, Rank> made_by_;               // the constant that reads the parameters itself
  absl::flat_hash_set<uint64_t> at_run_time_;  // looks of what reads parameters then
};

}  // namespace

PathId AnchorOf(const Evidence& evidence, NodeId node, const ModulePaths& paths) {
  PathId anchor;
  for (PathId owner : evidence.owners_of(node)) anchor = paths.Join(anchor, owner);
  return anchor;
}

uint64_t AnchorLook(const Graph& graph, const Evidence& evidence, NodeId node) {
  uint64_t look = graph.node(node).op.index();
  uint32_t slot = 0;
  for (ValueId value : graph.inputs(node)) {
    ++slot;
    if (!value.valid() || !evidence.value_owners[value].valid()) continue;
    look = MixHash(look, HashBytes(LeafOfParameterName(graph.value(value).name), slot));
  }
  return look;
}

KnownModules CollectKnown(const Flow& flow, const Evidence& evidence, const ModulePaths& paths) {
  KnownModules known(flow.size());
  std::vector<Rank> silent;
  for (Rank i : flow.ranks()) {
    const PathId place = evidence.nodes[flow.node(i)].place;
    if (place.valid()) {
      known.Settle(i, place);
    } else {
      silent.push_back(i);
    }
  }
  if (silent.empty()) return known;
  const MadeConstants made(flow, evidence);
  for (Rank i : silent) {
    if (flow.is_constant(i) && !made.IsMaker(i)) continue;
    const PathId anchor = AnchorOf(evidence, flow.node(i), paths);
    known.Presume(i, made.IsReader(i) && anchor != paths.root() ? paths.parent(anchor) : anchor);
  }
  return known;
}

}  // namespace onnx_hier
