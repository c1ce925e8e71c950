// SPDX-License-Identifier: Apache-2.0

// Which graphs are worth a second thread.
#ifndef ONNX_HIER_LIB_API_LARGE_GRAPH_H_
#define ONNX_HIER_LIB_API_LARGE_GRAPH_H_

#include <cstddef>

#include "onnx_hier/graph.h"

namespace onnx_hier {

// Whether work beside the caller's own pays, when so many threads are allowed. On smaller graphs a
// thread costs more than it spares.
inline bool IsWorthAThread(const Graph& graph, int threads) {
  constexpr size_t kNodes = 20000;
  return threads > 1 && graph.node_count() >= kNodes;
}

}  // namespace onnx_hier

#endif  // ONNX_HIER_LIB_API_LARGE_GRAPH_H_
