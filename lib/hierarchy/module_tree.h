// Builds the ModuleTree and its totals from the owners of the nodes.
#ifndef ONNX_HIER_LIB_HIERARCHY_MODULE_TREE_H_
#define ONNX_HIER_LIB_HIERARCHY_MODULE_TREE_H_

#include "onnx_hier/annotation.h"
#include "onnx_hier/graph.h"

namespace onnx_hier {

// A module is listed if it owns a node, or if it contains a listed one; but not a container that
// owns nothing and holds numbered members only (a ModuleList is never called: its members stand
// for it). A parameter belongs to the common ancestor of the nodes that read it.
ModuleTree BuildModuleTree(const Graph& graph, const ModulePaths& paths,
                           const IdVector<NodeId, Assignment>& assignments);

}  // namespace onnx_hier

#endif  // ONNX_HIER_LIB_HIERARCHY_MODULE_TREE_H_
