// SPDX-License-Identifier: Apache-2.0
#include "lib/owners/decisions.h"

#include <algorithm>
#include <cmath>
#include <deque>
#include <utility>
#include <vector>

#include "absl/algorithm/container.h"
#include "absl/types/span.h"
#include "lib/base/rules.h"
#include "lib/graph/weight.h"
#include "lib/owners/bound_nodes.h"
#include "lib/owners/context.h"
#include "lib/owners/decider.h"
#include "lib/owners/infer.h"
#include "lib/owners/named_features.h"
#include "lib/owners/named_index.h"
#include "lib/owners/nameless.h"
#include "lib/owners/scorer.h"
#include "lib/owners/walk.h"
#include "lib/owners/walk_decisions.h"
#include "onnx_hier_program/threads.h"

namespace onnx_hier {
namespace {

constexpr Thresholds kThresholds = {.exact = 0.25f, .inside = 0.5f, .layer = 0.45f};
// Nodes that are weighed before modules are added that were missed with them: few enough that not
// all nodes of a module which nobody names miss it, enough to pay for a thread.
constexpr size_t kNodesOfRound = 2048;

class NamedNodeDecider {
 public:
  NamedNodeDecider(const Context& context, const NamedIndex& index, const Scorer& scorer,
                   const InferOptions& options, ModulePaths* added_to,
                   IdVector<Rank, OpenDecision>& decisions)
      : options_(options),
        features_(context, index, added_to),
        decider_(context, scorer, kThresholds, options.trace),
        decisions_(decisions) {}

  // Those whose modules are not all there stay undecided: see deferred().
  void Work(absl::Span<const Rank> ranks) {
    deferred_.clear();
    for (Rank rank : ranks) DecideOne(rank);
  }
  const std::vector<Rank>& deferred() const { return deferred_; }

 private:
  void DecideOne(Rank rank) {
    const absl::Span<const Candidate> candidates = features_.Of(rank);
    if (features_.deferred()) {
      deferred_.push_back(rank);
      return;
    }
    OpenDecision& decided = decisions_[rank];
    const Decision decision = decider_.DecideOn(rank, candidates, decided);
    decided.basis = decision.backed_off ? Basis::kNamedBack : Basis::kNamed;
    if (!options_.least.is_anything()) {
      decider_.LeadOut(candidates, Basis::kNamedBack, options_.least, options_.tables.containment,
                       decided);
    }
  }

  const InferOptions& options_;
  NamedFeatures features_;
  NodeDecider decider_;
  IdVector<Rank, OpenDecision>& decisions_;
  std::vector<Rank> deferred_;
};

// Sets decisions[p] for each p of `open`. `paths` is the context's own and grows by modules that
// twins suggest: that changes what others read, so only this thread does it, between the rounds,
// and in the order of the nodes, and the paths come out the same however many threads there are.
void DecideNamed(const Context& context, absl::Span<const Rank> open, const InferOptions& options,
                 ModulePaths& paths, IdVector<Rank, OpenDecision>& decisions) {
  const Scorer scorer(options.tables.named);
  const NamedIndex index(context, options.threads > 1);
  std::deque<NamedNodeDecider> workers;
  for (size_t i = 0; i < options.threads; ++i) {
    workers.emplace_back(context, index, scorer, options, nullptr, decisions);
  }
  NamedNodeDecider adding(context, index, scorer, options, &paths, decisions);
  while (!open.empty()) {
    const absl::Span<const Rank> round = open.subspan(0, kNodesOfRound);
    open.remove_prefix(round.size());
    RunOnThreads(workers.size(), workers.size(),
                 [&](size_t i) { workers[i].Work(PartOf(round, i, workers.size())); });
    for (const NamedNodeDecider& worker : workers) adding.Work(worker.deferred());
  }
}

// Below this share of nodes with a name of their own, parameters say more than these.
constexpr double kNamelessShare = 0.02;
// A decision of the first pass that counts as known in the second; nearly all of these are right.
constexpr float kSure = 0.95f;
constexpr int kMostPasses = 2;
// As sure as that at most the walk hears a decision. So sure it must be of another module, and of
// one around what was decided: further out it gains less, but fewer nodes are in wrong modules.
constexpr float kMostHeard = 0.99f;
constexpr float kLikelier = 0.5f;
constexpr float kRatherSure = 0.8f;

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
    const BoundNodes bound(flow_);
    if (IsNameless(flow_, known_)) {
      const KnownModules said = known_;
      bound.Settle(open, Basis::kAnchor, options_, known_, decisions_);
      DecideNameless(analysis_, evidence_, {said, known_, bound}, open, options_, paths_,
                     decisions_);
    } else {
      bound.Settle(open, Basis::kNamed, options_, known_, decisions_);
      DecideInPasses(bound, open);
    }
    PlaceNamedConstants(open);
    std::vector<OpenDecision> decisions;
    decisions.reserve(open.size());
    for (Rank rank : open) decisions.push_back(decisions_[rank]);
    return decisions;
  }

