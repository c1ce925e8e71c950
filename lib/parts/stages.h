// SPDX-License-Identifier: Apache-2.0

// Units in stages that run one after the other: what a unit reads is made in its own stage or an
// earlier one. Repeatable units have no stage of their own: each stage has what it needs of them.
#ifndef ONNX_HIER_LIB_PARTS_STAGES_H_
#define ONNX_HIER_LIB_PARTS_STAGES_H_

#include <cstdint>
#include <vector>

#include "lib/parts/repeatable.h"
#include "lib/parts/units.h"

namespace onnx_hier {

struct Stages {
  IdVector<Unit, uint32_t> of;
  uint32_t count = 0;
  // Units that need what a later stage makes, so that they cannot be where they were wanted. Not
  // empty: these are no stages.
  std::vector<Unit> misplaced;
};

// `anchors`, in the order in which they run, each go to a stage of their own: 1, 2, ... What comes
// before the first one, and is not needed later than it, is in stage 0, what needs the last one in
// the stage behind it, all else in the first stage in which it can run. Linear.
Stages StagesByAnchors(const Units& units, const Repeatable& repeatable,
                       const std::vector<std::vector<Unit>>& anchors);

}  // namespace onnx_hier

#endif  // ONNX_HIER_LIB_PARTS_STAGES_H_
