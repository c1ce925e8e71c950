#include "lib/infer/decisions.h"

#include <algorithm>
#include <utility>

#include "lib/features/nameless_features.h"
#include "lib/features/shells.h"
#include "lib/graph/weight.h"
#include "lib/infer/bound_constants.h"
#include "lib/infer/branches.h"
#include "lib/infer/decider.h"
#include "lib/infer/infer.h"
#include "lib/infer/input_code.h"
#include "lib/infer/named_pass.h"

namespace onnx_hier {
namespace {

// Below this share of nodes with a name of their own, parameters say more than these.
constexpr double kNamelessShare = 0.02;
// A decision of the first pass that counts as known in the second; nearly all of these are right.
constexpr float kSure = 0.95f;
constexpr int kMostPasses = 2;
// The score of what was presumed with less reason than by a node's own parameters.
constexpr float kPresumed = 0.85f;
// Modules that a branch may be led out of.
constexpr int kMostRetreats = 4;

constexpr Thresholds kNamelessThresholds = {.exact = 0.5f, .inside = 0.6f, .layer = 0.85f};

Basis NamelessBasis(const Decision& decision, bool long_gap, const ModuleChildren& children) {
  if (decision.backed_off) return Basis::kNamelessBack;
  if (long_gap) return Basis::kNamelessLong;
  return children.count(decision.path) > 0 ? Basis::kNameless : Basis::kNamelessLeaf;
}

// The candidates that a node may belong to by its shell; `kept` holds them where some are left out.
absl::Span<const Candidate> WithinShell(const Shell& shell, absl::Span<const Candidate> candidates,
                                        const ModulePaths& paths, std::vector<Candidate>& kept) {
  if (!shell.inside.valid() && !shell.outside.valid()) return candidates;
  kept.clear();
  for (const Candidate& candidate : candidates) {
    if (shell.inside.valid() && !paths.Contains(shell.inside, candidate.path)) continue;
    if (candidate.path != shell.outside) kept.push_back(candidate);
  }
  return kept.empty() && !shell.inside.valid() ? candidates : absl::MakeConstSpan(kept);
}

bool IsListWithin(const Shell& shell, const ModuleChildren& children) {
  return shell.inside.valid() && children.is_list(shell.inside);
}

class OpenNodeDecider {
 public:
  OpenNodeDecider(const GraphAnalysis& analysis, const Evidence& evidence, KnownModules known,
                  const InferOptions& options, ModulePaths& paths)
      : analysis_(analysis),
        flow_(analysis.flow()),
        evidence_(evidence),
        known_(std::move(known)),
        options_(options),
        paths_(paths) {}

  std::vector<OpenDecision> Run() {
    std::vector<Rank> open;
    for (Rank i : flow_.ranks()) {
      if (known_.is_open(i)) open.push_back(i);
    }
    if (open.empty()) return {};
    decisions_.resize(flow_.size());
    if (IsNameless(flow_, known_)) {
      DecideNameless(open);
    } else {
      DecideInPasses(open);
    }
    std::vector<OpenDecision> decisions;
    decisions.reserve(open.size());
    for (Rank rank : open) decisions.push_back(decisions_[rank]);
    return decisions;
  }

 private:
  void DecideInPasses(const std::vector<Rank>& open) {
    SettleByWeights(open);
    bound_ = FindBoundConstants(flow_);
    JoinKnown();
    std::vector<Rank> unsure;
    for (Rank rank : open) {
      if (known_.is_open(rank)) unsure.push_back(rank);
    }
    for (int pass = 0; pass < kMostPasses && !unsure.empty(); ++pass) {
      const Context context(analysis_, evidence_, known_, paths_);
      DecideNamed(context, unsure, options_, paths_, decisions_);
      AgreeWithConstants();
      const size_t before = unsure.size();
      SettleSure(unsure);
      if (unsure.size() == before) break;
    }
  }

  // Of the 274 nodes of 37 exports with known owners that so read a weight with a name, all are in
  // that weight's module.
  void SettleByWeights(const std::vector<Rank>& open) {
    const Graph& graph = flow_.graph();
    for (Rank rank : open) {
      const NodeId node = flow_.node(rank);
      if (!IsOwnersAlone(graph.op(node).type)) continue;
      const ValueId weight = LargestWeight(graph, node);
      if (!weight.valid() || graph.uses(weight).size() > 1) continue;
      const PathId owner = evidence_.value_owners[weight];
      if (!owner.valid()) continue;
      decisions_[rank] = {rank, owner, Basis::kNamed, 1, 1, Idea::kParameters};
      known_.Settle(rank, owner);
    }
  }

  // A node is where its own constants are known to be, and they are where it is.
  void JoinKnown() {
    for (const BoundConstant& pair : bound_) {
      if (known_.is_open(pair.reader) && !known_.is_open(pair.constant)) {
        Join(pair.reader, pair.constant);
      }
    }
    for (const BoundConstant& pair : bound_) {
      if (known_.is_open(pair.constant) && !known_.is_open(pair.reader)) {
        Join(pair.constant, pair.reader);
      }
    }
  }

