// SPDX-License-Identifier: Apache-2.0

// What an operator calculates, of its shapes.
#ifndef ONNX_HIER_LIB_COST_OPERATIONS_H_
#define ONNX_HIER_LIB_COST_OPERATIONS_H_

#include <optional>

#include "absl/types/span.h"
#include "lib/shapes/shaped_node.h"

namespace onnx_hier {

struct Operations {
  Dim macs = 0;    // multiply-accumulates; not known: as many as nothing tells
  Dim others = 0;  // of operators without any: one for each element that is made or reduced
};

// `output`: the dimensions of what it makes first.
Operations OperationsOf(const ShapedNode& node, std::optional<absl::Span<const Dim>> output);

}  // namespace onnx_hier

#endif  // ONNX_HIER_LIB_COST_OPERATIONS_H_
