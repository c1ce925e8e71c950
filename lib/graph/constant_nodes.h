// Nodes that compute from parameters and constants alone: the same in every run.
#ifndef ONNX_HIER_LIB_GRAPH_CONSTANT_NODES_H_
#define ONNX_HIER_LIB_GRAPH_CONSTANT_NODES_H_

#include "onnx_hier/graph.h"
#include "onnx_hier/ids.h"

namespace onnx_hier {

// Those that read what stands behind them in the file are none, nor are those with graphs inside.
IdSet<NodeId> ConstantNodes(const Graph& graph);

}  // namespace onnx_hier

#endif  // ONNX_HIER_LIB_GRAPH_CONSTANT_NODES_H_
