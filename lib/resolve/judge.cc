#include "lib/resolve/judge.h"

#include <algorithm>
#include <array>

namespace onnx_hier {

// The idea that raised the best candidate most above the runner-up.
Idea Judge::DecidingIdea(absl::Span<const Candidate> candidates, const Decision& decision) const {
  std::array<float, kIdeaCount> lead{};
  const auto add = [&](const Candidate& candidate, float sign) {
    for (const Feature& feature : candidate.features) {
      const float weight = scorer_.WeightOf(feature.id);
      if (weight != 0)
        lead[static_cast<size_t>(IdeaOf(feature.id))] += sign * weight * feature.value;
    }
  };
  add(candidates[decision.best], 1);
  if (decision.runner_up != decision.best) add(candidates[decision.runner_up], -1);
  return static_cast<Idea>(std::max_element(lead.begin(), lead.end()) - lead.begin());
}

Decision Judge::On(Place place, absl::Span<const Candidate> candidates, OpenDecision& decided) {
  const ModulePaths& paths = context_.paths;
  scorer_.Score(candidates, probabilities_);
  if (trace_ != nullptr) trace_->Record(place, candidates, probabilities_);
  Decision decision = Decide(candidates, probabilities_, thresholds_, paths);
  // A list of layers is never called: nothing belongs to it itself.
  while (
      decision.backed_off && decision.path != paths.root() &&
      !context_.surroundings.has_nodes(decision.path) &&
      (context_.children.is_list(decision.path) || !context_.evidence.MayBeCalled(decision.path))) {
    decision.path = paths.parent(decision.path);
  }
  decided.place = place;
  decided.path = decision.path;
  decided.score = decision.score;
  decided.idea = DecidingIdea(candidates, decision);
  decided.witness = context_.surroundings.previous(place);
  return decision;
}

}  // namespace onnx_hier
