// SPDX-License-Identifier: Apache-2.0

// What speaks for a place in the walk, and how much: see walk.h.
#ifndef ONNX_HIER_LIB_OWNERS_WALK_WEIGHT_H_
#define ONNX_HIER_LIB_OWNERS_WALK_WEIGHT_H_

#include <array>
#include <cstddef>
#include <cstdint>

#include "absl/types/span.h"

namespace onnx_hier {

// What a place in a lattice, or a crossing, shows: a number for each thing that is weighed.
using WalkFeature = uint32_t;

struct WalkWeight {
  WalkFeature feature;
  float weight;
};

// Weights as the program holds them: there are thousands, in hundredths, and the first bytes of
// all of them stand together, then the second ones and so on. That packages compress better.
class WalkWeights {
 public:
  constexpr WalkWeights() = default;
  constexpr explicit WalkWeights(absl::Span<const uint8_t> bytes) : bytes_(bytes) {}

  size_t size() const { return bytes_.size() / kBytes; }
  WalkWeight operator[](size_t row) const {
    WalkFeature feature = 0;
    for (size_t i = 0; i < kOfFeature; ++i) feature = feature << 8 | At(row, i);
    const auto hundredths =
        static_cast<int16_t>(At(row, kOfFeature) << 8 | At(row, kOfFeature + 1));
    return {feature, static_cast<float>(hundredths) / 100};
  }

  static constexpr size_t kOfFeature = 4;
  static constexpr size_t kBytes = kOfFeature + 2;

 private:
  uint32_t At(size_t row, size_t column) const { return bytes_[column * size() + row]; }

  absl::Span<const uint8_t> bytes_;
};

template <size_t kRows>
constexpr std::array<uint8_t, kRows * WalkWeights::kBytes> BytesOf(
    const WalkWeight (&weights)[kRows]) {
  std::array<uint8_t, kRows * WalkWeights::kBytes> bytes{};
  for (size_t row = 0; row < kRows; ++row) {
    const auto [feature, weight] = weights[row];
    const auto hundredths = static_cast<int16_t>(100 * weight + (weight < 0 ? -0.5f : 0.5f));
    for (size_t i = 0; i < WalkWeights::kOfFeature; ++i) {
      bytes[i * kRows + row] = static_cast<uint8_t>(feature >> (24 - 8 * i));
    }
    bytes[WalkWeights::kOfFeature * kRows + row] =
        static_cast<uint8_t>(static_cast<uint16_t>(hundredths) >> 8);
    bytes[(WalkWeights::kOfFeature + 1) * kRows + row] = static_cast<uint8_t>(hundredths);
  }
  return bytes;
}

}  // namespace onnx_hier

#endif  // ONNX_HIER_LIB_OWNERS_WALK_WEIGHT_H_
