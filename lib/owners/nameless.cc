// SPDX-License-Identifier: Apache-2.0
#include "lib/owners/nameless.h"

#include <algorithm>
#include <vector>

#include "lib/base/rules.h"
#include "lib/graph/weight.h"
#include "lib/owners/branches.h"
#include "lib/owners/callers.h"
#include "lib/owners/decider.h"
#include "lib/owners/holes.h"
#include "lib/owners/input_code.h"
#include "lib/owners/module_operators.h"
#include "lib/owners/module_templates.h"
#include "lib/owners/nameless_features.h"
#include "onnx_hier_program/threads.h"

namespace onnx_hier {
namespace {

// The score of what was presumed with less reason than by a node's own parameters.
constexpr float kPresumed = 0.85f;
// Modules that a branch may be led out of.
constexpr int kMostRetreats = 4;

constexpr Thresholds kNamelessThresholds = {.exact = 0.5f, .inside = 0.6f, .layer = 0.85f};

Basis BasisIn(PathId module, absl::string_view op_type, bool as_alike,
              const ModuleChildren& children) {
  if (children.count(module) == 0) return as_alike ? Basis::kNamelessLeaf : Basis::kNamelessInLeaf;
  if (IsModuleByItself(op_type)) return Basis::kNamelessOwn;
  return as_alike ? Basis::kNamelessAlike : Basis::kNameless;
}

// The candidates that a node may belong to by its template, and that it is not kept out of; `kept`
// holds them where some are left out. `complete`: modules that have no weight besides; or null.
absl::Span<const Candidate> WithinTemplate(const TemplatePlace& module_template,
                                           absl::Span<const PathId> not_in,
                                           const IdSet<PathId>* complete,
                                           absl::Span<const Candidate> candidates,
                                           const ModulePaths& paths, std::vector<Candidate>& kept) {
  if (!module_template.inside.valid() && not_in.empty() && complete == nullptr) return candidates;
  kept.clear();
  for (const Candidate& candidate : candidates) {
    if (module_template.inside.valid() && !paths.Contains(module_template.inside, candidate.path))
      continue;
    if (complete != nullptr && complete->Contains(candidate.path)) continue;
    if (std::find(not_in.begin(), not_in.end(), candidate.path) == not_in.end()) {
      kept.push_back(candidate);
    }
  }
  return kept.empty() && !module_template.inside.valid() ? candidates : absl::MakeConstSpan(kept);
}

bool IsListWithin(const TemplatePlace& module_template, const ModuleChildren& children) {
  return module_template.inside.valid() && children.is_list(module_template.inside);
}

class NamelessDecider {
 public:
  NamelessDecider(const GraphAnalysis& analysis, const Evidence& evidence,
                  const KnownModules& known, const OperatorCalls& calls,
                  const InferOptions& options, ModulePaths& paths,
                  IdVector<Rank, OpenDecision>& decisions)
      : analysis_(analysis),
        flow_(analysis.flow()),
        evidence_(evidence),
        known_(known),
        options_(options),
        calls_(calls),
        paths_(paths),
        decisions_(decisions),
        has_merged_(evidence.merged.HasAny()) {}

  void Decide(absl::Span<const Rank> open) {
    const Scorer scorer(options_.tables.nameless);
    const Context context(analysis_, evidence_, known_, paths_);
    call_places_ = calls_.PlacesOf(known_);
    whole_ = calls_.FindWholeLeaves(evidence_, known_, call_places_, context.children, paths_);
    FindComplete(context.children);
    const NodeDecider decider(context, scorer, kNamelessThresholds, options_.trace);
    const size_t parts = options_.threads;
    const IdVector<Rank, TemplatePlace> templates =
        IsOn(Rule::kModuleTemplates) ? FindTemplatePlaces(context, whole_, parts)
                                     : IdVector<Rank, TemplatePlace>(flow_.size());
    std::vector<Rank> weighed;
    for (Rank rank : open) {
      if (flow_.is_constant(rank)) continue;
      if (known_[rank].valid()) {
        DecideByParameters(rank);
      } else if (const Rank witness = WitnessOf(rank); witness.valid()) {
        DecideByCall(rank, witness);
      } else {
        weighed.push_back(rank);
      }
    }
    const NamelessIndex index(context, whole_, weighed);
    RunOnThreads(parts, parts, [&](size_t part) {
      Weighing weighing = {NamelessFeatures(context, index),
                           NodeDecider(context, scorer, kNamelessThresholds, options_.trace)};
      for (Rank rank : PartOf(absl::MakeConstSpan(weighed), part, parts)) {
        Weigh(rank, templates[rank], context.children, weighing);
      }
    });
    AgreeInCalls(open);
    if (IsOn(Rule::kStrayBranches)) LeaveStrayBranches(decider, templates);
    FollowCallers(context, weighed);
    PlaceInputCode(context, decider);
    FillHoles(context);
    for (size_t i = open.size(); i-- > 0;) {
      if (flow_.is_constant(open[i])) FollowReaders(decider, open[i]);
    }
    for (Rank rank : open) LeadToRoot(decisions_[rank]);
  }

