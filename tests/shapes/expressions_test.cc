// SPDX-License-Identifier: Apache-2.0
#include "lib/shapes/expressions.h"

#include <string>

#include "doctest/doctest.h"

namespace onnx_hier {
namespace {

TEST_CASE("numbers stay numbers") {
  Expressions all;
  CHECK(all.Text(all.Add(2, 3)) == "5");
  CHECK(all.Text(all.Times(2, -3)) == "-6");
  CHECK(all.Text(all.Divide(7, 2, Rounding::kFloor)) == "3");
  CHECK(all.Text(all.Divide(7, 2, Rounding::kCeiling)) == "4");
  CHECK(all.Text(all.Divide(-7, 2, Rounding::kToZero)) == "-3");
  CHECK(all.Text(all.Divide(7, 2, Rounding::kNone)) == "3.5");
  CHECK(all.Text(all.Divide(7, 0, Rounding::kFloor)) == "?");
  CHECK(all.Text(Dim()) == "?");
  CHECK_FALSE(Dim() == Dim());
  CHECK(Dim(2) == Dim(2));
}

TEST_CASE("symbols: what is the same is the same") {
  Expressions all;
  const Dim a = all.Symbol("a");
  const Dim b = all.Symbol("b");
  CHECK(all.Add(a, b) == all.Add(b, a));
  CHECK(all.Times(all.Add(a, 1), 2) == all.Add(all.Times(2, a), 2));
  CHECK(all.Text(all.Times(all.Add(a, 1), all.Add(a, -1))) == "a*a - 1");
  CHECK(all.Subtract(all.Add(a, b), b) == a);
  CHECK(all.Subtract(a, a).Is(0));
  CHECK(all.Text(all.Times(a, -1)) == "-a");
  CHECK_FALSE(all.Add(a, Dim()).is_known());
  CHECK(all.Times(Dim(), 0).Is(0));
}

TEST_CASE("quotients: exact where they can be, else a name of their own") {
  Expressions all;
  const Dim a = all.Symbol("a");
  const Dim b = all.Symbol("b");
  CHECK(all.Divide(all.Times(a, all.Times(b, 6)), all.Times(b, 2), Rounding::kDivides) ==
        all.Times(a, 3));
  CHECK(all.Divide(a, a, Rounding::kFloor).Is(1));
  const Dim half = all.Divide(all.Add(a, 1), 2, Rounding::kFloor);
  CHECK(all.Text(half) == "floor((a + 1)/(2))");
  CHECK(half == all.Divide(all.Add(a, 1), 2, Rounding::kFloor));
  CHECK(all.Text(all.Divide(a, 2, Rounding::kCeiling)) == "ceil((a)/(2))");
  // A fraction of a symbol is none until it is rounded.
  CHECK(all.Text(all.Divide(all.Times(a, 0.5), 1, Rounding::kFloor)) == "floor((0.5*a)/(1))");
}

TEST_CASE("what grows without end is not known") {
  Expressions all;
  Dim sum = 0;
  for (int i = 0; i < 100; ++i) sum = all.Add(sum, all.Symbol("s" + std::to_string(i)));
  CHECK_FALSE(sum.is_known());
  Dim power = all.Symbol("a");
  for (int i = 0; i < 10; ++i) power = all.Times(power, power);
  CHECK_FALSE(power.is_known());
  Dim quotient = all.Symbol("a");
  for (int i = 0; i < 100; ++i) {
    quotient = all.Divide(all.Add(quotient, 1), 3, Rounding::kFloor);
  }
  CHECK_FALSE(quotient.is_known());
}

TEST_CASE("names of dimensions: names, and sums and products of names") {
  Expressions all({{"past", 16}, {"seq", 2}});
  CHECK(all.Symbol("past").Is(16));
  CHECK(all.Symbol("past + seq").Is(18));
  CHECK(all.Symbol("2*seq+1").Is(5));
  CHECK(all.Text(all.Symbol("past + n")) == "n + 16");
  CHECK(all.Text(all.Symbol("floor(n/2)")) == "floor(n/2)");
  CHECK(all.Text(all.Symbol("a name")) == "a name");
  CHECK(all.NamesIn(all.Symbol("n + m")) == std::vector<std::string>{"n", "m"});
  CHECK(all.NamesIn(3).empty());
}

}  // namespace
}  // namespace onnx_hier
