// SPDX-License-Identifier: Apache-2.0
#include "tools/fit-weights/softmax_fit.h"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <thread>

namespace onnx_hier::fit {
namespace {

constexpr float kRate = 0.1f;
constexpr float kLastRate = 0.01f;  // of the last fifth of the steps
constexpr float kMomentum = 0.9f;
constexpr float kSquares = 0.99f;
constexpr int kThreads = 2;

class Fitter {
 public:
  Fitter(const Samples& samples, const std::vector<bool>& used) : samples_(samples), used_(used) {}

  // Adds the gradient of the log loss of samples [begin, end).
  void AddGradient(size_t begin, size_t end, const Weights& weights, Weights& gradient) const {
    std::vector<float> p;
    for (size_t s = begin; s < end; ++s) {
      if (!used_[s]) continue;
      Probabilities(s, weights, p);
      p[samples_.right[s]] -= 1;
      for (size_t c = 0; c < p.size(); ++c) {
        ForFeatures(samples_.first_candidate[s] + c,
                    [&](const Feature& feature) { gradient[feature.id] += p[c] * feature.value; });
      }
    }
  }

  Weights Fit(const std::vector<bool>& allowed, float l2, int steps) const {
    const size_t n = allowed.size();
    Weights weights(n, 0), momentum(n, 0), squares(n, 0);
    for (int step = 1; step <= steps; ++step) {
      const Weights gradient = Gradient(weights);
      const float rate = step > steps * 4 / 5 ? kLastRate : kRate;
      const float m_scale = 1 - std::pow(kMomentum, static_cast<float>(step));
      const float s_scale = 1 - std::pow(kSquares, static_cast<float>(step));
      for (size_t i = 0; i < n; ++i) {
        if (!allowed[i]) continue;
        const float g = gradient[i] + l2 * weights[i];
        momentum[i] = kMomentum * momentum[i] + (1 - kMomentum) * g;
        squares[i] = kSquares * squares[i] + (1 - kSquares) * g * g;
        weights[i] -= rate * (momentum[i] / m_scale) / (std::sqrt(squares[i] / s_scale) + 1e-9f);
      }
    }
    return weights;
  }

  // How much each weight moves the candidates of a sample apart: |w| times the spread of the
  // feature among them.
  std::vector<double> Importance(const Weights& weights) const {
    std::vector<double> spread(weights.size(), 0);
    for (size_t s = 0; s < samples_.size(); ++s) {
      if (!used_[s]) continue;
      const uint32_t begin = samples_.first_candidate[s];
      const uint32_t end = samples_.first_candidate[s + 1];
      for (uint32_t c = begin; c < end; ++c) {
        ForFeatures(c, [&](const Feature& feature) {
          spread[feature.id] += feature.value / static_cast<float>(end - begin);
        });
      }
    }
    for (size_t i = 0; i < weights.size(); ++i) {
      spread[i] = std::abs(static_cast<double>(weights[i])) * std::sqrt(spread[i]);
    }
    return spread;
  }

  std::vector<bool> Frequent(uint32_t seldom) const {
    std::vector<uint32_t> counts(FeatureCount(), 0);
    for (size_t s = 0; s < samples_.size(); ++s) {
      if (!used_[s]) continue;
      for (uint32_t c = samples_.first_candidate[s]; c < samples_.first_candidate[s + 1]; ++c) {
        ForFeatures(c, [&](const Feature& feature) { ++counts[feature.id]; });
      }
    }
    std::vector<bool> frequent(counts.size());
    for (size_t i = 0; i < counts.size(); ++i) frequent[i] = counts[i] >= seldom;
    return frequent;
  }

 private:
  template <class Visit>
  void ForFeatures(size_t candidate, Visit visit) const {
    for (uint32_t f = samples_.first_feature[candidate]; f < samples_.first_feature[candidate + 1];
         ++f) {
      visit(samples_.features[f]);
    }
  }

  void Probabilities(size_t s, const Weights& weights, std::vector<float>& p) const {
    const uint32_t begin = samples_.first_candidate[s];
    p.assign(samples_.first_candidate[s + 1] - begin, 0);
    for (size_t c = 0; c < p.size(); ++c) {
      ForFeatures(begin + c,
                  [&](const Feature& feature) { p[c] += weights[feature.id] * feature.value; });
    }
    const float largest = *std::max_element(p.begin(), p.end());
    float sum = 0;
    for (float& x : p) sum += x = std::exp(x - largest);
    for (float& x : p) x /= sum;
  }

  Weights Gradient(const Weights& weights) const {
    std::vector<Weights> parts(kThreads, Weights(weights.size(), 0));
    std::vector<std::thread> threads;
    threads.reserve(kThreads);
    for (int t = 0; t < kThreads; ++t) {
      threads.emplace_back([&, t] {
        AddGradient(samples_.size() * t / kThreads, samples_.size() * (t + 1) / kThreads, weights,
                    parts[t]);
      });
    }
    for (std::thread& thread : threads) thread.join();
    for (size_t i = 0; i < weights.size(); ++i) parts[0][i] += parts[1][i];
    return std::move(parts[0]);
  }

  const Samples& samples_;
  const std::vector<bool>& used_;
};

}  // namespace

void Samples::Add(absl::Span<const Candidate> candidates, uint32_t right_one,
                  const std::string& family) {
  for (const Candidate& candidate : candidates) {
    features.insert(features.end(), candidate.features.begin(), candidate.features.end());
    first_feature.push_back(static_cast<uint32_t>(features.size()));
  }
  first_candidate.push_back(static_cast<uint32_t>(first_feature.size() - 1));
  right.push_back(right_one);
  families.push_back(family);
}

// Fits all, then drops the least important weights by halves and fits again: what a dropped weight
// said, others learn to say.
Weights FitWeights(const Samples& samples, const std::vector<bool>& used,
                   const FitOptions& options) {
  const Fitter fitter(samples, used);
  std::vector<bool> allowed = fitter.Frequent(options.seldom);
  Weights weights = fitter.Fit(allowed, options.l2, options.steps / 2);
  auto count = static_cast<size_t>(std::count(allowed.begin(), allowed.end(), true));
  while (count > options.keep) {
    count = std::max(options.keep, count / 2);
    const std::vector<double> importance = fitter.Importance(weights);
    std::vector<size_t> order(weights.size());
    std::iota(order.begin(), order.end(), 0);
    std::stable_sort(order.begin(), order.end(),
                     [&](size_t a, size_t b) { return importance[a] > importance[b]; });
    std::fill(allowed.begin(), allowed.end(), false);
    for (size_t i = 0; i < count; ++i) allowed[order[i]] = true;
    weights =
        fitter.Fit(allowed, options.l2, count == options.keep ? options.steps : options.steps / 2);
  }
  return weights;
}

}  // namespace onnx_hier::fit
