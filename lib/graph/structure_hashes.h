// SPDX-License-Identifier: Apache-2.0

// Hashes of what a node and its surroundings look like, names and tags left out: nodes that do the
// same in different layers have the same.
#ifndef ONNX_HIER_LIB_GRAPH_STRUCTURE_HASHES_H_
#define ONNX_HIER_LIB_GRAPH_STRUCTURE_HASHES_H_

#include <cstdint>
#include <vector>

#include "onnx_hier/graph.h"
#include "onnx_hier/ids.h"

namespace onnx_hier {

// [r][node]: everything within r edges, for r from 0 to `radius`. Linear in edges for each r.
std::vector<IdVector<NodeId, uint64_t>> StructureHashes(const Graph& graph, size_t radius);

}  // namespace onnx_hier

#endif  // ONNX_HIER_LIB_GRAPH_STRUCTURE_HASHES_H_
