// SPDX-License-Identifier: Apache-2.0
#include "lib/owners/nameless.h"

#include <algorithm>
#include <optional>
#include <vector>

#include "lib/graph/weight.h"
#include "lib/owners/context.h"
#include "lib/owners/scorer.h"
#include "lib/owners/walk.h"
#include "lib/owners/walk_decisions.h"

namespace onnx_hier {
namespace {

// The score of what was presumed with less reason than by a node's own parameters.
constexpr float kPresumed = 0.85f;

class NamelessDecider {
 public:
  NamelessDecider(const GraphAnalysis& analysis, const Evidence& evidence,
                  const NamelessModules& modules, const InferOptions& options, ModulePaths& paths,
                  IdVector<Rank, OpenDecision>& decisions)
      : analysis_(analysis),
        flow_(analysis.flow()),
        evidence_(evidence),
        known_(modules.said),
        joined_(modules.known),
        bound_(modules.bound),
        options_(options),
        paths_(paths),
        decisions_(decisions),
        owners_(paths.size()) {
    for (PathId owner : evidence.value_owners) {
      if (owner.valid() && owner != paths.root()) owners_.Add(owner);
    }
  }

  void Decide(absl::Span<const Rank> open) {
    const Context context(analysis_, evidence_, known_, paths_);
    for (Rank rank : open) {
      if (joined_.is_open(rank) && known_[rank].valid() && !flow_.is_constant(rank)) {
        DecideByParameters(rank);
      }
    }
    const Walk walk(context);
    const std::vector<Lattice> likely = AskWalk(walk, NamesLeft::kNone, std::nullopt, options_);
    std::vector<Rank> weighed;
    for (size_t r = 0; r < likely.size(); ++r) {
      const WalkRun& run = walk.runs()[r];
      for (size_t node = 0; node < run.nodes.size(); ++node) {
        const Rank rank = run.nodes[node];
        if (!joined_.is_open(rank)) continue;
        if (!flow_.is_constant(rank)) weighed.push_back(rank);
        decisions_[rank] = DecideByWalk(run, node, likely[r], NamesLeft::kNone, context, options_);
        NoteWalk(run, node, likely[r], context, decisions_[rank], options_.trace);
      }
    }
    bound_.Agree(weighed, options_, decisions_);
    for (size_t i = open.size(); i-- > 0;) {
      if (flow_.is_constant(open[i])) FollowReaders(context, open[i]);
    }
    for (Rank rank : open) LeadToRoot(decisions_[rank]);
  }

 private:
  absl::string_view TypeOf(Rank rank) const { return flow_.graph().op(flow_.node(rank)).type; }

  Basis BasisAt(Rank rank, PathId owner) const {
    const absl::string_view op_type = TypeOf(rank);
    if (!IsWeighted(op_type) || IsOwnersAlone(op_type)) return Basis::kAnchor;
    const bool is_lent = owner != paths_.root() && owners_.Has(paths_.parent(owner));
    return is_lent ? Basis::kLentMatrix : Basis::kAnchorMatrix;
  }

  // Where its parameters are not its own, something around their module or the node was presumed.
  void DecideByParameters(Rank rank) {
    const PathId module = known_[rank];
    const PathId owner = AnchorOf(evidence_, flow_.node(rank), paths_);
    if (module == owner) {
      decisions_[rank] = {rank, module, BasisAt(rank, owner), 1, 1, Method::kParameters};
      NoteHeard(options_.trace, rank, {Method::kParameters, module, Rank()});
      return;
    }
    const bool made = owner != paths_.root() && module == paths_.parent(owner);
    const Method method = made ? Method::kLocality : Method::kOrder;
    decisions_[rank] = {rank, module, Basis::kNameless, kPresumed, 1, method};
    NoteHeard(options_.trace, rank, {method, module, Rank()});
  }

  // Of what was not weighed nobody knows how surely the modules around its own one hold it.
  void LeadToRoot(OpenDecision& decided) const {
    if (Calibrated(options_.tables.containment, decided.basis, decided.inside) >=
        options_.least.At(decided.path)) {
      return;
    }
    decided.path = paths_.root();
    decided.retreat = Retreat::kUnsure;
  }

  // A constant belongs where all that read it belong, as surely as the least sure of these.
  void FollowReaders(const Context& context, Rank rank) {
    OpenDecision& decided = decisions_[rank];
    if (known_[rank].valid()) {
      DecideByParameters(rank);
      return;
    }
    decided = {rank, PathId(), Basis::kReaders, 1, 1, Method::kReaders};
    bool agree = true;
    Basis least_sure = Basis::kReaders;
    for (const Flow::Edge& edge : flow_.consumers(rank)) {
      const bool open = known_.is_open(edge.rank);
      PathId reader = open ? decisions_[edge.rank].path : known_[edge.rank];
      // What an embedding looks up is seldom worked out in it.
      if (open && flow_.is_constant(edge.rank) && known_[edge.rank].valid() &&
          !flow_.producers(rank).empty() && reader != paths_.root()) {
        reader = paths_.parent(reader);
      }
      agree &= !decided.path.valid() || decided.path == reader;
      decided.path = paths_.Join(decided.path, reader);
      if (open) decided.inside = std::min(decided.inside, decisions_[edge.rank].inside);
      if (open && decisions_[edge.rank].score <= decided.score) {
        decided.score = decisions_[edge.rank].score;
        least_sure = decisions_[edge.rank].basis;
      }
      if (!decided.witness.valid()) decided.witness = edge.rank;
      NoteHeard(options_.trace, rank, {Method::kReaders, reader, edge.rank});
    }
    const bool is_anchored = least_sure == Basis::kAnchor || least_sure == Basis::kAnchorMatrix ||
                             least_sure == Basis::kLentMatrix;
    if (agree) decided.basis = is_anchored ? Basis::kBeforeAnchor : least_sure;
    if (decided.path.valid() && !agree) decided.path = context.NearestCallable(decided.path);
    if (decided.path.valid()) return;
    decided.path = paths_.root();
    decided.score = 0;
  }

  const GraphAnalysis& analysis_;
  const Flow& flow_;
  const Evidence& evidence_;
  const KnownModules& known_;
  const KnownModules& joined_;  // with what nodes are bound to
  const BoundNodes& bound_;
  const InferOptions& options_;
  ModulePaths& paths_;
  IdVector<Rank, OpenDecision>& decisions_;
  IdSet<PathId> owners_;  // modules that have parameters
};

}  // namespace

void DecideNameless(const GraphAnalysis& analysis, const Evidence& evidence,
                    const NamelessModules& modules, absl::Span<const Rank> open,
                    const InferOptions& options, ModulePaths& paths,
                    IdVector<Rank, OpenDecision>& decisions) {
  NamelessDecider(analysis, evidence, modules, options, paths, decisions).Decide(open);
}

}  // namespace onnx_hier
