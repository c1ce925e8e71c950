// SPDX-License-Identifier: Apache-2.0

// Where nodes belong by what they stand for in the model that their own was made from.
#ifndef ONNX_HIER_LIB_RELATE_TRANSFERRED_PLACES_H_
#define ONNX_HIER_LIB_RELATE_TRANSFERRED_PLACES_H_

#include <vector>

#include "lib/owners/evidence.h"
#include "lib/relate/graph_match.h"
#include "onnx_hier/annotation.h"
#include "onnx_hier/graph.h"
#include "onnx_hier/module_paths.h"

namespace onnx_hier {

struct TransferredPlaces {
  IdVector<PathId, PathId> paths;    // of the original's, in the new model's
  IdVector<NodeId, NodeId> sources;  // of the new nodes: whose place each has; or none
};

// Places every node that has a counterpart, whatever its own name says: the original knows more of
// what the names mean. Nodes that were put in go with what they serve. Modules of the original are
// all known to be called.
TransferredPlaces PlaceTransferred(const GraphMatch& match, const Annotation& original,
                                   const Graph& graph, ModulePaths& paths, Evidence& evidence);

}  // namespace onnx_hier

#endif  // ONNX_HIER_LIB_RELATE_TRANSFERRED_PLACES_H_
