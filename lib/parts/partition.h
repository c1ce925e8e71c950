// SPDX-License-Identifier: Apache-2.0

// A row of pieces cut into parts of which the largest is as small as it can be.
//
//   pieces      0     1     2     3
//   items       a b   c     a     d        a 5, b 1, c 2, d 4
//
//   in two parts: 0 1 2 | 3, of 8 and 4    0 1 | 2 3 would be 8 and 9: both have `a`
//
// What several pieces of one part have counts once in it, and in each part that has it.
#ifndef ONNX_HIER_LIB_PARTS_PARTITION_H_
#define ONNX_HIER_LIB_PARTS_PARTITION_H_

#include <cstddef>
#include <cstdint>
#include <vector>

namespace onnx_hier {

struct Pieces {
  // Items of the pieces, each once in a piece: those of piece p are [first[p], first[p + 1]).
  std::vector<uint32_t> items;
  std::vector<uint32_t> first = {0};
  std::vector<uint64_t> weights;  // of items
  // For each piece, what a cut before it costs, and how far it is from the start: of cuts that make
  // the largest part equally small, those that cost least are taken near where all parts were even.
  std::vector<uint64_t> costs;
  std::vector<uint64_t> starts;
  uint64_t end = 0;  // where the last one ends, as `starts`

  size_t size() const { return first.size() - 1; }
};

// Where parts begin, but for the first: one less than `parts`, or than there are pieces. Largest
// sizes stop at 2^64 - 1. Linear, for each bit of the largest size.
std::vector<size_t> Partition(const Pieces& pieces, size_t parts);

// The piece that is the largest by itself, of equals the first. There must be one.
size_t LargestPiece(const Pieces& pieces);

}  // namespace onnx_hier

#endif  // ONNX_HIER_LIB_PARTS_PARTITION_H_
