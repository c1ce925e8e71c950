// SPDX-License-Identifier: Apache-2.0

// A graph and those inside of it.
#ifndef ONNX_HIER_LIB_GRAPH_INNER_BLOCKS_H_
#define ONNX_HIER_LIB_GRAPH_INNER_BLOCKS_H_

#include "onnx_hier/graph.h"
#include "onnx_hier/ids.h"

namespace onnx_hier {

inline IdSet<BlockId> WithInnerBlocks(const Graph& graph, BlockId outer) {
  IdSet<BlockId> inside(graph.block_count());
  for (BlockId id : graph.block_ids()) {
    BlockId around = id;
    while (around.valid() && around != outer) around = graph.block(around).parent;
    if (around.valid()) inside.Add(id);
  }
  return inside;
}

}  // namespace onnx_hier

#endif  // ONNX_HIER_LIB_GRAPH_INNER_BLOCKS_H_
