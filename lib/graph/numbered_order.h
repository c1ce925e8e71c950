// SPDX-License-Identifier: Apache-2.0

// The order in which nodes were made, where their names tell.
//
//   Conv_0, Constant_1, Relu_2, ...   one count over all operators, as torch wrote it up to 1.12
//   shape_0, gather_1, add_2, ...     one count over all values
//   linear, add, linear_1, add_1      a count for each stem of values, as torch.export writes it
//
// Tools that sort nodes anew, or collect constants, mostly keep the names: onnxruntime writes
// nearly every model in another order.
#ifndef ONNX_HIER_LIB_GRAPH_NUMBERED_ORDER_H_
#define ONNX_HIER_LIB_GRAPH_NUMBERED_ORDER_H_

#include <optional>

#include "lib/graph/flow.h"

namespace onnx_hier {

// The nodes by their numbers, each behind all that it reads; what has no number stands before the
// first that reads it. Where each stem has a count of its own, the next is the node that reads what
// was made last, of those that their stems allow: programs run so. None: the numbers tell of no
// order, or the nodes are in it. n log n in nodes, and linear in edges.
std::optional<IdVector<Rank, NodeId>> OrderByNumbers(const Flow& flow);

}  // namespace onnx_hier

#endif  // ONNX_HIER_LIB_GRAPH_NUMBERED_ORDER_H_
