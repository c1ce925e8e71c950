// SPDX-License-Identifier: Apache-2.0
#include "lib/relate/sequence_alignment.h"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <random>
#include <vector>

#include "doctest/doctest.h"

namespace onnx_hier {
namespace {

using Sequence = std::vector<uint64_t>;

size_t CountPaired(const std::vector<uint32_t>& pairs) {
  return static_cast<size_t>(
      std::count_if(pairs.begin(), pairs.end(), [](uint32_t place) { return place != kUnpaired; }));
}

// By the table that everyone knows.
size_t LengthOfLongest(const Sequence& a, const Sequence& b) {
  std::vector<std::vector<size_t>> best(a.size() + 1, std::vector<size_t>(b.size() + 1, 0));
  for (size_t i = 0; i < a.size(); ++i) {
    for (size_t j = 0; j < b.size(); ++j) {
      best[i + 1][j + 1] = a[i] == b[j] ? best[i][j] + 1 : std::max(best[i][j + 1], best[i + 1][j]);
    }
  }
  return best[a.size()][b.size()];
}

TEST_CASE("what two sequences have in common") {
  CHECK(LongestCommon({}, {}).empty());
  CHECK(LongestCommon(Sequence{7, 8, 9}, Sequence{7, 5, 8, 9}) == std::vector<uint32_t>{0, 2, 3});
  CHECK(LongestCommon(Sequence{1, 2}, Sequence{}) == std::vector<uint32_t>(2, kUnpaired));
  CHECK(LongestCommon(Sequence{1, 1, 1}, Sequence{1, 1}) == std::vector<uint32_t>{0, 1, kUnpaired});
}

TEST_CASE("as much as the table of all pairs finds, in order, each once") {
  std::mt19937 random(29);  // NOLINT(cert-msc32-c,cert-msc51-cpp): the same in every run
  for (int round = 0; round < 300; ++round) {
    const uint64_t kinds = 1 + random() % 5;
    Sequence a(random() % 14), b(random() % 14);
    for (uint64_t& item : a) item = random() % kinds;
    for (uint64_t& item : b) item = random() % kinds;
    const std::vector<uint32_t> pairs = LongestCommon(a, b);
    REQUIRE(pairs.size() == a.size());
    CHECK(CountPaired(pairs) == LengthOfLongest(a, b));
    int64_t before = -1;
    for (size_t i = 0; i < a.size(); ++i) {
      if (pairs[i] == kUnpaired) continue;
      CHECK(int64_t{pairs[i]} > before);
      CHECK(a[i] == b[pairs[i]]);
      before = pairs[i];
    }
  }
}

TEST_CASE("many of one kind, and many of all kinds") {
  Sequence many(5000);
  for (size_t i = 0; i < many.size(); ++i) many[i] = i % 2;
  Sequence more = many;
  more.insert(more.begin() + 2500, {1, 1, 0, 5});
  CHECK(CountPaired(LongestCommon(many, more)) == many.size());
  Sequence turned(many.size());
  for (size_t i = 0; i < many.size(); ++i) turned[i] = many[i] = i;
  std::reverse(turned.begin(), turned.end());
  CHECK(CountPaired(LongestCommon(many, turned)) == 1);
}

}  // namespace
}  // namespace onnx_hier
