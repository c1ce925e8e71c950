// SPDX-License-Identifier: Apache-2.0

// What speaks for a place in the walk, and how much: see walk.h.
#ifndef ONNX_HIER_LIB_OWNERS_WALK_WEIGHT_H_
#define ONNX_HIER_LIB_OWNERS_WALK_WEIGHT_H_

#include <cstdint>

namespace onnx_hier {

// What a place in a lattice, or a crossing, shows: a number for each thing that is weighed.
using WalkFeature = uint32_t;

// In hundredths, as weights are written, and in six bytes: there are thousands.
class WalkWeight {
 public:
  constexpr WalkWeight(WalkFeature feature, float weight)
      : high_(static_cast<uint16_t>(feature >> 16)),
        low_(static_cast<uint16_t>(feature & 0xFFFF)),
        hundredths_(static_cast<int16_t>(100 * weight + (weight < 0 ? -0.5f : 0.5f))) {}

  constexpr WalkFeature feature() const {
    return static_cast<WalkFeature>(high_) << 16 | static_cast<WalkFeature>(low_);
  }
  constexpr float weight() const { return static_cast<float>(hundredths_) / 100; }

 private:
  uint16_t high_;
  uint16_t low_;
  int16_t hundredths_;
};

}  // namespace onnx_hier

#endif  // ONNX_HIER_LIB_OWNERS_WALK_WEIGHT_H_
