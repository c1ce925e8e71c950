// SPDX-License-Identifier: Apache-2.0

// The main graph, training graph or function that a block is, or lies in.
#ifndef ONNX_HIER_LIB_GRAPH_TOP_BLOCKS_H_
#define ONNX_HIER_LIB_GRAPH_TOP_BLOCKS_H_

#include "onnx_hier/graph.h"
#include "onnx_hier/ids.h"

namespace onnx_hier {

// By block.
inline IdVector<BlockId, BlockId> FindTopBlocks(const Graph& graph) {
  IdVector<BlockId, BlockId> tops(graph.block_count());
  // What a block lies in comes before it.
  for (BlockId id : graph.block_ids()) {
    const Block& block = graph.block(id);
    tops[id] = block.kind == BlockKind::kSubgraph && block.parent.valid() ? tops[block.parent] : id;
  }
  return tops;
}

}  // namespace onnx_hier

#endif  // ONNX_HIER_LIB_GRAPH_TOP_BLOCKS_H_
