// SPDX-License-Identifier: Apache-2.0

// Nodes of a main graph that give way to others.
#ifndef ONNX_HIER_LIB_PARTS_NODE_PLACES_H_
#define ONNX_HIER_LIB_PARTS_NODE_PLACES_H_

#include <cstdint>
#include <string>
#include <vector>

#include "lib/graph/unfolded_calls.h"
#include "onnx_hier/edits.h"
#include "onnx_hier/graph.h"
#include "onnx_hier/ids.h"

namespace onnx_hier {

// A node of the main graph as it is to be.
struct PlacedNode {
  NodeId node;              // of the model, that it is or is made of; none: it is new
  bool stays = false;       // it stays where it is in the file
  std::string bytes;        // else: a NodeProto
  uint32_t call = kNoCall;  // whose body it is from, as Unfold() counts them
};

// Makes the main graph these nodes, in this order. Those that stay are in the file's order.
void PlaceNodes(const Graph& graph, const std::vector<PlacedNode>& nodes, Edits& edits);

}  // namespace onnx_hier

#endif  // ONNX_HIER_LIB_PARTS_NODE_PLACES_H_
