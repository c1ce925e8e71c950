// SPDX-License-Identifier: Apache-2.0

// Who calls a module that nothing names, by an operator with a weight of its own.
//
//   MatMul (x, 'onnx::MatMul_7') -> Reshape -> Transpose     of a linear layer `k`, and of the
//                                                            attention that called it
//
// Who reads what a module without others made has called it, or holds who has: an operator whose
// weight nobody names is where all its readers are, if that is inside of where it is thought to be.
#ifndef ONNX_HIER_LIB_OWNERS_CALLERS_H_
#define ONNX_HIER_LIB_OWNERS_CALLERS_H_

#include "absl/functional/function_ref.h"
#include "lib/graph/flow.h"
#include "lib/names/module_children.h"
#include "onnx_hier/module_paths.h"

namespace onnx_hier {

// The module of all that reads the node, if the node is one of those and that holds others; else
// none. `place_of` gives the modules of nodes that compute.
PathId CallerOf(Rank rank, const Flow& flow, const ModulePaths& paths,
                const ModuleChildren& children, absl::FunctionRef<PathId(Rank)> place_of);

}  // namespace onnx_hier

#endif  // ONNX_HIER_LIB_OWNERS_CALLERS_H_
