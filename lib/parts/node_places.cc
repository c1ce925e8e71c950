// SPDX-License-Identifier: Apache-2.0
#include "lib/parts/node_places.h"

#include <cstddef>

namespace onnx_hier {

void PlaceNodes(const Graph& graph, const std::vector<PlacedNode>& nodes, Edits& edits) {
  IdSet<NodeId> stays(graph.node_count());
  size_t next = 0;
  for (size_t i = 0; i < nodes.size(); ++i) {
    if (!nodes[i].stays) continue;
    stays.Add(nodes[i].node);
    for (; next < i; ++next) edits.PutInBefore(nodes[i].node, nodes[next].bytes);
    next = i + 1;
  }
  for (; next < nodes.size(); ++next) edits.PutInAtEnd(graph.main_block(), nodes[next].bytes);
  for (NodeId node : graph.nodes(graph.main_block())) {
    if (!stays.Has(node)) edits.LeaveOut(node);
  }
}

}  // namespace onnx_hier