 private:
  // A Constant that has a parameter's name is that parameter, whoever reads it.
  void PlaceNamedConstants(const std::vector<Rank>& open) {
    for (Rank rank : open) {
      const NodeId node = flow_.node(rank);
      if (flow_.graph().op(node).type != "Constant") continue;
      const PathId owner = AnchorOf(evidence_, node, paths_);
      if (!owner.valid()) continue;
      decisions_[rank] = {rank, owner, Basis::kAnchor, 1, 1, Method::kParameters};
      NoteUnweighed(options_.trace, rank);
      NoteHeard(options_.trace, rank, {Method::kParameters, owner, Rank()});
    }
  }

  void DecideInPasses(const BoundNodes& bound, const std::vector<Rank>& open) {
    std::vector<Rank> unsure;
    for (Rank rank : open) {
      if (known_.is_open(rank)) unsure.push_back(rank);
    }
    for (int pass = 1; !unsure.empty(); ++pass) {
      const Context context(analysis_, evidence_, known_, paths_);
      DecideNamed(context, unsure, options_, paths_, decisions_);
      bound.Agree(unsure, options_, decisions_);
      const size_t before = unsure.size();
      if (pass < kMostPasses && IsOn(Rule::kSecondPass)) SettleSure(unsure);
      if (unsure.size() < before) continue;
      DecideByWay(context);
      bound.Agree(unsure, options_, decisions_);
      break;
    }
  }

  // A node that was put somewhere on the way between those that are known before and behind it, and
  // not surely, may be elsewhere on that way: the walk decides all of them together, and hears what
  // was decided of each.
  void DecideByWay(const Context& context) {
    const auto decided = [this](Rank rank, PathId module) {
      const OpenDecision& own = decisions_[rank];
      if (own.path != module) return 0.0f;
      const float sure = std::clamp(own.score, 1 - kMostHeard, kMostHeard);
      return std::log1p((2 * sure - 1) / (1 - sure));
    };
    const Walk walk(context);
    const std::vector<Lattice> likely = AskWalk(walk, NamesLeft::kSome, decided, options_);
    for (size_t r = 0; r < likely.size(); ++r) {
      const WalkRun& run = walk.runs()[r];
      for (size_t node = 0; node < run.nodes.size(); ++node) {
        OpenDecision& own = decisions_[run.nodes[node]];
        if (IsSure(own) || !absl::c_linear_search(run.way, own.path)) continue;
        const OpenDecision other =
            DecideByWalk(run, node, likely[r], NamesLeft::kSome, context, options_);
        const bool is_around = paths_.Contains(other.path, own.path);
        if (other.path == own.path || other.retreat != Retreat::kNone ||
            other.score < (is_around ? kRatherSure : kLikelier)) {
          continue;
        }
        own = other;
        NoteWalk(run, node, likely[r], context, own, options_.trace);
      }
    }
  }

  bool IsSure(const OpenDecision& decided) const {
    return Calibrated(options_.tables.calibration, decided.basis, decided.score) >= kSure;
  }

  // What is sure counts as known from now on, and leaves the list.
  void SettleSure(std::vector<Rank>& unsure) {
    size_t kept = 0;
    for (Rank rank : unsure) {
      if (IsSure(decisions_[rank])) {
        known_.Settle(rank, decisions_[rank].path);
      } else {
        unsure[kept++] = rank;
      }
    }
    unsure.resize(kept);
  }

  const GraphAnalysis& analysis_;
  const Flow& flow_;
  const Evidence& evidence_;
  KnownModules known_;
  const InferOptions& options_;
  ModulePaths& paths_;
  IdVector<Rank, OpenDecision> decisions_;
};

}  // namespace

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
                      NodeOwners& owners) {
  const Flow& flow = analysis.flow();
  const WeightTables& tables = options.tables;
  for (const OpenDecision& decision : DecideOpenNodes(analysis, evidence, known, options, paths)) {
    if (options.trace != nullptr) {
      WeighedNode* const weighed = options.trace->Find(decision.rank);
      if (weighed != nullptr) weighed->decided = decision.path;
    }
    const float inside = decision.path == paths.root()
                             ? 1
                             : Calibrated(tables.containment, decision.basis, decision.inside);
    owners.Decide(flow.node(decision.rank),
                  {.primary = decision.path,
                   .confidence = Calibrated(tables.calibration, decision.basis, decision.score),
                   .containment = inside,
                   .method = decision.method,
                   .retreat = decision.retreat,
                   .witness = decision.witness.valid() ? flow.node(decision.witness) : NodeId()});
  }
}

}  // namespace onnx_hier
