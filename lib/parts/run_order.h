// SPDX-License-Identifier: Apache-2.0

// Whether a graph can run at all: parts of one that cannot would compute something else.
#ifndef ONNX_HIER_LIB_PARTS_RUN_ORDER_H_
#define ONNX_HIER_LIB_PARTS_RUN_ORDER_H_

#include "absl/status/status.h"
#include "lib/parts/units.h"

namespace onnx_hier {

// The graph's nodes must make each value once, before it is read. kFailedPrecondition: they do not;
// says which and where.
absl::Status CheckRunOrder(const Units& units);

}  // namespace onnx_hier

#endif  // ONNX_HIER_LIB_PARTS_RUN_ORDER_H_
