// SPDX-License-Identifier: Apache-2.0

// Which call of its module each node is in, where its name does not tell.
#ifndef ONNX_HIER_LIB_TREE_CALLS_H_
#define ONNX_HIER_LIB_TREE_CALLS_H_

#include "lib/graph/flow.h"
#include "lib/owners/evidence.h"
#include "lib/owners/known_modules.h"
#include "onnx_hier/annotation.h"

namespace onnx_hier {

// A node is in the run of its module in which it stands; where names tell of calls that do not show
// in the file, in the call whose own nodes stand nearest to it. Every node has a module in
// `assignments`; calls that names tell stay.
void NumberCalls(const Flow& flow, const Evidence& evidence, const KnownModules& known,
                 const ModulePaths& paths, Assignments& assignments);

}  // namespace onnx_hier

#endif  // ONNX_HIER_LIB_TREE_CALLS_H_
