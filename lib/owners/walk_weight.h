// SPDX-License-Identifier: Apache-2.0

// What speaks for a place in the walk, and how much: see walk.h.
#ifndef ONNX_HIER_LIB_OWNERS_WALK_WEIGHT_H_
#define ONNX_HIER_LIB_OWNERS_WALK_WEIGHT_H_

#include <cstdint>

namespace onnx_hier {

// What a place in a lattice, or a crossing, shows: a number for each thing that is weighed.
using WalkFeature = uint32_t;

struct WalkWeight {
  WalkFeature feature;
  float weight;
};

}  // namespace onnx_hier

#endif  // ONNX_HIER_LIB_OWNERS_WALK_WEIGHT_H_
