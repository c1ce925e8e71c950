#include "lib/resolve/decisions.h"

#include <algorithm>
#include <array>
#include <utility>

#include "lib/resolve/dense_features.h"
#include "lib/resolve/resolve.h"
#include "lib/resolve/sparse_features.h"

namespace onnx_hier {
namespace {

// Below this share of nodes with a name of their own, parameters say more than these.
constexpr double kSparseShare = 0.02;
// A decision of the first pass that counts as known in the second; nearly all of these are right.
constexpr float kSure = 0.95f;
constexpr int kMostPasses = 2;

constexpr Thresholds kDenseThresholds = {.exact = 0.2f, .inside = 0.5f, .layer = 0.35f};
constexpr Thresholds kSparseThresholds = {.exact = 0.3f, .inside = 0.5f, .layer = 0.8f};

// The idea that raised the best candidate most above the runner-up.
Idea DecidingIdea(const Scorer& scorer, absl::Span<const Candidate> candidates,
                  const Decision& decision) {
  std::array<float, kIdeaCount> lead{};
  const auto add = [&](const Candidate& candidate, float sign) {
    for (const Feature& feature : candidate.features) {
      const float weight = scorer.WeightOf(feature.id);
      if (weight != 0)
        lead[static_cast<size_t>(IdeaOf(feature.id))] += sign * weight * feature.value;
    }
  };
  add(candidates[decision.best], 1);
  if (decision.runner_up != decision.best) add(candidates[decision.runner_up], -1);
  return static_cast<Idea>(std::max_element(lead.begin(), lead.end()) - lead.begin());
}

Basis BasisOf(bool sparse, const Decision& decision, const ModuleChildren& children) {
  if (!sparse) return decision.backed_off ? Basis::kDenseBack : Basis::kDense;
  if (decision.backed_off) return Basis::kSparseBack;
  return children.count(decision.path) > 0 ? Basis::kSparse : Basis::kSparseLeaf;
}

class Decider {
 public:
  Decider(const Wiring& wiring, const Evidence& evidence, KnownModules known,
          const WeightTables& tables, ModulePaths& paths, DecisionTrace* trace)
      : wiring_(wiring),
        flow_(wiring.flow()),
        evidence_(evidence),
        known_(std::move(known)),
        tables_(tables),
        paths_(paths),
        trace_(trace),
        decisions_(flow_.size()) {}

  std::vector<OpenDecision> Run() {
    std::vector<Place> open;
    for (Place i = 0; i < flow_.size(); ++i) {
      if (known_.is_open(i)) open.push_back(i);
    }
    if (open.empty()) return {};
    if (IsSparse(flow_, known_)) {
      DecideSparse(open);
    } else {
      DecideDense(open);
    }
    std::vector<OpenDecision> decisions;
    decisions.reserve(open.size());
    for (Place place : open) decisions.push_back(decisions_[place]);
    return decisions;
  }

 private:
  void DecideDense(const std::vector<Place>& open) {
    std::vector<Place> unsure = open;
    for (int pass = 0; pass < kMostPasses && !unsure.empty(); ++pass) {
      DensePass(unsure);
      const size_t before = unsure.size();
      SettleSure(unsure);
      if (unsure.size() == before) break;
    }
  }

  // What is sure counts as known from now on, and leaves the list.
  void SettleSure(std::vector<Place>& unsure) {
    size_t kept = 0;
    for (Place place : unsure) {
      if (decisions_[place].score >= kSure) {
        known_.Settle(place, decisions_[place].path);
      } else {
        unsure[kept++] = place;
      }
    }
    unsure.resize(kept);
  }

  void DensePass(const std::vector<Place>& open) {
    const Scorer scorer(tables_.dense);
    const Surroundings surroundings(flow_, known_, paths_);
    const ModuleChildren children(paths_);
    Twins twins(flow_, wiring_.fingerprints(), known_, surroundings, children, paths_);
    DenseFeatures features(flow_, evidence_, known_, surroundings, children, wiring_.branches(),
                           twins, paths_);
    for (Place place : open) {
      Judge(place, features.Of(place), scorer, kDenseThresholds, false, surroundings, children);
      OpenDecision& decided = decisions_[place];
      const Place twin = features.TwinFor(decided.path);
      if (decided.idea == Idea::kTwins && twin != kNowhere) decided.witness = twin;
    }
  }

  void DecideSparse(const std::vector<Place>& open) {
    const Scorer scorer(tables_.sparse);
    const Surroundings surroundings(flow_, known_, paths_);
    const ModuleChildren children(paths_);
    SparseFeatures features(flow_, evidence_, known_, surroundings, children, wiring_.branches(),
                            paths_);
    for (Place place : open) {
      if (flow_.is_constant(place)) continue;
      if (known_[place].valid()) {
        decisions_[place] = {place, known_[place], Basis::kAnchor, 1, Idea::kParameters};
        continue;
      }
      Judge(place, features.Of(place), scorer, kSparseThresholds, true, surroundings, children);
    }
    for (size_t i = open.size(); i-- > 0;) {
      if (flow_.is_constant(open[i])) FollowReaders(open[i]);
    }
  }

