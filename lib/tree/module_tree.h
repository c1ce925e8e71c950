// SPDX-License-Identifier: Apache-2.0

// Builds the ModuleTree and its totals from the owners of the nodes.
#ifndef ONNX_HIER_LIB_TREE_MODULE_TREE_H_
#define ONNX_HIER_LIB_TREE_MODULE_TREE_H_

#include <vector>

#include "absl/types/span.h"
#include "lib/graph/flow.h"
#include "lib/owners/evidence.h"
#include "onnx_hier/annotation.h"
#include "onnx_hier/graph.h"
#include "onnx_hier/module_paths.h"

namespace onnx_hier {

// Sets `modules`, and `network` where there is a map, from what else is in the annotation.
//
// A module is listed if it owns a node or a parameter, or if it contains a listed one; but not a
// container that owns nothing, holds numbered members only and is not known to be called (a
// ModuleList never is: its members stand for it). Every node has a module, and its call of it.
void SetModules(const Flow& flow, const Evidence& evidence, const ModuleMap& map,
                Annotation& annotation);

// The same modules, holding other nodes: those of `assignments`, each in one that is listed.
ModuleTree WithNodesOf(ModuleTree modules, size_t path_count, const Assignments& assignments);

// What an annotation says of one graph and those inside it: nodes elsewhere have no module, and
// modules that hold neither a node there nor a parameter that is read there are not listed.
Annotation OnlyIn(const Graph& graph, const Annotation& annotation, BlockId block);

// All initializers with their owners.
std::vector<OwnedParameter> ListParameters(const Graph& graph, const ModulePaths& paths,
                                           const Assignments& assignments,
                                           const Evidence& evidence);

}  // namespace onnx_hier

#endif  // ONNX_HIER_LIB_TREE_MODULE_TREE_H_
