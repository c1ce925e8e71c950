// Builds the ModuleTree and its totals from the owners of the nodes.
#ifndef ONNX_HIER_LIB_HIERARCHY_MODULE_TREE_H_
#define ONNX_HIER_LIB_HIERARCHY_MODULE_TREE_H_

#include "lib/evidence/evidence.h"
#include "onnx_hier/annotation.h"
#include "onnx_hier/graph.h"
#include "onnx_hier/module_map.h"

namespace onnx_hier {

// A module is listed if it owns a node or a parameter, or if it contains a listed one; but not a
// container that owns nothing, holds numbered members only and is not known to be called (a
// ModuleList never is: its members stand for it). A parameter belongs to the module that it is
// named after, else to the common ancestor of the nodes that read it.
ModuleTree BuildModuleTree(const Graph& graph, const ModulePaths& paths,
                           const Assignments& assignments, const Evidence& evidence,
                           const ModuleMap& map);

}  // namespace onnx_hier

#endif  // ONNX_HIER_LIB_HIERARCHY_MODULE_TREE_H_
