// SPDX-License-Identifier: Apache-2.0

// Which module's parameter each value is.
#ifndef ONNX_HIER_LIB_OWNERS_PARAMETER_OWNERS_H_
#define ONNX_HIER_LIB_OWNERS_PARAMETER_OWNERS_H_

#include "lib/owners/evidence.h"
#include "onnx_hier/graph.h"
#include "onnx_hier/ids.h"
#include "onnx_hier/module_paths.h"

namespace onnx_hier {

// By the names of initializers; also of what nodes make of a single module's parameters alone
// (a transposed, cast or dequantised weight), and of constants that carry a parameter's name (the
// copy of a parameter that was merged with an equal one).
IdVector<ValueId, PathId> FindParameterOwners(const Graph& graph, ModulePaths& paths);

// Sets what the node reads by its parameters' names: distinct modules. One that it alone reads is
// its module's own, and outranks what others read too; a merged parameter tells nothing.
void FindOwnersOf(const Graph& graph, NodeId node, Evidence& evidence);

}  // namespace onnx_hier

#endif  // ONNX_HIER_LIB_OWNERS_PARAMETER_OWNERS_H_