 private:
  // What one thread weighs with.
  struct Weighing {
    NamelessFeatures features;
    NodeDecider decider;
    std::vector<Candidate> kept = {};  // kept for its memory
  };

  // Writes to decisions_[rank] alone.
  void Weigh(Rank rank, const TemplatePlace& module_template, const ModuleChildren& children,
             Weighing& weighing) {
    NamelessFeatures& features = weighing.features;
    NodeDecider& decider = weighing.decider;
    const absl::Span<const Candidate> all = features.Of(rank, calls_.IsOfOneCall(rank));
    // Where the node may be in a module that nothing names, what it is not in leaves the others no
    // likelier.
    const absl::Span<const PathId> not_in =
        features.misses_members() ? absl::Span<const PathId>() : module_template.not_in;
    const absl::Span<const Candidate> candidates =
        WithinTemplate(module_template, not_in, HasOwnWeight(rank) ? &complete_ : nullptr, all,
                       paths_, weighing.kept);
    if (candidates.empty() || module_template.joins || IsListWithin(module_template, children)) {
      DecideByTemplate(rank, module_template.inside, module_template.twin, children);
      return;
    }
    if (candidates.size() == 1 && module_template.twin.valid() && !features.left_out()) {
      DecideByTemplate(rank, candidates[0].path, module_template.twin, children);
      return;
    }
    const Decision decision = decider.DecideOn(rank, candidates, decisions_[rank]);
    decisions_[rank].basis = BasisOf(rank, decision, features.InLongGap(), children);
    if (options_.least_containment > 0) {
      decider.LeadOut(candidates, Basis::kNamelessBack, options_.least_containment,
                      options_.tables.containment, decisions_[rank]);
    }
  }

  // Modules without others whose parameters feed another operator than a bias's: norms, scales.
  void FindComplete(const ModuleChildren& children) {
    complete_ = IdSet<PathId>(paths_.size());
    if (!IsOn(Rule::kCompleteModules)) return;
    for (Rank rank : flow_.ranks()) {
      const PathId module = known_[rank];
      if (!module.valid() || flow_.is_constant(rank) || children.count(module) > 0) continue;
      if (!MayAddBias(flow_.graph().op(flow_.node(rank)))) complete_.Add(module);
    }
  }

  // Whether the node reads a weight that nothing names.
  bool HasOwnWeight(Rank rank) const {
    return !known_[rank].valid() && ReadsMatrix(flow_.graph(), flow_.node(rank));
  }

  PathId PlaceOf(Rank rank) const {
    return known_[rank].valid() ? known_[rank] : decisions_[rank].path;
  }

  // Of all nodes, as far as they are placed yet: constants are the last.
  IdVector<Rank, PathId> Places() const {
    IdVector<Rank, PathId> places(flow_.size());
    for (Rank rank : flow_.ranks()) places[rank] = PlaceOf(rank);
    return places;
  }

  // A node of its call whose module is known; or none.
  Rank WitnessOf(Rank rank) const {
    const Rank end = calls_.end(rank);
    return end.valid() ? call_places_[end].witness : Rank();
  }

  absl::string_view TypeOf(Rank rank) const { return flow_.graph().op(flow_.node(rank)).type; }

  Basis BasisOf(Rank rank, const Decision& decision, bool long_gap,
                const ModuleChildren& children) const {
    if (decision.backed_off) return Basis::kNamelessBack;
    const bool as_alike = decisions_[rank].idea == Idea::kTwins;
    const Basis basis = BasisIn(decision.path, TypeOf(rank), as_alike, children);
    return long_gap && basis != Basis::kNamelessOwn ? Basis::kNamelessLong : basis;
  }

  // Where its parameters are not its own, something around their module or the node was presumed.
  void DecideByParameters(Rank rank) {
    const PathId module = known_[rank];
    const PathId owner = AnchorOf(evidence_, flow_.node(rank), paths_);
    if (module == owner) {
      const absl::string_view op_type = TypeOf(rank);
      const Basis basis =
          IsWeighted(op_type) && !IsOwnersAlone(op_type) ? Basis::kAnchorMatrix : Basis::kAnchor;
      decisions_[rank] = {rank, module, basis, 1, 1, Idea::kParameters};
      NoteHeard(options_.trace, rank, {Method::kParameters, module, Rank()});
      return;
    }
    const bool made = owner != paths_.root() && module == paths_.parent(owner);
    const Idea idea = made ? Idea::kFlow : Idea::kOrder;
    decisions_[rank] = {rank, module, Basis::kNameless, kPresumed, 1, idea};
    NoteHeard(options_.trace, rank, {MethodOf(idea), module, Rank()});
  }

