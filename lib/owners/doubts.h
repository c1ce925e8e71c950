// SPDX-License-Identifier: Apache-2.0

// What names leave open is open for all that goes by them.
#ifndef ONNX_HIER_LIB_OWNERS_DOUBTS_H_
#define ONNX_HIER_LIB_OWNERS_DOUBTS_H_

#include "lib/owners/evidence.h"
#include "lib/owners/least.h"
#include "lib/owners/node_owners.h"
#include "onnx_hier/module_paths.h"

namespace onnx_hier {

// A module of which names tell with some doubt may be called otherwise: no node is in it more
// surely than they say, nor than the reading of all names is. Nodes which a module then holds less
// surely than `least` says get the first one on their way out that holds them so.
void DoubtNames(const Evidence& evidence, const NameSureness& sureness, const Least& least,
                const ModulePaths& paths, NodeOwners& owners);

}  // namespace onnx_hier

#endif  // ONNX_HIER_LIB_OWNERS_DOUBTS_H_
