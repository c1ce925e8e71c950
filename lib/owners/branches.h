// SPDX-License-Identifier: Apache-2.0

// Branches that were given to a module of which they show no sign.
//
// Between a node and a join there may be two branches, of which only one has parameters with names:
// an attention without biases beside a perceptron. All that is around the other one is in the
// perceptron, and so each of its nodes is likely to be. But none of them exchanges data with what
// is surely in there.
#ifndef ONNX_HIER_LIB_OWNERS_BRANCHES_H_
#define ONNX_HIER_LIB_OWNERS_BRANCHES_H_

#include <vector>

#include "lib/graph/flow.h"
#include "onnx_hier/ids.h"
#include "onnx_hier/module_paths.h"

namespace onnx_hier {

// The nodes of all such branches, in order of their ranks. A branch is a number of connected nodes
// with one module in `places`: no path inside that module leads from them to an `is_anchored` node
// or back, nor do they only prepare something for nodes with such a path. Sizes are computed
// anywhere: what handles nothing else makes no branch, but belongs to one. Nodes without a place
// count for nothing. Linear in nodes and edges.
std::vector<Rank> FindStrayBranches(const Flow& flow, const ModulePaths& paths,
                                    const IdVector<Rank, PathId>& places,
                                    const IdSet<Rank>& is_anchored);

}  // namespace onnx_hier

#endif  // ONNX_HIER_LIB_OWNERS_BRANCHES_H_
