// SPDX-License-Identifier: Apache-2.0

// Operators with weights are in leaves, and a leaf does the same in each call; what stands behind a
// list may be in it.
#ifndef ONNX_HIER_LIB_OWNERS_LEAVES_H_
#define ONNX_HIER_LIB_OWNERS_LEAVES_H_

#include "lib/graph/flow.h"
#include "lib/owners/evidence.h"
#include "onnx_hier/annotation.h"
#include "onnx_hier/module_paths.h"

namespace onnx_hier {

// Of nodes of which no name tells. Where names tell which modules are called, moves out of lists,
// which are not: what is around them owns a node that none of their members has. Moves out of a
// leaf what not each of its calls has; lowers the confidence of operators that have a weight to
// themselves and were put into a module that holds others, since they are in one of these, and of
// activations and pools behind the last known member of a list that were put around the list. How
// surely such a node lies in its module stays. Nearly linear.
void CorrectByLeaves(const Flow& flow, const Evidence& evidence, const ModulePaths& paths,
                     Assignments& assignments);

}  // namespace onnx_hier

#endif  // ONNX_HIER_LIB_OWNERS_LEAVES_H_
