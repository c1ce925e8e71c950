// SPDX-License-Identifier: Apache-2.0

// Stages as parts that run one after the other: each reads what the model is given and what earlier
// ones give.
#ifndef ONNX_HIER_LIB_PARTS_CHAIN_H_
#define ONNX_HIER_LIB_PARTS_CHAIN_H_

#include <vector>

#include "lib/parts/closure.h"
#include "lib/parts/repeatable.h"
#include "lib/parts/stages.h"
#include "lib/parts/units.h"

namespace onnx_hier {

struct Link {
  uint32_t stage = 0;
  Closure closure;  // as copied counts what an earlier link has too
};

// Those that give anything, in order. The last one gives what the model gives out of constants and
// shapes alone, and parameters that are outputs of the model.
std::vector<Link> Chain(const Units& units, const Repeatable& repeatable, const Stages& stages);

}  // namespace onnx_hier

#endif  // ONNX_HIER_LIB_PARTS_CHAIN_H_
