// SPDX-License-Identifier: Apache-2.0
#include "lib/relate/sequence_alignment.h"

#include <algorithm>
#include <cstddef>

#include "absl/container/flat_hash_map.h"
#include "lib/audit/longest_run.h"

namespace onnx_hier {
namespace {

// The k-th item of a kind may be the one of another count of its kind, so far from k.
constexpr size_t kFarthest = 16;

struct Hit {
  uint32_t a;
  uint32_t b;
};

// By `a`, and for each of these the last of `b` first.
std::vector<Hit> FindHits(absl::Span<const uint64_t> a, absl::Span<const uint64_t> b) {
  absl::flat_hash_map<uint64_t, std::vector<uint32_t>> places;
  for (uint32_t i = 0; i < b.size(); ++i) places[b[i]].push_back(i);
  absl::flat_hash_map<uint64_t, size_t> counts;
  std::vector<Hit> hits;
  for (uint32_t i = 0; i < a.size(); ++i) {
    const auto found = places.find(a[i]);
    if (found == places.end()) continue;
    const std::vector<uint32_t>& of_kind = found->second;
    const size_t count = counts[a[i]]++;
    const size_t begin = count - std::min(count, kFarthest);
    for (size_t k = std::min(of_kind.size(), count + kFarthest + 1); k > begin; --k) {
      hits.push_back({i, of_kind[k - 1]});
    }
  }
  return hits;
}

// Numbers that rise where both places of hits do: of the same place in `b`, later ones are lower.
std::vector<uint32_t> RanksOf(const std::vector<Hit>& hits) {
  std::vector<uint32_t> order(hits.size());
  for (uint32_t i = 0; i < order.size(); ++i) order[i] = i;
  std::sort(order.begin(), order.end(), [&hits](uint32_t x, uint32_t y) {
    return hits[x].b != hits[y].b ? hits[x].b < hits[y].b : x > y;
  });
  std::vector<uint32_t> ranks(hits.size());
  for (uint32_t i = 0; i < order.size(); ++i) ranks[order[i]] = i;
  return ranks;
}

}  // namespace

std::vector<uint32_t> LongestCommon(absl::Span<const uint64_t> a, absl::Span<const uint64_t> b) {
  std::vector<uint32_t> pairs(a.size(), kUnpaired);
  const size_t shorter = std::min(a.size(), b.size());
  size_t begin = 0;
  for (; begin < shorter && a[begin] == b[begin]; ++begin) {
    pairs[begin] = static_cast<uint32_t>(begin);
  }
  size_t behind = 0;
  for (; begin + behind < shorter; ++behind) {
    const size_t in_a = a.size() - 1 - behind;
    const size_t in_b = b.size() - 1 - behind;
    if (a[in_a] != b[in_b]) break;
    pairs[in_a] = static_cast<uint32_t>(in_b);
  }
  const std::vector<Hit> hits = FindHits(a.subspan(begin, a.size() - begin - behind),
                                         b.subspan(begin, b.size() - begin - behind));
  const std::vector<char> in_run = LongestRun(RanksOf(hits));
  for (size_t i = 0; i < hits.size(); ++i) {
    if (in_run[i] != 0) pairs[begin + hits[i].a] = static_cast<uint32_t>(begin + hits[i].b);
  }
  return pairs;
}

}  // namespace onnx_hier
