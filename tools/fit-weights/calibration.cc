// SPDX-License-Identifier: Apache-2.0
#include "tools/fit-weights/calibration.h"

#include <algorithm>

namespace onnx_hier::fit {
namespace {

// A bucket, before neighbours are pooled: this much of the scale, and then so many outcomes as to
// mean something. Near 1, where most outcomes are, the scale is finer.
constexpr float kBucketWidth = 0.1f;
constexpr float kFinerFrom = 0.9f;
constexpr float kFinerWidth = 0.02f;
constexpr size_t kLeastOutcomes = 30;
// Beliefs put into each bucket beside the outcomes: a few right in a row are no certainty.
constexpr double kPriorOutcomes = 10;
constexpr double kPriorExact = 0.5;

struct Bucket {
  double score = 0;  // sums
  double exact = 0;
  double count = 0;
  double rate() const { return (exact + kPriorOutcomes * kPriorExact) / (count + kPriorOutcomes); }
};

std::vector<Bucket> Pool(const std::vector<Outcome>& sorted) {
  std::vector<Bucket> pooled;
  for (size_t i = 0; i < sorted.size();) {
    const float begin = sorted[i].score;
    const float end = begin + (begin >= kFinerFrom ? kFinerWidth : kBucketWidth);
    const size_t first = i;
    Bucket bucket;
    for (; i < sorted.size() && (sorted[i].score < end || i - first < kLeastOutcomes); ++i) {
      const double weight = sorted[i].weight;
      bucket.score += weight * static_cast<double>(sorted[i].score);
      bucket.exact += sorted[i].exact ? weight : 0;
      bucket.count += weight;
    }
    while (!pooled.empty() && pooled.back().rate() >= bucket.rate()) {
      bucket.score += pooled.back().score;
      bucket.exact += pooled.back().exact;
      bucket.count += pooled.back().count;
      pooled.pop_back();
    }
    pooled.push_back(bucket);
  }
  return pooled;
}

}  // namespace

std::vector<CalibrationPoint> FitCalibration(const std::vector<Outcome>& outcomes) {
  std::vector<CalibrationPoint> points;
  for (size_t i = 0; i < kBasisCount; ++i) {
    const auto basis = static_cast<Basis>(i);
    std::vector<Outcome> sorted;
    for (const Outcome& outcome : outcomes) {
      if (outcome.basis == basis) sorted.push_back(outcome);
    }
    if (sorted.empty()) continue;
    std::stable_sort(sorted.begin(), sorted.end(),
                     [](const Outcome& a, const Outcome& b) { return a.score < b.score; });
    for (const Bucket& bucket : Pool(sorted)) {
      points.push_back({basis, static_cast<float>(bucket.score / bucket.count),
                        static_cast<float>(bucket.rate())});
    }
  }
  return points;
}

}  // namespace onnx_hier::fit
