// SPDX-License-Identifier: Apache-2.0

// What a node looks like by itself.
#ifndef ONNX_HIER_LIB_GRAPH_NODE_LOOK_H_
#define ONNX_HIER_LIB_GRAPH_NODE_LOOK_H_

#include <cstdint>

#include "lib/base/hash.h"
#include "onnx_hier/graph.h"

namespace onnx_hier {

// Equal for nodes of the same operator with as many inputs.
inline uint64_t LookOfOperator(const Graph& graph, NodeId node) {
  return MixHash(graph.node(node).op.index(), graph.inputs(node).size());
}

// Equal for nodes of the same operator that read parameters of the same last words in the same
// slots.
uint64_t LookOf(const Graph& graph, NodeId node);

}  // namespace onnx_hier

#endif  // ONNX_HIER_LIB_GRAPH_NODE_LOOK_H_
