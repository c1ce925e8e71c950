// SPDX-License-Identifier: Apache-2.0
#include "lib/owners/scorer.h"

#include <algorithm>
#include <cmath>

#include "absl/container/inlined_vector.h"

namespace onnx_hier {
namespace {

// The probability of all candidates inside a module that is, or contains, the best one.
class MassOnWay {
 public:
  MassOnWay(PathId best, absl::Span<const Candidate> candidates,
            absl::Span<const float> probabilities, const ModulePaths& paths)
      : probabilities_(probabilities) {
    for (const Candidate& candidate : candidates) {
      shared_.push_back(paths.depth(paths.CommonAncestor(best, candidate.path)));
    }
  }

  // Of the module at that depth.
  float At(uint32_t depth) const {
    float mass = 0;
    for (size_t i = 0; i < shared_.size(); ++i) {
      if (shared_[i] >= depth) mass += probabilities_[i];
    }
    return mass;
  }

  // The depth, down to `deepest`, of the innermost module with so much mass; else the root's. The
  // mass never shrinks on the way out, rounding included: terms are added in one order.
  uint32_t DeepestWith(float mass, uint32_t deepest) const {
    if (At(deepest) >= mass) return deepest;
    uint32_t with = 0;
    uint32_t without = deepest;
    while (with + 1 < without) {
      const uint32_t middle = with + (without - with) / 2;
      (At(middle) >= mass ? with : without) = middle;
    }
    return with;
  }

 private:
  const absl::Span<const float> probabilities_;
  absl::InlinedVector<uint32_t, 32> shared_;  // for each candidate: how deep what contains both is
};

}  // namespace

float Calibrated(absl::Span<const CalibrationPoint> points, Basis basis, float score) {
  const CalibrationPoint* below = nullptr;
  for (const CalibrationPoint& point : points) {
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
  const MassOnWay on_way(decision.path, candidates, probabilities, paths);
  if (decision.score < thresholds.exact) {
    const uint32_t best = paths.depth(decision.path);
    const uint32_t depth = on_way.DeepestWith(thresholds.inside, best);
    decision.path = paths.AncestorAtDepth(decision.path, depth);
    decision.backed_off = depth != best;
    if (decision.backed_off) decision.score = on_way.At(depth);
  }
  // The deepest module that no doubtful number is on the way to.
  const uint32_t sure = on_way.DeepestWith(thresholds.layer, paths.depth(decision.path));
  PathId doubtful;
  for (PathId at = decision.path; paths.depth(at) > sure; at = paths.parent(at)) {
    if (paths.is_number(at)) doubtful = at;
  }
  if (doubtful.valid()) {
    decision.path = paths.parent(doubtful);
    decision.score = on_way.At(paths.depth(decision.path));
    decision.backed_off = true;
  }
  decision.inside = on_way.At(paths.depth(decision.path));
  return decision;
}

float MassInside(PathId module, absl::Span<const Candidate> candidates,
                 absl::Span<const float> probabilities, const ModulePaths& paths) {
  return MassOnWay(module, candidates, probabilities, paths).At(paths.depth(module));
}

}  // namespace onnx_hier
