// SPDX-License-Identifier: Apache-2.0

// Where the bodies of local functions belong: where they are called.
//
// A call inside a body has no scope of its own. The parameters that are passed in tell: a call
// belongs to the module that contains all their owners. torch 2.1-2.4 names functions
// "<class path>_<module path>_<n>" with dots as underscores, which tells how far out to go. The
// body of a function that is called from several modules belongs to what contains them all.
#ifndef ONNX_HIER_LIB_OWNERS_FUNCTION_PLACES_H_
#define ONNX_HIER_LIB_OWNERS_FUNCTION_PLACES_H_

#include "lib/owners/evidence.h"
#include "onnx_hier/graph.h"
#include "onnx_hier/module_paths.h"

namespace onnx_hier {

// Fills in places and owners of the nodes in bodies and of the calls. Nodes outside of functions
// must have theirs. Recursive functions, which ONNX forbids, are left as they are.
void PlaceFunctions(const Graph& graph, ModulePaths& paths, Evidence& evidence);

}  // namespace onnx_hier

#endif  // ONNX_HIER_LIB_OWNERS_FUNCTION_PLACES_H_
