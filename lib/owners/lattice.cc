// SPDX-License-Identifier: Apache-2.0
#include "lib/owners/lattice.h"

#include <algorithm>
#include <cmath>
#include <utility>

namespace onnx_hier {
namespace {

constexpr double kImpossible = -1e30;

// In single precision, of which every C library has the function.
float Exp(double x) { return std::exp(static_cast<float>(x)); }

double LogAdd(double a, double b) {
  if (a < b) std::swap(a, b);
  return b <= kImpossible / 2 ? a : a + std::log1p(Exp(b - a));
}

}  // namespace

Lattice Marginals(const Lattice& scores) {
  const size_t nodes = scores.nodes();
  const size_t steps = scores.steps();
  // before[g, k]: of all ways to be at step k in gap g, ready to go on to node g.
  std::vector<double> before((nodes + 1) * steps, kImpossible);
  const auto cross = [&](size_t gap) {
    for (size_t k = 1; k < steps; ++k) {
      double& here = before[gap * steps + k];
      here = LogAdd(here, before[gap * steps + k - 1] + scores.crossing(gap, k - 1));
    }
  };
  before[0] = 0;
  cross(0);
  for (size_t node = 0; node < nodes; ++node) {
    for (size_t k = 0; k < steps; ++k) {
      before[(node + 1) * steps + k] = before[node * steps + k] + scores.place(node, k);
    }
    cross(node + 1);
  }
  const double all = before[(nodes + 1) * steps - 1];
  Lattice likely(nodes, steps);
  // after[k]: of all ways on from step k in the gap, down to the last step behind the last node.
  std::vector<double> after(steps, kImpossible);
  const auto finish = [&](size_t gap) {
    for (size_t k = steps - 1; k-- > 0;) {
      const double crossed = scores.crossing(gap, k) + after[k + 1];
      likely.crossing(gap, k) = Exp(std::min(0.0, before[gap * steps + k] + crossed - all));
      after[k] = LogAdd(after[k], crossed);
    }
  };
  after[steps - 1] = 0;
  finish(nodes);
  for (size_t node = nodes; node-- > 0;) {
    for (size_t k = 0; k < steps; ++k) {
      const double placed = scores.place(node, k) + after[k];
      likely.place(node, k) = Exp(std::min(0.0, before[node * steps + k] + placed - all));
      after[k] = placed;
    }
    finish(node);
  }
  return likely;
}

}  // namespace onnx_hier
