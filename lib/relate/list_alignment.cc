// SPDX-License-Identifier: Apache-2.0
#include "lib/relate/list_alignment.h"

#include <algorithm>
#include <cstddef>
#include <utility>

#include "absl/container/flat_hash_map.h"
#include "lib/relate/sequence_alignment.h"

namespace onnx_hier {
namespace {

using Members = absl::Span<const ListMember>;
using Hash = uint64_t ListMember::*;

// Those of the same number.
std::vector<uint32_t> PairNumbers(Members a, Members b) {
  std::vector<uint32_t> pairs(a.size(), kUnpaired);
  for (size_t i = 0, j = 0; i < a.size() && j < b.size();) {
    if (a[i].number == b[j].number) pairs[i] = static_cast<uint32_t>(j);
    const bool next_a = a[i].number <= b[j].number;
    const bool next_b = b[j].number <= a[i].number;
    i += next_a ? 1 : 0;
    j += next_b ? 1 : 0;
  }
  return pairs;
}

// One after the other where they are as many, else those of the same number.
std::vector<uint32_t> PairPlaces(Members a, Members b) {
  if (a.size() != b.size()) return PairNumbers(a, b);
  std::vector<uint32_t> pairs(a.size());
  for (uint32_t i = 0; i < pairs.size(); ++i) pairs[i] = i;
  return pairs;
}

// Only pairs with the same hash: by place, unless their longest common sequence has more.
std::vector<uint32_t> PairAlike(Members a, Members b, Hash hash) {
  std::vector<uint64_t> of_a, of_b;
  for (const ListMember& member : a) of_a.push_back(member.*hash);
  for (const ListMember& member : b) of_b.push_back(member.*hash);
  std::vector<uint32_t> by_place = PairPlaces(a, b);
  size_t same = 0;
  for (size_t i = 0; i < a.size(); ++i) {
    if (by_place[i] != kUnpaired && of_a[i] != of_b[by_place[i]]) by_place[i] = kUnpaired;
    if (by_place[i] != kUnpaired) ++same;
  }
  std::vector<uint32_t> longest = LongestCommon(of_a, of_b);
  const auto paired = static_cast<size_t>(std::count_if(
      longest.begin(), longest.end(), [](uint32_t place) { return place != kUnpaired; }));
  return paired > same ? longest : by_place;
}

class MemberPairing {
 public:
  MemberPairing(Members a, Members b) : a_(a), b_(b), a_of_(b.size(), kUnpaired) {
    result_.b_of.assign(a.size(), kUnpaired);
    result_.moved.assign(a.size(), 0);
  }

  MemberPairs Pair(bool are_numbers) && {
    const auto alike = [](Hash hash) {
      return [hash](Members a, Members b) { return PairAlike(a, b, hash); };
    };
    Fill(alike(&ListMember::contents));
    PairMoved();
    Fill(alike(&ListMember::structure));
    Fill(are_numbers ? PairPlaces : PairNumbers);
    return std::move(result_);
  }

 private:
  void Join(size_t a, size_t b) {
    result_.b_of[a] = static_cast<uint32_t>(b);
    a_of_[b] = static_cast<uint32_t>(a);
  }

  // Asks for each gap between pairs that are in order which of those left in it are the same.
  template <class PairGap>
  void Fill(PairGap pair_gap) {
    size_t begin_b = 0;
    std::vector<ListMember> gap_a, gap_b;
    std::vector<size_t> places_a, places_b;
    for (size_t i = 0; i <= a_.size(); ++i) {
      const bool is_end = i == a_.size();
      if (!is_end && result_.b_of[i] == kUnpaired) {
        gap_a.push_back(a_[i]);
        places_a.push_back(i);
      }
      if (!is_end && (result_.b_of[i] == kUnpaired || result_.moved[i] != 0)) continue;
      const size_t end_b = is_end ? b_.size() : result_.b_of[i];
      for (; begin_b < end_b; ++begin_b) {
        if (a_of_[begin_b] != kUnpaired) continue;
        gap_b.push_back(b_[begin_b]);
        places_b.push_back(begin_b);
      }
      begin_b = end_b + 1;
      const std::vector<uint32_t> pairs = pair_gap(Members(gap_a), Members(gap_b));
      for (size_t k = 0; k < pairs.size(); ++k) {
        if (pairs[k] != kUnpaired) Join(places_a[k], places_b[pairs[k]]);
      }
      gap_a.clear();
      gap_b.clear();
      places_a.clear();
      places_b.clear();
    }
  }

  // What holds the same elsewhere. Members without parameters are alike too often.
  void PairMoved() {
    absl::flat_hash_map<uint64_t, std::vector<size_t>> left;
    for (size_t j = b_.size(); j > 0; --j) {
      if (a_of_[j - 1] == kUnpaired) left[b_[j - 1].contents].push_back(j - 1);
    }
    for (size_t i = 0; i < a_.size(); ++i) {
      if (result_.b_of[i] != kUnpaired || !a_[i].has_contents) continue;
      const auto found = left.find(a_[i].contents);
      if (found == left.end() || found->second.empty()) continue;
      Join(i, found->second.back());
      found->second.pop_back();
      result_.moved[i] = 1;
    }
  }

  const Members a_;
  const Members b_;
  MemberPairs result_;
  std::vector<uint32_t> a_of_;
};

}  // namespace

MemberPairs AlignMembers(Members a, Members b, bool are_numbers) {
  return MemberPairing(a, b).Pair(are_numbers);
}

}  // namespace onnx_hier
