// SPDX-License-Identifier: Apache-2.0
#include "lib/parts/partition.h"

#include <algorithm>
#include <limits>
#include <set>

#include "doctest/doctest.h"
#include "tests/support/random.h"

namespace onnx_hier {
namespace {

using testing::Random;

// The distinct items of the pieces from `begin` to `end`.
uint64_t SizeOf(const Pieces& pieces, size_t begin, size_t end) {
  std::set<uint32_t> items;
  for (uint32_t i = pieces.first[begin]; i < pieces.first[end]; ++i) items.insert(pieces.items[i]);
  uint64_t size = 0;
  for (const uint32_t item : items) size += pieces.weights[item];
  return size;
}

uint64_t Largest(const Pieces& pieces, const std::vector<size_t>& cuts) {
  uint64_t largest = 0;
  size_t begin = 0;
  for (size_t i = 0; i <= cuts.size(); ++i) {
    const size_t end = i < cuts.size() ? cuts[i] : pieces.size();
    largest = std::max(largest, SizeOf(pieces, begin, end));
    begin = end;
  }
  return largest;
}

// Of all ways to cut the pieces from `begin` on into `parts`.
uint64_t LeastLargest(const Pieces& pieces, size_t begin, size_t parts) {
  if (parts == 1) return SizeOf(pieces, begin, pieces.size());
  uint64_t least = std::numeric_limits<uint64_t>::max();
  for (size_t cut = begin + 1; cut + parts - 1 <= pieces.size(); ++cut) {
    least =
        std::min(least, std::max(SizeOf(pieces, begin, cut), LeastLargest(pieces, cut, parts - 1)));
  }
  return least;
}

Pieces RandomPieces(Random& random) {
  Pieces pieces;
  const size_t items = 1 + random.Below(12);
  const uint64_t most = random.OneIn(3) ? 3 : 100;
  for (size_t i = 0; i < items; ++i) {
    pieces.weights.push_back(random.OneIn(4) ? 0 : random.Below(most));
  }
  const size_t count = 1 + random.Below(9);
  for (size_t piece = 0; piece < count; ++piece) {
    std::set<uint32_t> own;
    for (uint64_t i = random.Below(4); i-- > 0;) {
      own.insert(static_cast<uint32_t>(random.Below(items)));
    }
    pieces.items.insert(pieces.items.end(), own.begin(), own.end());
    pieces.first.push_back(static_cast<uint32_t>(pieces.items.size()));
    pieces.costs.push_back(random.Below(5));
    pieces.starts.push_back(pieces.end);
    pieces.end += random.Below(30);
  }
  return pieces;
}

TEST_CASE("the largest part is as small as in the best of all ways to cut") {
  Random random(7);
  for (uint64_t round = 0; round < testing::Rounds(4000); ++round) {
    const Pieces pieces = RandomPieces(random);
    const size_t parts = 1 + random.Below(6);
    const std::vector<size_t> cuts = Partition(pieces, parts);
    const size_t made = std::min(parts, pieces.size());
    REQUIRE(cuts.size() == made - 1);
    size_t before = 0;
    for (const size_t cut : cuts) {
      REQUIRE(cut > before);
      REQUIRE(cut < pieces.size());
      before = cut;
    }
    REQUIRE(Largest(pieces, cuts) == LeastLargest(pieces, 0, made));
  }
}

// Pieces with items of their own, of these weights.
Pieces Row(const std::vector<uint64_t>& weights) {
  Pieces pieces;
  for (const uint64_t weight : weights) {
    pieces.items.push_back(static_cast<uint32_t>(pieces.items.size()));
    pieces.first.push_back(static_cast<uint32_t>(pieces.items.size()));
    pieces.weights.push_back(weight);
    pieces.costs.push_back(0);
    pieces.starts.push_back(pieces.end);
    pieces.end += std::min<uint64_t>(weight, 1000);
  }
  return pieces;
}

TEST_CASE("what is left beside a large part is even, too") {
  CHECK(Partition(Row({90, 5, 5, 5, 5, 5, 5}), 3) == std::vector<size_t>{1, 4});
  CHECK(Partition(Row({5, 5, 5, 5, 90}), 3) == std::vector<size_t>{2, 4});
}

TEST_CASE("of cuts that do equally well, what costs least") {
  Pieces pieces = Row({10, 10, 10, 10, 10, 30, 10, 10});
  CHECK(Partition(pieces, 2) == std::vector<size_t>{5});
  pieces = Row({10, 10, 10, 1, 1, 1, 10, 10, 10, 40});
  pieces.costs = {9, 9, 9, 3, 1, 3, 9, 9, 9, 9};
  CHECK(Partition(pieces, 3) == std::vector<size_t>{4, 9});
}

TEST_CASE("sizes that no number holds stop at the largest one") {
  const uint64_t huge = std::numeric_limits<uint64_t>::max() - 1;
  CHECK(Partition(Row({huge, huge, huge}), 3) == std::vector<size_t>{1, 2});
  CHECK(Partition(Row({huge, huge, huge}), 2).size() == 1);
  CHECK(LargestPiece(Row({3, 9, 9, 1})) == 1);
}

}  // namespace
}  // namespace onnx_hier
