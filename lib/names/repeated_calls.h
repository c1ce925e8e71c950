// SPDX-License-Identifier: Apache-2.0

// Is "relu_1" the second call of `relu`, or a module that is named relu_1?
#ifndef ONNX_HIER_LIB_NAMES_REPEATED_CALLS_H_
#define ONNX_HIER_LIB_NAMES_REPEATED_CALLS_H_

#include <cstdint>

#include "absl/functional/function_ref.h"
#include "absl/strings/string_view.h"
#include "absl/types/span.h"
#include "lib/names/printed_scopes.h"
#include "onnx_hier/graph.h"
#include "onnx_hier/module_paths.h"

namespace onnx_hier {

// What a printed scope stands for: itself, or scope `base` printed once more.
struct ScopeMeaning {
  ScopeId base;
  uint32_t number = 0;  // 0: the name means what it says
  // Two modules are printed alike: containers that were never called, and that nothing names, must
  // lie between them and what is around ("q_proj.lora_A.default", "q_proj.lora_B.default").
  bool in_hidden_container = false;
};

// Decides for every scope in `printed`; base scopes that the file does not show are added.
//   inner scopes                   it is a name: calls leave no mark on what they contain
//   a number, as "0_1"             a call; with weights of other shapes, that name neither:
//                                  one of a module in another container
//   parameters named after it      "relu_1.weight": it is a name; "relu.weight": it is a call
//   no `relu` beside it            a name, unless elsewhere such a name is a call, or there is
//                                  another call of `relu`, or of what is in it and has weights, or
//                                  parameters know `relu`, or what is in it, only, or it has no
//                                  weights and a `relu` is printed in another module
//   the same weights as `relu`     a call; other weights, that name neither: two modules in
//                                  containers that are not printed
//   a mark like its own in `relu`  a call
//   operators in common            a call
//   none in common                 a name, unless there is another such call, and parameters know
//                                  `relu`, or what is in it, only, or names were lost and what each
//                                  of the two does stands together in other scopes called `relu` or
//                                  like it
// Where two modules are printed alike, they are so elsewhere, though one of them left no trace
// there. `lost_scope_of` is of other names that nodes have, or none: a fused node's.
IdVector<ScopeId, ScopeMeaning> FindRepeatedCalls(
    const Graph& graph, const IdVector<NodeId, ScopeId>& scope_of,
    absl::FunctionRef<ScopeId(NodeId)> lost_scope_of,
    absl::FunctionRef<absl::Span<const PathId>(NodeId)> owners_of,
    absl::FunctionRef<PathId(ValueId)> merged_owner_of, const ModulePaths& paths,
    PrintedScopes& printed);

}  // namespace onnx_hier

#endif  // ONNX_HIER_LIB_NAMES_REPEATED_CALLS_H_
