// SPDX-License-Identifier: Apache-2.0

// Operators with weights are in leaves, those that quantisers made of one in the same; lists own
// nothing.
#ifndef ONNX_HIER_LIB_OWNERS_LEAVES_H_
#define ONNX_HIER_LIB_OWNERS_LEAVES_H_

#include "lib/graph/flow.h"
#include "lib/owners/evidence.h"
#include "lib/owners/node_owners.h"
#include "onnx_hier/module_paths.h"

namespace onnx_hier {

// Of nodes of which neither a name nor a parameter tells. Where names tell which modules are
// called, moves out of lists, which are not. Lowers the confidence of operators that have a weight
// to themselves and were put into a module that holds others, since they are in one of these; how
// surely they lie in it stays. Puts what quantisers made of one operator into the leaf that any of
// it is in. Nearly linear.
void CorrectByLeaves(const Flow& flow, const Evidence& evidence, const ModulePaths& paths,
                     NodeOwners& owners);

}  // namespace onnx_hier

#endif  // ONNX_HIER_LIB_OWNERS_LEAVES_H_
