// A node's number in an order in which producers come first: see flow.h.
#ifndef ONNX_HIER_LIB_GRAPH_RANK_H_
#define ONNX_HIER_LIB_GRAPH_RANK_H_

#include <compare>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <utility>

namespace onnx_hier {

// An index as those of ids.h, with the arithmetic of positions: ranks differ by numbers of nodes. A
// default-constructed one is nowhere, and behind all others.
class Rank {
 public:
  constexpr Rank() = default;
  constexpr explicit Rank(size_t index) : index_(static_cast<uint32_t>(index)) {}

  constexpr bool valid() const { return index_ != kNone; }
  constexpr uint32_t index() const { return index_; }

  friend constexpr auto operator<=>(Rank a, Rank b) = default;

  constexpr Rank& operator++() {
    ++index_;
    return *this;
  }
  constexpr Rank& operator--() {
    --index_;
    return *this;
  }
  friend constexpr Rank operator+(Rank rank, uint32_t nodes) { return Rank(rank.index_ + nodes); }
  // From the second to the first, which is not before it.
  friend constexpr uint32_t operator-(Rank a, Rank b) { return a.index_ - b.index_; }

  template <class H>
  friend H AbslHashValue(H h, Rank rank) {
    return H::combine(std::move(h), rank.index_);
  }

 private:
  static constexpr uint32_t kNone = std::numeric_limits<uint32_t>::max();
  uint32_t index_ = kNone;
};

}  // namespace onnx_hier

#endif  // ONNX_HIER_LIB_GRAPH_RANK_H_
