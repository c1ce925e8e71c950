// A node's number in an order in which producers come first: see flow.h.
#ifndef ONNX_HIER_LIB_GRAPH_RANK_H_
#define ONNX_HIER_LIB_GRAPH_RANK_H_

#include <cstdint>

#include "onnx_hier/ids.h"

namespace onnx_hier {

// An id with the arithmetic of positions: ranks differ by numbers of nodes. One that is not valid
// is nowhere, and behind all others.
using Rank = Id<struct RankTag>;

constexpr bool operator>(Rank a, Rank b) { return b < a; }
constexpr bool operator<=(Rank a, Rank b) { return !(b < a); }
constexpr bool operator>=(Rank a, Rank b) { return !(a < b); }

constexpr Rank operator+(Rank rank, uint32_t nodes) { return Rank(rank.index() + nodes); }
// From the second to the first, which is not before it.
constexpr uint32_t operator-(Rank a, Rank b) { return a.index() - b.index(); }
constexpr Rank& operator++(Rank& rank) { return rank = Rank(rank.index() + 1); }
constexpr Rank& operator--(Rank& rank) { return rank = Rank(rank.index() - 1); }

}  // namespace onnx_hier

#endif  // ONNX_HIER_LIB_GRAPH_RANK_H_
