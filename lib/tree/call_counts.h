// SPDX-License-Identifier: Apache-2.0

// How often each module ran.
//
//   Conv (heads/cls.0, call 0) -> Conv (heads/cls.2, call 0) -> Reshape (/)
//   Conv (heads/cls.0, call 1) -> Conv (heads/cls.2, call 1) -> Reshape (/)
//
// Nodes tell it of the modules that own them. heads/cls has none: it ran twice, since all that is
// inside did, first the one run and then the other, and it was left in between. A module that only
// does twice what it holds, one right after the other and without a use for the first result, did
// so in one run.
#ifndef ONNX_HIER_LIB_TREE_CALL_COUNTS_H_
#define ONNX_HIER_LIB_TREE_CALL_COUNTS_H_

#include <cstdint>

#include "lib/graph/flow.h"
#include "lib/owners/evidence.h"
#include "onnx_hier/annotation.h"
#include "onnx_hier/module_paths.h"

namespace onnx_hier {

// At least 1, of each path. Every node has a module, and its call of it, in `assignments`.
IdVector<PathId, uint32_t> CountCalls(const Flow& flow, const Evidence& evidence,
                                      const ModulePaths& paths, const Assignments& assignments);

}  // namespace onnx_hier

#endif  // ONNX_HIER_LIB_TREE_CALL_COUNTS_H_