  void Join(Rank rank, Rank known) {
    decisions_[rank] = {rank, known_[known], Basis::kNamed, 1, 1, Idea::kFlow, known};
    decisions_[rank].by_readers = flow_.is_constant(rank);
    known_.Settle(rank, known_[known]);
    Hear(rank, decisions_[rank].by_readers ? Method::kReaders : Method::kLocality, known_[known],
         known);
  }

  // A node and its own constants are in one module: the one that is the surest of any of them.
  void AgreeWithConstants() {
    for (const BoundConstant& pair : bound_) {
      if (known_.is_open(pair.reader)) Follow(pair.reader, pair.constant);
    }
    for (const BoundConstant& pair : bound_) {
      if (known_.is_open(pair.reader)) Follow(pair.constant, pair.reader);
    }
  }

  void Follow(Rank rank, Rank other) {
    OpenDecision& own = decisions_[rank];
    const OpenDecision& surer = decisions_[other];
    if (own.path == surer.path || own.score >= surer.score) return;
    own = surer;
    own.rank = rank;
    own.idea = Idea::kFlow;
    own.witness = other;
    own.by_readers = flow_.is_constant(rank);
    if (options_.trace == nullptr) return;
    if (WeighedNode* weighed = options_.trace->Find(rank); weighed != nullptr) {
      weighed->leads.clear();
    }
  }

  // What is sure counts as known from now on, and leaves the list.
  void SettleSure(std::vector<Rank>& unsure) {
    size_t kept = 0;
    for (Rank rank : unsure) {
      if (decisions_[rank].score >= kSure) {
        known_.Settle(rank, decisions_[rank].path);
      } else {
        unsure[kept++] = rank;
      }
    }
    unsure.resize(kept);
  }

  void DecideNameless(const std::vector<Rank>& open) {
    const Scorer scorer(options_.tables.nameless);
    const Context context(analysis_, evidence_, known_, paths_);
    NamelessFeatures features(context);
    NodeDecider decider(context, scorer, kNamelessThresholds, options_.trace);
    const IdVector<Rank, Shell> shells = FindShells(context);
    std::vector<Candidate> kept;
    for (Rank rank : open) {
      if (flow_.is_constant(rank)) continue;
      if (known_[rank].valid()) {
        DecideByParameters(rank);
        continue;
      }
      const Shell& shell = shells[rank];
      const absl::Span<const Candidate> candidates =
          WithinShell(shell, features.Of(rank), paths_, kept);
      if (candidates.empty() || shell.joins || IsListWithin(shell, context.children)) {
        DecideByShell(rank, shell.inside, shell.twin, context.children);
        continue;
      }
      if (candidates.size() == 1 && shell.twin.valid()) {
        DecideByShell(rank, candidates[0].path, shell.twin, context.children);
        continue;
      }
      const Decision decision = decider.DecideOn(rank, candidates, decisions_[rank]);
      decisions_[rank].basis = NamelessBasis(decision, features.InLongGap(), context.children);
      if (options_.least_containment > 0) {
        decider.LeadOut(candidates, Basis::kNamelessBack, options_.least_containment,
                        options_.tables.containment, decisions_[rank]);
      }
    }
    LeaveStrayBranches(decider);
    PlaceInputCode(context, decider);
    for (size_t i = open.size(); i-- > 0;) {
      if (flow_.is_constant(open[i])) FollowReaders(decider, open[i]);
    }
    for (Rank rank : open) LeadToRoot(decisions_[rank]);
  }

  // Where its parameters are not its own, something around their module or the node was presumed.
  void DecideByParameters(Rank rank) {
    const PathId module = known_[rank];
    const PathId owner = AnchorOf(evidence_, flow_.node(rank), paths_);
    if (module == owner) {
      decisions_[rank] = {rank, module, Basis::kAnchor, 1, 1, Idea::kParameters};
      Hear(rank, Method::kParameters, module, Rank());
      return;
    }
    const bool made = owner != paths_.root() && module == paths_.parent(owner);
    const Idea idea = made ? Idea::kFlow : Idea::kOrder;
    decisions_[rank] = {rank, module, Basis::kNameless, kPresumed, 1, idea};
    Hear(rank, MethodOf(idea), module, Rank());
  }

  // The modules of its kind leave no choice. What is in a list is in a member that nothing names.
  void DecideByShell(Rank rank, PathId module, Rank twin, const ModuleChildren& children) {
    const Basis basis = children.is_list(module)     ? Basis::kNamelessBack
                        : children.count(module) > 0 ? Basis::kNameless
                                                     : Basis::kNamelessLeaf;
    decisions_[rank] = {rank, module, basis, 1, 1, Idea::kTwins, twin};
    Hear(rank, Method::kRepetition, module, twin);
  }

