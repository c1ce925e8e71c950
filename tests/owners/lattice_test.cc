// SPDX-License-Identifier: Apache-2.0
#include "lib/owners/lattice.h"

#include <cmath>
#include <functional>
#include <vector>

#include "doctest/doctest.h"
#include "tests/support/random.h"

namespace onnx_hier {
namespace {

// The same by trying every way.
Lattice TryAll(const Lattice& scores) {
  Lattice sums(scores.nodes(), scores.steps());
  double all = 0;
  std::vector<size_t> way(scores.nodes(), 0);
  const std::function<void(size_t, size_t)> extend = [&](size_t node, size_t from) {
    if (node < scores.nodes()) {
      for (size_t step = from; step < scores.steps(); ++step) {
        way[node] = step;
        extend(node + 1, step);
      }
      return;
    }
    double score = 0;
    const auto each_crossing = [&](const auto& visit) {
      size_t step = 0;
      for (size_t gap = 0; gap <= scores.nodes(); ++gap) {
        const size_t next = gap < scores.nodes() ? way[gap] : scores.steps() - 1;
        for (; step < next; ++step) visit(gap, step);
      }
    };
    for (size_t n = 0; n < scores.nodes(); ++n) score += scores.place(n, way[n]);
    each_crossing([&](size_t gap, size_t step) { score += scores.crossing(gap, step); });
    const double likely = std::exp(score);
    all += likely;
    for (size_t n = 0; n < scores.nodes(); ++n) {
      sums.place(n, way[n]) += static_cast<float>(likely);
    }
    each_crossing(
        [&](size_t gap, size_t step) { sums.crossing(gap, step) += static_cast<float>(likely); });
  };
  extend(0, 0);
  for (float& sum : sums.places()) sum /= static_cast<float>(all);
  for (float& sum : sums.crossings()) sum /= static_cast<float>(all);
  return sums;
}

TEST_CASE("how likely places and crossings are is what all ways together say") {
  testing::Random random(7);
  for (int round = 0; round < 60; ++round) {
    Lattice scores(1 + random.Below(5), 1 + random.Below(4));
    for (float& score : scores.places()) score = static_cast<float>(random.Below(600)) / 100 - 3;
    for (float& score : scores.crossings()) score = static_cast<float>(random.Below(600)) / 100 - 3;
    Lattice likely = Marginals(scores);
    Lattice tried = TryAll(scores);
    for (size_t i = 0; i < tried.places().size(); ++i) {
      CHECK(likely.places()[i] == doctest::Approx(tried.places()[i]).epsilon(1e-4));
    }
    for (size_t i = 0; i < tried.crossings().size(); ++i) {
      CHECK(likely.crossings()[i] == doctest::Approx(tried.crossings()[i]).epsilon(1e-4));
    }
  }
}

TEST_CASE("scores of any size leave shares that add up") {
  Lattice scores(200, 30);
  for (size_t node = 0; node < scores.nodes(); ++node) {
    for (size_t step = 0; step < scores.steps(); ++step) {
      scores.place(node, step) = step % 2 == 0 ? 50.0f : -50.0f;
    }
  }
  const Lattice likely = Marginals(scores);
  for (size_t node = 0; node < scores.nodes(); ++node) {
    float sum = 0;
    for (size_t step = 0; step < scores.steps(); ++step) sum += likely.place(node, step);
    CHECK(sum == doctest::Approx(1).epsilon(1e-3));
  }
}

}  // namespace
}  // namespace onnx_hier
