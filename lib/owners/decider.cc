// SPDX-License-Identifier: Apache-2.0
#include "lib/owners/decider.h"

#include <algorithm>

namespace onnx_hier {

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
