// SPDX-License-Identifier: Apache-2.0

// Whether what a folded model comes to is what was folded, as its table says (fold_table.h).
#ifndef ONNX_HIER_LIB_PARTS_FOLD_CHECKS_H_
#define ONNX_HIER_LIB_PARTS_FOLD_CHECKS_H_

#include <cstdint>
#include <string>
#include <vector>

#include "lib/onnx/node_messages.h"
#include "lib/parts/fold_table.h"
#include "lib/parts/node_places.h"
#include "onnx_hier/graph.h"

namespace onnx_hier {

// From the order of the walk to that of the flat graph. Nodes that stay have the positions that are
// left. False: the positions are none.
bool PutInPositions(const std::vector<uint32_t>& positions, std::vector<PlacedNode>& nodes);

// Of nodes in the order of the flat graph.
bool IsWhatWasFolded(const FoldTable& table, const std::vector<PlacedNode>& nodes);

// Of a model that does not come to what was folded, the first that differs: "function 'encoder'".
// `messages` are without tags.
std::string WhatWasChanged(const Graph& graph, const NodeMessages& messages,
                           const FoldTable& table);

}  // namespace onnx_hier

#endif  // ONNX_HIER_LIB_PARTS_FOLD_CHECKS_H_
