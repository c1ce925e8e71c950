// SPDX-License-Identifier: Apache-2.0

// Which local function an operator is.
#ifndef ONNX_HIER_LIB_GRAPH_CALLEES_H_
#define ONNX_HIER_LIB_GRAPH_CALLEES_H_

#include "onnx_hier/graph.h"
#include "onnx_hier/ids.h"

namespace onnx_hier {

// By operator, the body that its nodes run; none: it is no local function. Empty where the model
// has no functions. Of functions given twice, the last one counts.
IdVector<OpId, BlockId> FindCallees(const Graph& graph);

// The body that nodes of `op` run, of what FindCallees gave; or none.
inline BlockId CalleeOf(OpId op, const IdVector<OpId, BlockId>& callees) {
  return callees.empty() ? BlockId() : callees[op];
}

}  // namespace onnx_hier

#endif  // ONNX_HIER_LIB_GRAPH_CALLEES_H_
