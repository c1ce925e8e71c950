#include "lib/resolve/scorer.h"

#include <algorithm>
#include <cmath>

namespace onnx_hier {
namespace {

// The probability of all candidates inside `path`.
float MassInside(PathId path, absl::Span<const Candidate> candidates,
                 absl::Span<const float> probabilities, const ModulePaths& paths) {
  float mass = 0;
  for (size_t i = 0; i < candidates.size(); ++i) {
    if (paths.Contains(path, candidates[i].path)) mass += probabilities[i];
  }
  return mass;
}

}  // namespace

float Calibrated(const WeightTables& tables, Basis basis, float score) {
  const CalibrationPoint* below = nullptr;
  for (const CalibrationPoint& point : tables.calibration) {
    if (point.basis != basis) continue;
    if (point.score >= score) {
      if (below == nullptr || point.score == below->score) return point.probability;
      const float way = (score - below->score) / (point.score - below->score);
      return below->probability + way * (point.probability - below->probability);
    }
    below = &point;
  }
  return below == nullptr ? score : below->probability;
}

Scorer::Scorer(absl::Span<const Weight> weights) : weights_(FeatureCount(), 0.0f) {
  for (const Weight& weight : weights) weights_[weight.feature] = weight.weight;
}

void Scorer::Score(absl::Span<const Candidate> candidates,
                   std::vector<float>& probabilities) const {
  probabilities.clear();
  for (const Candidate& candidate : candidates) {
    float sum = 0;
    for (const Feature& feature : candidate.features) {
      sum += weights_[feature.id] * feature.value;
    }
    probabilities.push_back(sum);
  }
  const float largest = *std::max_element(probabilities.begin(), probabilities.end());
  float total = 0;
  for (float& probability : probabilities) total += probability = std::exp(probability - largest);
  for (float& probability : probabilities) probability /= total;
}

Decision Decide(absl::Span<const Candidate> candidates, absl::Span<const float> probabilities,
                const Thresholds& thresholds, const ModulePaths& paths) {
  Decision decision;
  for (size_t i = 1; i < candidates.size(); ++i) {
    if (probabilities[i] > probabilities[decision.best]) decision.best = i;
  }
  decision.runner_up = decision.best == 0 && candidates.size() > 1 ? 1 : 0;
  for (size_t i = 0; i < candidates.size(); ++i) {
    if (i != decision.best && probabilities[i] > probabilities[decision.runner_up]) {
      decision.runner_up = i;
    }
  }
  decision.path = candidates[decision.best].path;
  decision.score = probabilities[decision.best];
  if (decision.score < thresholds.exact) {
    float mass = MassInside(decision.path, candidates, probabilities, paths);
    while (decision.path != paths.root() && mass < thresholds.inside) {
      decision.path = paths.parent(decision.path);
      mass = MassInside(decision.path, candidates, probabilities, paths);
    }
    decision.backed_off = decision.path != candidates[decision.best].path;
    if (decision.backed_off) decision.score = mass;
  }
  // The deepest module that no doubtful number is on the way to.
  for (PathId at = decision.path; at != paths.root(); at = paths.parent(at)) {
    if (!paths.is_number(at)) continue;
    const float mass = MassInside(at, candidates, probabilities, paths);
    if (mass >= thresholds.layer) continue;
    decision.path = paths.parent(at);
    decision.score = MassInside(decision.path, candidates, probabilities, paths);
    decision.backed_off = true;
  }
  return decision;
}

}  // namespace onnx_hier
