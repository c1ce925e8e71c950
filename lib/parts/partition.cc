// SPDX-License-Identifier: Apache-2.0
#include "lib/parts/partition.h"

#include <algorithm>
#include <limits>
#include <utility>

namespace onnx_hier {
namespace {

constexpr uint64_t kMost = std::numeric_limits<uint64_t>::max();

// The size of a part that pieces are added to.
class PartSize {
 public:
  explicit PartSize(const Pieces& pieces) : pieces_(pieces), last_part_(pieces.weights.size(), 0) {}

  void Clear() {
    ++part_;
    size_ = 0;
  }
  // Returns the size with it.
  uint64_t Add(size_t piece) {
    for (uint32_t i = pieces_.first[piece]; i < pieces_.first[piece + 1]; ++i) {
      const uint32_t item = pieces_.items[i];
      if (last_part_[item] == part_) continue;
      last_part_[item] = part_;
      const uint64_t weight = pieces_.weights[item];
      size_ = weight > kMost - size_ ? kMost : size_ + weight;
    }
    return size_;
  }

 private:
  const Pieces& pieces_;
  std::vector<uint64_t> last_part_;  // by item
  uint64_t part_ = 0;
  uint64_t size_ = 0;
};

class Partitioning {
 public:
  Partitioning(const Pieces& pieces, size_t parts)
      : pieces_(pieces), parts_(std::min(parts, pieces.size())), size_(pieces) {}

  std::vector<size_t> Cut() {
    std::vector<size_t> cuts;
    if (parts_ < 2) return cuts;
    FindBound();
    FindEarliest();
    FindGiants();
    size_t begin = 0;
    for (size_t part = 0; part + 1 < parts_; ++part) {
      begin = BestCut(begin, part);
      cuts.push_back(begin);
    }
    return cuts;
  }

 private:
  struct Filling {
    size_t parts = 1;
    uint64_t largest = 0;     // of these
    uint64_t wanted = kMost;  // the least bound that would make another one
  };

  // Fills one part after the other as far as `bound` allows; stops where they are too many.
  Filling Fill(uint64_t bound) {
    Filling filling;
    size_.Clear();
    for (size_t piece = 0; piece < pieces_.size(); ++piece) {
      uint64_t size = size_.Add(piece);
      if (size > bound) {
        filling.wanted = std::min(filling.wanted, size);
        if (++filling.parts > parts_) return filling;
        size_.Clear();
        size = size_.Add(piece);
      }
      filling.largest = std::max(filling.largest, size);
    }
    return filling;
  }

  // The least bound that so many parts can keep. No bound below `wanted` fills otherwise.
  void FindBound() {
    uint64_t lower = 0;
    for (size_t piece = 0; piece < pieces_.size(); ++piece) {
      size_.Clear();
      lower = std::max(lower, size_.Add(piece));
    }
    uint64_t upper = Fill(kMost).largest;
    while (lower < upper) {
      const Filling filling = Fill(lower + (upper - lower) / 2);
      if (filling.parts <= parts_) {
        upper = filling.largest;
      } else {
        lower = filling.wanted;
      }
    }
    bound_ = upper;
  }

  // For each cut, the first place behind which the remaining parts keep the bound: filled from the
  // end.
  void FindEarliest() {
    earliest_.assign(parts_ - 1, 0);
    size_t piece = pieces_.size();
    for (size_t cut = parts_ - 1; cut-- > 0 && piece > 0;) {
      size_.Clear();
      while (piece > 0 && size_.Add(piece - 1) <= bound_) --piece;
      earliest_[cut] = piece;
    }
  }

  // Pieces that are more than an even share of what is left without them: the others are shared out
  // among the remaining parts.
  void FindGiants() {
    std::vector<std::pair<uint64_t, size_t>> lengths;
    for (size_t piece = 0; piece < pieces_.size(); ++piece) {
      const bool is_last = piece + 1 == pieces_.size();
      const uint64_t end = is_last ? pieces_.end : pieces_.starts[piece + 1];
      lengths.emplace_back(end - pieces_.starts[piece], piece);
    }
    std::sort(lengths.rbegin(), lengths.rend());
    giants_from_.assign(pieces_.size() + 1, {0, 0});
    uint64_t rest = pieces_.end;
    for (size_t i = 0; i + 1 < parts_; ++i) {
      rest -= lengths[i].first;
      if (lengths[i].first <= rest / (parts_ - 1 - i)) break;
      giants_from_[lengths[i].second] = {lengths[i].first, 1};
    }
    for (size_t piece = pieces_.size(); piece-- > 0;) {
      giants_from_[piece].first += giants_from_[piece + 1].first;
      giants_from_[piece].second += giants_from_[piece + 1].second;
    }
  }

  // What parts from `begin` on have, if they are even.
  double ShareFrom(size_t begin, size_t parts) const {
    const auto& [length, count] = giants_from_[begin];
    const auto rest = static_cast<double>(pieces_.end - pieces_.starts[begin] - length);
    return rest / static_cast<double>(parts > count ? parts - count : 1);
  }

  // Where the `part`-th part, which begins at `begin`, ends: so that the rest can keep the bound,
  // in as many parts as are left.
  size_t BestCut(size_t begin, size_t part) {
    // How far it may be from where parts were even, of such a part.
    constexpr double kSlack = 0.3;
    const size_t left = parts_ - part;
    const auto start = static_cast<double>(pieces_.starts[begin]);
    const double share = ShareFrom(begin, left);
    const size_t first = std::max(begin + 1, earliest_[part]);
    const size_t last = pieces_.size() - (left - 1);
    size_t best = first;
    std::pair<uint64_t, double> best_cost = {kMost, std::numeric_limits<double>::max()};
    size_.Clear();
    for (size_t piece = begin; piece < last && size_.Add(piece) <= bound_; ++piece) {
      const size_t cut = piece + 1;
      if (cut < first) continue;
      const double off = static_cast<double>(pieces_.starts[cut]) - start - share;
      const double away = off < 0 ? -off : off;
      const std::pair<uint64_t, double> cost(away > share * kSlack ? kMost : pieces_.costs[cut],
                                             away);
      if (cost < best_cost) {
        best = cut;
        best_cost = cost;
      }
      if (off > share * kSlack) break;
    }
    return best;
  }

  const Pieces& pieces_;
  const size_t parts_;
  PartSize size_;
  uint64_t bound_ = 0;
  std::vector<size_t> earliest_;  // by cut
  // By piece, lengths of the giants from it on, and how many these are.
  std::vector<std::pair<uint64_t, size_t>> giants_from_;
};

}  // namespace

std::vector<size_t> Partition(const Pieces& pieces, size_t parts) {
  return Partitioning(pieces, parts).Cut();
}

size_t LargestPiece(const Pieces& pieces) {
  PartSize size(pieces);
  std::pair<uint64_t, size_t> largest = {0, 0};
  for (size_t piece = 0; piece < pieces.size(); ++piece) {
    size.Clear();
    const uint64_t own = size.Add(piece);
    if (own > largest.first) largest = {own, piece};
  }
  return largest.second;
}

}  // namespace onnx_hier
