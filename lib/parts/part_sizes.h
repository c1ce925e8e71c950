// SPDX-License-Identifier: Apache-2.0

// What a stretch of units adds to the size of a part: its nodes, what is said of them, or its
// parameters, and those that
// it needs by way of constants and shape arithmetic, of which each part has its own.
#ifndef ONNX_HIER_LIB_PARTS_PART_SIZES_H_
#define ONNX_HIER_LIB_PARTS_PART_SIZES_H_

#include <vector>

#include "lib/parts/partition.h"
#include "lib/parts/repeatable.h"
#include "lib/parts/units.h"
#include "onnx_hier/part.h"

namespace onnx_hier {

// The units from each of `begins`, in order, to the next one, as pieces with items and weights and
// nothing else. The first begin is the first unit. What a repeatable unit stands for counts in each
// part that needs it; of one with more than 64 nodes or parameters behind it, only where it is
// needed first: so all is linear.
Pieces MeasurePieces(const Units& units, const Repeatable& repeatable, const SplitRequest& request,
                     const std::vector<Unit>& begins);

}  // namespace onnx_hier

#endif  // ONNX_HIER_LIB_PARTS_PART_SIZES_H_
