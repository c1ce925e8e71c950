// SPDX-License-Identifier: Apache-2.0
#include "lib/owners/decider.h"

#include <algorithm>
#include <utility>

namespace onnx_hier {
namespace {

// Where a kind has a relation of the candidate to another module among its digits; -1: nowhere.
int RelationDigit(FeatureKind kind) {
  switch (kind) {
    case FeatureKind::kBefore:
    case FeatureKind::kAfter:
      return 2;
    case FeatureKind::kUpNear:
    case FeatureKind::kUpFar:
    case FeatureKind::kDownNear:
    case FeatureKind::kDownFar:
      return 1;
    default:
      return -1;
  }
}

}  // namespace

void Leads::Compare(Rank rank, const Candidate& best, const Candidate& runner_up) {
  Subtract(rank, best, runner_up);
  if (deciding_ == Method::kNone && &best != &runner_up) Subtract(rank, best, best);
}

void Leads::Subtract(Rank rank, const Candidate& best, const Candidate& runner_up) {
  rank_ = rank;
  best_ = &best;
  runner_up_ = &runner_up;
  sums_.fill({});
  for (const Feature& feature : best.features) differences_[feature.id] += feature.value;
  const bool two = &best != &runner_up;
  if (two) {
    for (const Feature& feature : runner_up.features) differences_[feature.id] -= feature.value;
  }
  for (const Feature& feature : best.features) AddFeature(feature.id);
  if (two) {
    for (const Feature& feature : runner_up.features) AddFeature(feature.id);
  }
  SumMethods();
}

// Once, however often it is met.
void Leads::AddFeature(FeatureId feature) {
  const float difference = std::exchange(differences_[feature], 0.0f);
  if (difference == 0) return;
  const float lead = scorer_.WeightOf(feature) * difference;
  if (lead == 0) return;
  Sum& sum = sums_[static_cast<size_t>(KindOf(feature))];
  sum.sum += lead;
  if (lead > sum.most) {
    sum.most = lead;
    sum.most_telling = feature;
  } else if (lead < sum.least) {
    sum.least = lead;
    sum.least_telling = feature;
  }
}

void Leads::SumMethods() {
  by_method_.fill(0);
  for (size_t kind = 0; kind < kFeatureKindCount; ++kind) {
    if (sums_[kind].sum == 0) continue;
    by_method_[static_cast<size_t>(MethodOf(static_cast<FeatureKind>(kind)))] += sums_[kind].sum;
  }
  deciding_ = Method::kNone;
  float most = 0;
  for (size_t i = 0; i < static_cast<size_t>(Method::kNone); ++i) {
    if (by_method_[i] <= most) continue;
    most = by_method_[i];
    deciding_ = static_cast<Method>(i);
  }
  // Its own parameters say so themselves, and twins may have nothing else to go by.
  const bool by_parameters = by_method_[static_cast<size_t>(Method::kParameters)] > 0 &&
                             context_.known[rank_] == best_->path;
  if (by_parameters && deciding_ == Method::kRepetition) deciding_ = Method::kParameters;
}

Lead Leads::MostBy(Method method) const {
  size_t most = kFeatureKindCount;
  for (size_t kind = 0; kind < kFeatureKindCount; ++kind) {
    if (MethodOf(static_cast<FeatureKind>(kind)) != method) continue;
    if (most == kFeatureKindCount || sums_[kind].sum > sums_[most].sum) most = kind;
  }
  return LeadOf(static_cast<FeatureKind>(most));
}

std::vector<Lead> Leads::All() const {
  std::vector<Lead> leads;
  for (size_t kind = 0; kind < kFeatureKindCount; ++kind) {
    if (sums_[kind].sum != 0) leads.push_back(LeadOf(static_cast<FeatureKind>(kind)));
  }
  std::stable_sort(leads.begin(), leads.end(), [&](const Lead& a, const Lead& b) {
    const Method by_a = MethodOf(a.kind);
    const Method by_b = MethodOf(b.kind);
    if (by_a == by_b) return a.sum > b.sum;
    if (by_a == deciding_ || by_b == deciding_) return by_a == deciding_;
    return by_method_[static_cast<size_t>(by_a)] > by_method_[static_cast<size_t>(by_b)];
  });
  return leads;
}

Lead Leads::LeadOf(FeatureKind kind) const {
  const Sum& sum = sums_[static_cast<size_t>(kind)];
  Lead lead;
  lead.kind = kind;
  lead.sum = sum.sum;
  lead.telling = sum.sum < 0 ? sum.least_telling : sum.most_telling;
  // A weight and its lead have the same sign where the best candidate has more of the feature.
  const float telling = sum.sum < 0 ? sum.least : sum.most;
  const bool of_best = (scorer_.WeightOf(lead.telling) > 0) == (telling > 0);
  const Candidate& candidate = of_best ? *best_ : *runner_up_;
  lead.candidate = candidate.path;
  if (telling == 0) return lead;
  const int digit = RelationDigit(kind);
  const uint32_t relation = digit < 0 ? 0 : PartsOf(lead.telling).digits[digit];
  lead.witness = WitnessOf(kind, relation, candidate);
  return lead;
}

Rank Leads::WitnessOf(FeatureKind kind, uint32_t relation, const Candidate& candidate) const {
  const Surroundings& surroundings = context_.surroundings;
  const Rank before = surroundings.previous(rank_);
  const Rank after = surroundings.next(rank_);
  switch (kind) {
    case FeatureKind::kBefore:
    case FeatureKind::kBothSides:
    case FeatureKind::kOrderAncestor:
    case FeatureKind::kInside:
      return before.valid() ? before : after;
    case FeatureKind::kAfter:
      return after;
    case FeatureKind::kUpNear:
    case FeatureKind::kUpFar:
    case FeatureKind::kUpNearAll:
    case FeatureKind::kUpAncestor:
      return Nearest(kind, surroundings.upstream(rank_), relation, candidate.path);
    case FeatureKind::kDownNear:
    case FeatureKind::kDownFar:
    case FeatureKind::kDownNearAll:
    case FeatureKind::kDownAncestor:
      return Nearest(kind, surroundings.downstream(rank_), relation, candidate.path);
    case FeatureKind::kFlowAncestor: {
      const absl::Span<const Surroundings::Near> up = surroundings.upstream(rank_);
      return Nearest(kind, up.empty() ? surroundings.downstream(rank_) : up, relation,
                     candidate.path);
    }
    case FeatureKind::kTwin:
    case FeatureKind::kTwinsAgree:
      return candidate.twin;
    case FeatureKind::kResidual:
      return context_.dominators.dominator(rank_);
    case FeatureKind::kAnchor:
    case FeatureKind::kAnchorHabit:
    case FeatureKind::kRoom:
    case FeatureKind::kHasNodes:
    case FeatureKind::kRoot:
      break;
  }
  return Rank();
}

Rank Leads::Nearest(FeatureKind kind, absl::Span<const Surroundings::Near> side, uint32_t relation,
                    PathId candidate) const {
  const bool near = kind == FeatureKind::kUpNear || kind == FeatureKind::kUpNearAll ||
                    kind == FeatureKind::kDownNear || kind == FeatureKind::kDownNearAll;
  const bool far = kind == FeatureKind::kUpFar || kind == FeatureKind::kDownFar;
  Rank nearest;
  for (const Surroundings::Near& other : side) {
    if (other.distance == 1 ? far : near) continue;
    const Relation found = RelationOf(candidate, context_.known[other.rank], context_.paths);
    // Of kinds without a relation: what is in the candidate itself is the best example.
    if (static_cast<uint32_t>(found) == relation) return other.rank;
    if (!nearest.valid()) nearest = other.rank;
  }
  return nearest;
}

Decision NodeDecider::DecideOn(Rank rank, absl::Span<const Candidate> candidates,
                               OpenDecision& decided) {
  scorer_.Score(candidates, probabilities_);
  Decision decision = Decide(candidates, probabilities_, thresholds_, context_.paths);
  if (decision.backed_off) decision.path = context_.NearestCallable(decision.path);
  leads_.Compare(rank, candidates[decision.best], candidates[decision.runner_up]);
  decided.rank = rank;
  decided.path = decision.path;
  decided.score = decision.score;
  decided.inside = decision.inside;
  decided.retreat = decision.backed_off ? Retreat::kUnsure : Retreat::kNone;
  decided.method = leads_.deciding();
  decided.witness = leads_.MostBy(decided.method).witness;
  // What is around the node leaves no choice.
  const bool no_choice = candidates.size() == 1 && decided.method == Method::kNone;
  if (no_choice) {
    decided.method = Method::kOrder;
    decided.witness = leads_.MostBy(Method::kOrder).witness;
  }
  if (trace_ == nullptr) return decision;
  if (WeighedNode* weighed = trace_->Find(rank); weighed != nullptr) {
    Record(rank, candidates, *weighed);
    if (no_choice) weighed->leads.clear();
  }
  return decision;
}

void NodeDecider::LeadOut(absl::Span<const Candidate> candidates, Basis backed_off,
                          const Least& least, absl::Span<const CalibrationPoint> containment,
                          OpenDecision& decided) const {
  const ModulePaths& paths = context_.paths;
  float sure = Calibrated(containment, decided.basis, decided.inside);
  while (sure < least.At(decided.path) && decided.path != paths.root()) {
    decided.path = context_.NearestCallable(paths.parent(decided.path));
    decided.score = decided.inside = MassInside(decided.path, candidates, probabilities_, paths);
    decided.basis = backed_off;
    decided.retreat = Retreat::kUnsure;
    sure = Calibrated(containment, backed_off, decided.inside);
  }
}

void NodeDecider::Record(Rank rank, absl::Span<const Candidate> candidates,
                         WeighedNode& weighed) const {
  weighed = {};
  const auto hear = [&](Method method, PathId path, Rank witness) {
    if (path.valid()) weighed.heard.push_back({method, path, witness});
  };
  for (size_t i = 0; i < candidates.size(); ++i) {
    weighed.candidates.push_back({candidates[i].path, probabilities_[i]});
    if (candidates[i].twin.valid()) {
      hear(Method::kRepetition, candidates[i].path, candidates[i].twin);
    }
  }
  std::stable_sort(weighed.candidates.begin(), weighed.candidates.end(),
                   [](const auto& a, const auto& b) { return a.probability > b.probability; });
  weighed.leads = leads_.All();
  const Surroundings& surroundings = context_.surroundings;
  const KnownModules& known = context_.known;
  hear(Method::kParameters, AnchorOf(context_.evidence, context_.flow.node(rank), context_.paths),
       Rank());
  for (Rank beside : {surroundings.previous(rank), surroundings.next(rank)}) {
    if (beside.valid()) hear(Method::kOrder, known[beside], beside);
  }
  for (const auto& side : {surroundings.upstream(rank), surroundings.downstream(rank)}) {
    for (const Surroundings::Near& near : side) {
      hear(Method::kLocality, known[near.rank], near.rank);
    }
  }
}

}  // namespace onnx_hier
