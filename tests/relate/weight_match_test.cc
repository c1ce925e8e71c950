// SPDX-License-Identifier: Apache-2.0
#include <doctest/doctest.h>

#include <cmath>
#include <string>
#include <utility>
#include <vector>

#include "lib/relate/content_print.h"
#include "lib/relate/weight_likeness.h"
#include "onnx_hier/weights.h"
#include "tests/relate/drawn_numbers.h"
#include "tests/support/status.h"
#include "tests/support/temp_folder.h"
#include "tests/support/wire.h"

namespace onnx_hier {
namespace {

using testing::DrawnNumbers;
using testing::Transposed;

using Numbers = std::vector<double>;

class InMemory : public TensorValues {
 public:
  explicit InMemory(std::vector<Numbers> tensors) : tensors_(std::move(tensors)) {}
  absl::StatusOr<bool> Begin(TensorId tensor) override {
    tensor_ = tensor.index();
    next_ = 0;
    return true;
  }
  absl::Status Read(absl::Span<double> values) override {
    for (double& value : values) value = tensors_[tensor_][next_++];
    return absl::OkStatus();
  }
  absl::Status Skip(uint64_t count) override {
    next_ += count;
    return absl::OkStatus();
  }

 private:
  const std::vector<Numbers> tensors_;
  size_t tensor_ = 0;
  size_t next_ = 0;
};

ContentPrint PrintOf(const Numbers& numbers, RoundedTo rounding = RoundedTo::kFloat) {
  InMemory values({numbers});
  const ContentPrints prints =
      testing::Value(ContentPrintsOf(values, TensorId(0), numbers.size(), {true, true, true}));
  return prints.of[static_cast<size_t>(rounding)];
}

TEST_CASE("a fingerprint knows no order, no zeros, and adds up") {
  const Numbers a = DrawnNumbers<double>(12, 1);
  const Numbers b = DrawnNumbers<double>(8, 2);
  CHECK(PrintOf(a) == PrintOf(Transposed(a, 3)));
  CHECK(!(PrintOf(a) == PrintOf(DrawnNumbers<double>(12, 3))));
  Numbers both = b;
  both.insert(both.end(), a.begin(), a.end());
  both.insert(both.begin() + 3, 0.0);
  both.push_back(-0.0);
  ContentPrint sum = PrintOf(a);
  sum += PrintOf(b);
  CHECK(PrintOf(both) == sum);
  CHECK(PrintOf(both).count == 20);
}

TEST_CASE("what people write says less than what was learned") {
  CHECK(PrintOf(DrawnNumbers<double>(4, 1)).says_enough());
  CHECK(!PrintOf(Numbers(100, 0.0)).says_enough());
  CHECK(!PrintOf(Numbers(100, 1.0)).says_enough());
  CHECK(!PrintOf(Numbers(100, 0.1)).says_enough());
  CHECK(!PrintOf({1, 2, 3, 4, 0.5}).says_enough());
}

TEST_CASE("numbers are rounded as types that hold less do") {
  // To the even one of two that are as near, in the range where steps are equal, to infinity.
  const double half_step = std::ldexp(1.0, -11);
  CHECK(PrintOf({1 + half_step, 1 + 3 * half_step}, RoundedTo::kHalf) ==
        PrintOf({1, 1 + 4 * half_step}));
  CHECK(PrintOf({std::ldexp(3.0, -25), -std::ldexp(5.0, -26)}, RoundedTo::kHalf) ==
        PrintOf({std::ldexp(2.0, -24), -std::ldexp(1.0, -24)}));
  CHECK(PrintOf({65519, 65520, -1e30}, RoundedTo::kHalf) == PrintOf({65504, HUGE_VAL, -HUGE_VAL}));
  CHECK(PrintOf({1 + std::ldexp(1.0, -8)}, RoundedTo::kBfloat) == PrintOf({1}));
}

TEST_CASE("axes fit in one way or another") {
  CHECK(Squeezed(std::vector<uint64_t>{1, 3, 1, 2}) == TensorDims{3, 2});
  CHECK(AxisOrders({3, 2}, {2, 3}) == std::vector<AxisOrder>{{1, 0}});
  CHECK(AxisOrders({2, 2}, {2, 2}).size() == 2);
  CHECK(AxisOrders({4, 3, 2, 2}, {2, 2, 3, 4}).size() == 2);
  CHECK(AxisOrders({3, 2}, {6}).empty());
  CHECK(AxisOrders({2, 2, 2, 2, 2, 2}, {2, 2, 2, 2, 2, 2}).size() == 1);
}

TEST_CASE("likeness sees through scales, and distance tells them") {
  const Numbers own = DrawnNumbers<double>(480, 5);
  Numbers scaled = own;
  Numbers rounded = own;
  for (size_t i = 0; i < own.size(); ++i) {
    const size_t row = i / 20;
    scaled[i] *= static_cast<double>(row + 1);
    rounded[i] = std::round(own[i] * 50) / 50;
  }
  InMemory from({own});
  InMemory to({scaled, rounded, Transposed(own, 24), DrawnNumbers<double>(480, 6)});
  const auto distance = [&](size_t other, const AxisOrder& order) {
    return testing::Value(DistanceOf(from, TensorId(0), to, TensorId(other), {24, 20}, order));
  };
  const TensorDistance of_scaled = distance(0, {0, 1});
  CHECK(of_scaled.scaled == ScaledBy::kRows);
  CHECK(of_scaled.error < 1e-7);
  REQUIRE(of_scaled.factors.size() == 24);
  CHECK(of_scaled.factors[7] == doctest::Approx(8));
  const TensorDistance of_rounded = distance(1, {0, 1});
  CHECK(of_rounded.scaled == ScaledBy::kNothing);
  CHECK(of_rounded.error == doctest::Approx(0.01).epsilon(0.2));
  CHECK(distance(2, {1, 0}).error < 1e-9);
  CHECK(distance(3, {0, 1}).error > 0.8);

  const auto sketch = [&](TensorValues& values, size_t tensor, const AxisOrder& order) {
    return *testing::Value(SketchOf(values, TensorId(tensor), {24, 20}, order));
  };
  const TensorSketch known = sketch(from, 0, {0, 1});
  CHECK(LikenessOf(known, sketch(to, 0, {0, 1})) > 0.999);
  CHECK(LikenessOf(known, sketch(to, 2, {1, 0})) > 0.999);
  CHECK(LikenessOf(known, sketch(to, 3, {0, 1})) < 0.5);
}

}  // namespace
}  // namespace onnx_hier
