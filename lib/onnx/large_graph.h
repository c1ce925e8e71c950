// SPDX-License-Identifier: Apache-2.0

// Which graphs are worth more than one thread, and how many.
#ifndef ONNX_HIER_LIB_ONNX_LARGE_GRAPH_H_
#define ONNX_HIER_LIB_ONNX_LARGE_GRAPH_H_

#include <algorithm>
#include <cstddef>
#include <thread>

#include "lib/onnx/model_source.h"
#include "onnx_hier/graph.h"
#include "onnx_hier/model.h"

namespace onnx_hier {

// How many threads a large graph may have of those that are allowed; 0: as many as there are
// processors, up to 16.
inline size_t MostThreads(int allowed) {
  constexpr size_t kMostThreads = 16;
  if (allowed > 0) return static_cast<size_t>(allowed);
  return std::clamp<size_t>(std::thread::hardware_concurrency(), 1, kMostThreads);
}

// On how many of them to work. On smaller graphs a thread costs more than it spares.
inline size_t ThreadsFor(const Graph& graph, int allowed) {
  constexpr size_t kLargeGraph = 20000;
  return graph.node_count() < kLargeGraph ? 1 : MostThreads(allowed);
}

// As many as the model was opened for.
inline size_t ThreadsFor(const Model& model) {
  return ThreadsFor(model.graph(), ModelAccess::Source(model).threads);
}

}  // namespace onnx_hier

#endif  // ONNX_HIER_LIB_ONNX_LARGE_GRAPH_H_