  void PlaceInputCode(const Context& context, const NodeDecider& decider) {
    const auto place = [&](const InputCodePlace& placed, bool inwards) {
      const PathId module = decider.NearestCallable(placed.module);
      OpenDecision& decided = decisions_[placed.rank];
      const PathId outer = inwards ? decided.path : module;
      const PathId inner = inwards ? module : decided.path;
      if (inner == outer || !paths_.Contains(outer, inner)) return;
      decided.path = module;
      decided.idea = Idea::kFlow;
      decided.witness = placed.reader;
      decided.retreat = Retreat::kNone;
      if (options_.trace == nullptr) return;
      WeighedNode* const weighed = options_.trace->Find(placed.rank);
      if (weighed != nullptr) weighed->leads.clear();
      Hear(placed.rank, Method::kLocality, module, placed.reader);
    };
    for (InputCodePlace placed :
         PlaceBeforeParameters(flow_, known_, context.surroundings, paths_)) {
      if (context.children.count(placed.module) == 0) {
        // What an embedding looks up is seldom worked out in it. Of others nobody knows.
        if (placed.module == paths_.root() || !LooksUp(placed.reader)) continue;
        placed.module = paths_.parent(placed.module);
      }
      place(placed, /*inwards=*/true);
    }
    IdVector<Rank, PathId> places(flow_.size());
    for (Rank rank : flow_.ranks()) {
      places[rank] = known_[rank].valid() ? known_[rank] : decisions_[rank].path;
    }
    // Of layers that read the same none has made it.
    for (const InputCodePlace& placed : PlaceWithAllReaders(flow_, known_, paths_, places)) {
      if (context.children.is_list(placed.module)) place(placed, /*inwards=*/false);
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
  void LeaveStrayBranches(const NodeDecider& decider) {
    IdVector<Rank, PathId> places(flow_.size());
    IdSet<Rank> is_anchored(flow_.size());
    for (Rank rank : flow_.ranks()) {
      if (flow_.is_constant(rank)) continue;
      places[rank] = known_[rank].valid() ? known_[rank] : decisions_[rank].path;
      if (known_[rank].valid()) is_anchored.Add(rank);
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
      Hear(rank, Method::kReaders, reader, edge.rank);
    }
    if (agree) decided.basis = least_sure;
    if (decided.path.valid() && !agree) decided.path = decider.NearestCallable(decided.path);
    if (decided.path.valid()) return;
    decided.path = paths_.root();
    decided.score = 0;
  }

  // What was not weighed is traced as well.
  void Hear(Rank rank, Method method, PathId path, Rank witness) const {
    if (options_.trace == nullptr) return;
    WeighedNode* const weighed = options_.trace->Find(rank);
    if (weighed != nullptr) weighed->heard.push_back({method, path, witness});
  }

  const GraphAnalysis& analysis_;
  const Flow& flow_;
  const Evidence& evidence_;
  KnownModules known_;
  const InferOptions& options_;
  ModulePaths& paths_;
  IdVector<Rank, OpenDecision> decisions_;
  std::vector<BoundConstant> bound_;
};

}  // namespace

Method MethodOf(Idea idea) {
  switch (idea) {
    case Idea::kTwins:
      return Method::kRepetition;
    case Idea::kParameters:
      return Method::kParameters;
    case Idea::kStructure:
      return Method::kStructure;
    case Idea::kFlow:
      return Method::kLocality;
    case Idea::kOrder:
      return Method::kOrder;
    case Idea::kPrior:
      break;
  }
  return Method::kNone;
}

bool IsNameless(const Flow& flow, const KnownModules& known) {
  uint32_t settled = 0;
  for (Rank i : flow.ranks()) settled += known.is_open(i) ? 0 : 1;
  return settled < kNamelessShare * static_cast<double>(flow.size());
}

std::vector<OpenDecision> DecideOpenNodes(const GraphAnalysis& analysis, const Evidence& evidence,
                                          KnownModules known, const InferOptions& options,
                                          ModulePaths& paths) {
  return OpenNodeDecider(analysis, evidence, std::move(known), options, paths).Run();
}

void PlaceByDecisions(const GraphAnalysis& analysis, const Evidence& evidence,
                      const KnownModules& known, const InferOptions& options, ModulePaths& paths,
                      Assignments& assignments) {
  const Flow& flow = analysis.flow();
  for (const OpenDecision& decision : DecideOpenNodes(analysis, evidence, known, options, paths)) {
    Assignment& assignment = assignments[flow.node(decision.rank)];
    assignment.primary = decision.path;
    assignment.method = decision.by_readers ? Method::kReaders : MethodOf(decision.idea);
    assignment.retreat = decision.retreat;
    assignment.confidence = Calibrated(options.tables.calibration, decision.basis, decision.score);
    assignment.containment =
        decision.path == paths.root()
            ? 1
            : std::max(assignment.confidence,
                       Calibrated(options.tables.containment, decision.basis, decision.inside));
    if (decision.witness.valid()) assignment.witness = flow.node(decision.witness);
  }
}

}  // namespace onnx_hier