  void Judge(Place place, absl::Span<const Candidate> candidates, const Scorer& scorer,
             const Thresholds& thresholds, bool sparse, const Surroundings& surroundings,
             const ModuleChildren& children) {
    scorer.Score(candidates, probabilities_);
    if (trace_ != nullptr) trace_->Record(place, candidates, probabilities_);
    Decision decision = Decide(candidates, probabilities_, thresholds, paths_);
    // A list of layers is never called: nothing belongs to it itself.
    while (decision.backed_off && decision.path != paths_.root() &&
           !surroundings.has_nodes(decision.path) &&
           (children.is_list(decision.path) || !evidence_.MayBeCalled(decision.path))) {
      decision.path = paths_.parent(decision.path);
    }
    OpenDecision& decided = decisions_[place];
    decided.place = place;
    decided.path = decision.path;
    decided.score = decision.score;
    decided.basis = BasisOf(sparse, decision, children);
    decided.idea = DecidingIdea(scorer, candidates, decision);
    decided.witness = surroundings.previous(place);
  }

  // A constant belongs where all that read it belong.
  void FollowReaders(Place place) {
    OpenDecision& decided = decisions_[place];
    decided = {place, PathId(), Basis::kReaders, 1, Idea::kFlow};
    for (const Flow::Edge& edge : flow_.consumers(place)) {
      const bool open = known_.is_open(edge.place);
      const PathId reader = open ? decisions_[edge.place].path : known_[edge.place];
      decided.path = decided.path.valid() ? paths_.CommonAncestor(decided.path, reader) : reader;
      if (open) decided.score = std::min(decided.score, decisions_[edge.place].score);
      if (decided.witness == kNowhere) decided.witness = edge.place;
    }
    if (decided.path.valid()) return;
    decided.path = paths_.root();
    decided.score = 0;
  }

  const Wiring& wiring_;
  const Flow& flow_;
  const Evidence& evidence_;
  KnownModules known_;
  const WeightTables& tables_;
  ModulePaths& paths_;
  DecisionTrace* trace_;
  std::vector<OpenDecision> decisions_;  // by place
  std::vector<float> probabilities_;
};

Method MethodOf(const OpenDecision& decision) {
  if (decision.basis == Basis::kReaders) return Method::kReaders;
  switch (decision.idea) {
    case Idea::kTwins:
      return Method::kRepetition;
    case Idea::kParameters:
      return Method::kParameters;
    case Idea::kStructure:
      return Method::kStructure;
    case Idea::kFlow:
      return Method::kLocality;
    case Idea::kOrder:
    case Idea::kPrior:
      break;
  }
  return Method::kOrder;
}

}  // namespace

void DecisionTrace::Record(Place place, absl::Span<const Candidate> candidates,
                           absl::Span<const float> probabilities) {
  const auto wanted = std::find(places_.begin(), places_.end(), place);
  if (wanted == places_.end()) return;
  std::vector<Scored>& scored = scored_[static_cast<size_t>(wanted - places_.begin())];
  scored.clear();
  for (size_t i = 0; i < candidates.size(); ++i) {
    scored.push_back({candidates[i].path, probabilities[i]});
  }
  std::stable_sort(scored.begin(), scored.end(),
                   [](const Scored& a, const Scored& b) { return a.probability > b.probability; });
}

bool IsSparse(const Flow& flow, const KnownModules& known) {
  Place settled = 0;
  for (Place i = 0; i < flow.size(); ++i) settled += !known.is_open(i);
  return settled < kSparseShare * flow.size();
}

std::vector<OpenDecision> DecideOpenNodes(const Wiring& wiring, const Evidence& evidence,
                                          KnownModules known, const WeightTables& tables,
                                          ModulePaths& paths, DecisionTrace* trace) {
  return Decider(wiring, evidence, std::move(known), tables, paths, trace).Run();
}

bool ResolveByDecisions(const Wiring& wiring, const Evidence& evidence, const KnownModules& known,
                        const WeightTables& tables, ModulePaths& paths, Assignments& assignments,
                        DecisionTrace* trace) {
  const Flow& flow = wiring.flow();
  const std::vector<OpenDecision> decisions =
      DecideOpenNodes(wiring, evidence, known, tables, paths, trace);
  for (const OpenDecision& decision : decisions) {
    Assignment& assignment = assignments[flow.node(decision.place)];
    assignment.primary = decision.path;
    assignment.method = MethodOf(decision);
    assignment.confidence = Calibrated(tables, decision.basis, decision.score);
    if (decision.witness != kNowhere) assignment.witness = flow.node(decision.witness);
  }
  return !decisions.empty();
}

}  // namespace onnx_hier