  // All of a call is where some of it is known to be.
  void DecideByCall(Rank rank, Rank witness) {
    decisions_[rank] = {rank, known_[witness], Basis::kAnchor, 1, 1, Idea::kFlow, witness};
    NoteHeard(options_.trace, rank, {Method::kLocality, known_[witness], witness});
  }

  // Of nodes of a call of which nothing is known the surest speaks for all.
  void AgreeInCalls(absl::Span<const Rank> open) {
    if (calls_.empty()) return;
    IdVector<Rank, Rank> surest(flow_.size());  // by the call's last node
    const auto is_weighed = [&](Rank rank) {
      return calls_.end(rank).valid() && !known_[rank].valid() && !WitnessOf(rank).valid();
    };
    for (Rank rank : open) {
      if (!is_weighed(rank)) continue;
      Rank& its = surest[calls_.end(rank)];
      if (!its.valid() || decisions_[rank].score > decisions_[its].score) its = rank;
    }
    for (Rank rank : open) {
      if (!is_weighed(rank)) continue;
      const OpenDecision& its = decisions_[surest[calls_.end(rank)]];
      if (decisions_[rank].path != its.path) Follow(its, options_.trace, decisions_[rank]);
    }
  }

  // The modules of its kind leave no choice. What is in a list is in a member that nothing names;
  // where parameters were merged, so may be others.
  void DecideByTemplate(Rank rank, PathId module, Rank twin, const ModuleChildren& children) {
    const bool may_hide = has_merged_ && children.count(module) > 0;
    const Basis basis = children.is_list(module)
                            ? Basis::kNamelessBack
                            : BasisIn(module, TypeOf(rank), /*as_alike=*/!may_hide, children);
    const Idea idea = twin.valid() && known_[twin].valid() ? Idea::kFlow : Idea::kTwins;
    decisions_[rank] = {rank, module, basis, may_hide ? kPresumed : 1, 1, idea, twin};
    NoteHeard(options_.trace, rank, {MethodOf(idea), module, twin});
  }

  // What was weighed is in the module for the sake of a neighbour, as surely as before.
  void PutBeside(Rank neighbour, PathId module, Rank rank) {
    OpenDecision& decided = decisions_[rank];
    decided.path = module;
    decided.idea = Idea::kFlow;
    decided.witness = neighbour;
    decided.retreat = Retreat::kNone;
    NoteUnweighed(options_.trace, rank);
    NoteHeard(options_.trace, rank, {Method::kLocality, module, neighbour});
  }

  // As surely as is asked for, nodes may be only where they are: then they stay.
  void FollowCallers(const Context& context, absl::Span<const Rank> weighed) {
    if (!IsOn(Rule::kCallers) || options_.least_containment > 0) return;
    for (size_t i = weighed.size(); i-- > 0;) {
      const Rank rank = weighed[i];
      const PathId caller = CallerOf(rank, flow_, paths_, context.children,
                                     [this](Rank other) { return PlaceOf(other); });
      if (!caller.valid()) continue;
      OpenDecision& decided = decisions_[rank];
      for (const Flow::Edge& edge : flow_.consumers(rank)) {
        if (known_[edge.rank].valid()) continue;
        decided.inside = std::min(decided.inside, decisions_[edge.rank].inside);
      }
      PutBeside(flow_.consumers(rank)[0].rank, caller, rank);
    }
  }

  void PlaceInputCode(const Context& context, const NodeDecider& decider) {
    const auto place = [&](const InputCodePlace& placed, bool inwards) {
      const PathId module = decider.NearestCallable(placed.module);
      const PathId before = decisions_[placed.rank].path;
      const PathId outer = inwards ? before : module;
      const PathId inner = inwards ? module : before;
      if (inner == outer || !paths_.Contains(outer, inner)) return;
      PutBeside(placed.reader, module, placed.rank);
    };
    for (InputCodePlace placed :
         PlaceBeforeParameters(flow_, known_, context.surroundings, paths_)) {
      if (!IsOn(Rule::kInputCode)) break;
      if (context.children.count(placed.module) == 0) {
        // What an embedding looks up is seldom worked out in it. Of others nobody knows.
        if (placed.module == paths_.root() || !LooksUp(placed.reader)) continue;
        placed.module = paths_.parent(placed.module);
      }
      place(placed, /*inwards=*/true);
    }
    // Of layers that read the same none has made it.
    for (const InputCodePlace& placed : PlaceWithAllReaders(flow_, known_, paths_, Places())) {
      if (!IsOn(Rule::kAllReaders)) break;
      if (context.children.is_list(placed.module)) place(placed, /*inwards=*/false);
    }
  }

