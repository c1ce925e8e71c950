// SPDX-License-Identifier: Apache-2.0
#include <doctest/doctest.h>

#include <cmath>
#include <limits>
#include <vector>

#include "onnx_hier/numerics.h"

namespace onnx_hier {
namespace {

constexpr double kInfinity = std::numeric_limits<double>::infinity();

ValueError ErrorOf(const std::vector<double>& original, const std::vector<double>& other) {
  ErrorSum sum;
  sum.Add(original, other);
  return sum.error();
}

TEST_CASE("an error is the size of all differences against that of all values") {
  const ValueError error = ErrorOf({3, 4}, {3, 4.5});
  CHECK(error.relative() == doctest::Approx(0.1));
  CHECK(error.sqnr() == doctest::Approx(20));
  CHECK(error.most == 0.5);
  CHECK(error.largest == 4);
  CHECK(error.cosine() < 1);
  CHECK(ErrorOf({1, 2}, {1, 2}).relative() == 0);
  CHECK(ErrorOf({1, 2}, {1, 2}).sqnr() == kInfinity);
  CHECK(ErrorOf({0, 0}, {0, 1}).relative() == kInfinity);
  CHECK(ErrorOf({}, {}).relative() == 0);
  CHECK(ErrorOf({0}, {0}).cosine() == 1);
}

TEST_CASE("numbers that are not finite are broken where the original's are finite") {
  CHECK(ErrorOf({1, 2}, {kInfinity, 2}).broken == 1);
  CHECK(ErrorOf({1, 2}, {std::nan(""), 2}).relative() == kInfinity);
  CHECK(ErrorOf({kInfinity, 2}, {kInfinity, 2}).relative() == 0);
  CHECK(ErrorOf({std::nan(""), 2}, {1, 2}).broken == 0);
}

TEST_CASE("of what masks are made of only the sign counts") {
  CHECK(ErrorOf({-3.4e38, 1}, {-65504, 1}).relative() == 0);
  CHECK(ErrorOf({-3.4e38, 1}, {-kInfinity, 1}).broken == 0);
  CHECK(ErrorOf({-3.4e38, 1}, {65504, 1}).relative() > 0.9);
}

TEST_CASE("float16 has a largest number, and a smallest one with all its bits") {
  const ValueError error = ErrorOf({70000, -65504, 1e-6, 0}, {70000, -65504, 1e-6, 0});
  CHECK(error.beyond_half == 1);
  CHECK(error.subnormal == 1);
}

TEST_CASE("errors of several runs add up") {
  ValueError all = ErrorOf({3}, {3.5});
  all.Add(ErrorOf({4}, {4}));
  CHECK(all.relative() == doctest::Approx(0.1));
  CHECK(all.count == 2);
}

}  // namespace
}  // namespace onnx_hier
