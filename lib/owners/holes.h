// SPDX-License-Identifier: Apache-2.0

// A call of a module is not left in between: what stands between two nodes of it, in the order in
// which all ran, is in it.
//
//   Reshape (layer.0/attn, .62)   Concat (layer.0, .14)   MatMul (layer.0/attn, .55)
//
// The Concat is in the attention, too. Only what is less surely in the module around it than its
// neighbours are in theirs: else one of these may be what is wrong.
#ifndef ONNX_HIER_LIB_OWNERS_HOLES_H_
#define ONNX_HIER_LIB_OWNERS_HOLES_H_

#include <vector>

#include "lib/graph/flow.h"
#include "lib/names/module_children.h"
#include "onnx_hier/module_paths.h"

namespace onnx_hier {

struct HoleNode {
  Rank rank;
  PathId module;   // that it is in
  Rank neighbour;  // a node of that, next to the hole
};

// Of a file whose order is that of the trace. `places` are the modules of all nodes of the main
// graph that are no constants, `sureness` how likely each is right. The root's own code may stand
// between all that it holds. Linear in nodes.
std::vector<HoleNode> FindHoles(const Flow& flow, const ModulePaths& paths,
                                const ModuleChildren& children, IdVector<Rank, PathId> places,
                                const IdVector<Rank, float>& sureness);

}  // namespace onnx_hier

#endif  // ONNX_HIER_LIB_OWNERS_HOLES_H_
