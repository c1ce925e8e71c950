// SPDX-License-Identifier: Apache-2.0

// Which items of one sequence are which of another one, in the same order.
//
//   LongestCommon({7, 8, 9}, {7, 5, 8, 9})    // {0, 2, 3}
#ifndef ONNX_HIER_LIB_RELATE_SEQUENCE_ALIGNMENT_H_
#define ONNX_HIER_LIB_RELATE_SEQUENCE_ALIGNMENT_H_

#include <cstdint>
#include <vector>

#include "absl/types/span.h"

namespace onnx_hier {

constexpr uint32_t kUnpaired = 0xFFFFFFFFu;

// For each item of `a` the place of the same one in `b`, or kUnpaired: a longest common
// subsequence, unless more than 16 of one kind come before one of them in only one of the two.
// n log n.
std::vector<uint32_t> LongestCommon(absl::Span<const uint64_t> a, absl::Span<const uint64_t> b);

}  // namespace onnx_hier

#endif  // ONNX_HIER_LIB_RELATE_SEQUENCE_ALIGNMENT_H_
