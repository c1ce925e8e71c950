// SPDX-License-Identifier: Apache-2.0

// Local functions that stand for several modules: exporters that write a repeated block once, and
// the block's function hand in each block's parameters.
//
//   layers.0 -> repeated_subgraph0(x, layers.0.fc.weight)      one body, a module for each call
//   layers.1 -> repeated_subgraph0(y, layers.1.fc.weight)
//
// Functions of operators (aten_linear of onnxscript) are what operators are.
#ifndef ONNX_HIER_LIB_PARTS_SHARED_FUNCTIONS_H_
#define ONNX_HIER_LIB_PARTS_SHARED_FUNCTIONS_H_

#include "onnx_hier/graph.h"
#include "onnx_hier/ids.h"

namespace onnx_hier {

// Those that are given different parameters for one input, by way of other functions, too, or whose
// calls say in their metadata that they are different modules; what calls them, and what they call.
// Linear.
IdSet<BlockId> FindSharedFunctions(const Graph& graph);

}  // namespace onnx_hier

#endif  // ONNX_HIER_LIB_PARTS_SHARED_FUNCTIONS_H_
