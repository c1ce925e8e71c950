// SPDX-License-Identifier: Apache-2.0

// What a tensor holds in a few words, whatever the order of its numbers: the sum of a hash of each.
// Equal for a tensor that was transposed, reshaped, padded with zeros, or whose gates were put in
// another order; and that of several, put together, is the sum of theirs.
#ifndef ONNX_HIER_LIB_RELATE_CONTENT_PRINT_H_
#define ONNX_HIER_LIB_RELATE_CONTENT_PRINT_H_

#include <cstdint>
#include <utility>

#include "absl/status/statusor.h"
#include "lib/graph/tensor_values.h"
#include "onnx_hier/ids.h"

namespace onnx_hier {

struct ContentPrint {
  uint64_t low = 0;
  uint64_t high = 0;
  uint64_t count = 0;        // of numbers other than 0
  uint64_t information = 0;  // bits that tell them from others: few of zeros, ones, powers of two

  // Whether it is hardly any other tensor's by chance.
  bool says_enough() const { return information >= 40; }
  ContentPrint& operator+=(const ContentPrint& other);
  bool operator==(const ContentPrint& other) const {
    return low == other.low && high == other.high && count == other.count;
  }
  template <class H>
  friend H AbslHashValue(H h, const ContentPrint& print) {
    return H::combine(std::move(h), print.low, print.high, print.count);
  }
};

// Types that numbers are rounded to, to see whether they are the same then.
enum class RoundedTo : uint8_t { kFloat, kHalf, kBfloat };
constexpr size_t kRoundings = 3;

struct ContentPrints {
  bool is_known = false;  // what it holds can be read
  ContentPrint of[kRoundings];
};

// Of `elements` numbers, rounded to float, and as asked for to others. Errors of reading them.
absl::StatusOr<ContentPrints> ContentPrintsOf(TensorValues& values, TensorId tensor,
                                              uint64_t elements, const bool (&asked)[kRoundings]);

}  // namespace onnx_hier

#endif  // ONNX_HIER_LIB_RELATE_CONTENT_PRINT_H_
