#include "tools/fit-weights/calibration.h"

#include <algorithm>

namespace onnx_hier::fit {
namespace {

// Buckets of equally many outcomes, before neighbours are pooled.
constexpr size_t kMostBuckets = 8;
constexpr size_t kLeastOutcomes = 40;
// Beliefs put into each bucket beside the outcomes: a few right in a row are no certainty.
constexpr double kPriorOutcomes = 2;
constexpr double kPriorExact = 0.5;

struct Bucket {
  double score = 0;  // sums
  double exact = 0;
  double count = 0;
  double rate() const {
    return (exact + kPriorOutcomes * kPriorExact) / (count + kPriorOutcomes);
  }
};

std::vector<Bucket> Pool(const std::vector<Outcome>& sorted) {
  const size_t per_bucket = std::max(kLeastOutcomes, (sorted.size() - 1) / kMostBuckets + 1);
  std::vector<Bucket> pooled;
  for (size_t begin = 0; begin < sorted.size(); begin += per_bucket) {
    Bucket bucket;
    for (size_t i = begin; i < std::min(begin + per_bucket, sorted.size()); ++i) {
      bucket.score += sorted[i].score;
      bucket.exact += sorted[i].exact;
      bucket.count += 1;
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
