// SPDX-License-Identifier: Apache-2.0

// How many bytes two texts begin with alike.
#ifndef ONNX_HIER_LIB_BASE_COMMON_PREFIX_H_
#define ONNX_HIER_LIB_BASE_COMMON_PREFIX_H_

#include <algorithm>
#include <bit>
#include <cstddef>
#include <cstdint>

#include "absl/strings/string_view.h"
#include "lib/base/load_word.h"

namespace onnx_hier {

// Eight bytes at a time: names of neighbours have much in common.
inline size_t CommonPrefix(absl::string_view a, absl::string_view b) {
  const size_t size = std::min(a.size(), b.size());
  size_t at = 0;
  for (; at + sizeof(uint64_t) <= size; at += sizeof(uint64_t)) {
    const uint64_t difference =
        LoadWord<uint64_t>(a.data() + at) ^ LoadWord<uint64_t>(b.data() + at);
    if (difference == 0) continue;
    const int bits = std::endian::native == std::endian::little ? std::countr_zero(difference)
                                                                : std::countl_zero(difference);
    return at + static_cast<size_t>(bits) / 8;
  }
  while (at < size && a[at] == b[at]) ++at;
  return at;
}

}  // namespace onnx_hier

#endif  // ONNX_HIER_LIB_BASE_COMMON_PREFIX_H_