  // In another order than that of the trace holes say nothing.
  void FillHoles(const Context& context) {
    if (!IsOn(Rule::kFilledHoles) || options_.least_containment > 0 || flow_.is_restored()) return;
    IdVector<Rank, float> sureness(flow_.size(), 1);
    for (Rank rank : flow_.ranks()) {
      const OpenDecision& decided = decisions_[rank];
      if (flow_.is_constant(rank) || !known_.is_open(rank)) continue;
      sureness[rank] = Calibrated(options_.tables.calibration, decided.basis, decided.score);
    }
    for (const HoleNode& node : FindHoles(flow_, paths_, context.children, Places(), sureness)) {
      PutBeside(node.neighbour, node.module, node.rank);
    }
  }

  // Whether the node reads something in its parameter, not the parameter for something.
  bool LooksUp(Rank rank) const {
    const absl::Span<const ValueId> inputs = flow_.graph().inputs(flow_.node(rank));
    return !inputs.empty() && inputs[0].valid() && evidence_.value_owners[inputs[0]].valid();
  }

  // Of what was not weighed nobody knows how surely the modules around its own one hold it.
  void LeadToRoot(OpenDecision& decided) const {
    if (Calibrated(options_.tables.containment, decided.basis, decided.inside) >=
        options_.least_containment) {
      return;
    }
    decided.path = paths_.root();
    decided.retreat = Retreat::kUnsure;
  }

  // Branches that show no sign of their module are only somewhere around it.
  void LeaveStrayBranches(const NodeDecider& decider,
                          const IdVector<Rank, TemplatePlace>& templates) {
    IdVector<Rank, PathId> places(flow_.size());
    IdSet<Rank> is_anchored(flow_.size());
    for (Rank rank : flow_.ranks()) {
      if (flow_.is_constant(rank)) continue;
      places[rank] = PlaceOf(rank);
      if (known_[rank].valid() || templates[rank].inside.valid()) is_anchored.Add(rank);
    }
    for (int pass = 0; pass < kMostRetreats; ++pass) {
      const std::vector<Rank> strays = FindStrayBranches(flow_, paths_, places, is_anchored);
      for (Rank rank : strays) {
        if (places[rank] == paths_.root()) continue;
        OpenDecision& decided = decisions_[rank];
        decided.path = places[rank] = decider.NearestCallable(paths_.parent(places[rank]));
        decided.retreat = Retreat::kUnsure;
        decided.basis = Basis::kNamelessBack;
      }
      if (strays.empty()) break;
    }
  }

  // A constant belongs where all that read it belong, as surely as the least sure of these.
  void FollowReaders(const NodeDecider& decider, Rank rank) {
    OpenDecision& decided = decisions_[rank];
    if (known_[rank].valid()) {
      DecideByParameters(rank);
      return;
    }
    decided = {rank, PathId(), Basis::kReaders, 1, 1, Idea::kFlow, Rank(), Retreat::kNone, true};
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
    const bool is_anchored = least_sure == Basis::kAnchor || least_sure == Basis::kAnchorMatrix;
    if (agree) decided.basis = is_anchored ? Basis::kBeforeAnchor : least_sure;
    if (decided.path.valid() && !agree) decided.path = decider.NearestCallable(decided.path);
    if (decided.path.valid()) return;
    decided.path = paths_.root();
    decided.score = 0;
  }

  const GraphAnalysis& analysis_;
  const Flow& flow_;
  const Evidence& evidence_;
  const KnownModules& known_;
  const InferOptions& options_;
  const OperatorCalls& calls_;
  ModulePaths& paths_;
  IdVector<Rank, OpenDecision>& decisions_;
  OperatorCalls::Places call_places_;  // of no size: there are none
  IdSet<PathId> whole_;                // that have all of their nodes
  IdSet<PathId> complete_;             // see FindComplete()
  const bool has_merged_;              // some parameters stand for those of other modules
};

}  // namespace

void DecideNameless(const GraphAnalysis& analysis, const Evidence& evidence,
                    const KnownModules& known, const OperatorCalls& calls,
                    absl::Span<const Rank> open, const InferOptions& options, ModulePaths& paths,
                    IdVector<Rank, OpenDecision>& decisions) {
  NamelessDecider(analysis, evidence, known, calls, options, paths, decisions).Decide(open);
}

}  // namespace onnx_hier
