// SPDX-License-Identifier: Apache-2.0

// Further calls of modules that were traced or scripted before they were exported. torch names the
// scope of the first call only; what runs after it has the scope of the module around:
//
//   /body/0/lrelu/LeakyRelu   the first call of body.0.lrelu
//   /body/0/LeakyRelu         the second one, not body.0's own
//
// Such files are known by their lists: a member is "/body/0", where torch writes "/body/body.0" of
// modules that were not; and by calls that are not counted: there is no "/lrelu_1".
#ifndef ONNX_HIER_LIB_OWNERS_TRACED_CALLS_H_
#define ONNX_HIER_LIB_OWNERS_TRACED_CALLS_H_

#include "lib/names/printed_scopes.h"
#include "lib/owners/evidence.h"
#include "onnx_hier/graph.h"
#include "onnx_hier/ids.h"
#include "onnx_hier/module_paths.h"

namespace onnx_hier {

// Once names have placed the nodes. A node that reads the parameters of a module inside of its own
// is in that module, if the file was traced, or may have been and the module's own operator of that
// type reads them, too. In a traced file, an operator without parameters is a call of the only
// module inside that is nothing but such an operator. `scope_of` gives each node's printed scope,
// or none. Linear.
void PlaceTracedCalls(const Graph& graph, const PrintedScopes& printed,
                      const IdVector<NodeId, ScopeId>& scope_of, const ModulePaths& paths,
                      Evidence& evidence);

}  // namespace onnx_hier

#endif  // ONNX_HIER_LIB_OWNERS_TRACED_CALLS_H_
