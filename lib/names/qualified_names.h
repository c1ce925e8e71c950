// SPDX-License-Identifier: Apache-2.0

// From printed scopes to modules as named_modules() knows them, with the number of the call.
//
// What exporters print is not what users call their modules (exporters' naming rules: torch/csrc/
// jit/passes/onnx/naming.cpp):
//   /decoder/Shape                    the module is model.decoder: `model` was never called
//   /cls 1/fc/Gemm                    heads.cls 1.fc, a member of a ModuleDict
//   /layer1.0/relu_1/Relu             the second call of layer1.0.relu
//   /proj/fc_1/Gemm                   b.proj.fc, printed like a.proj.fc
//   /encoder/shared, /decoder/shared  one module `shared`, called by two others
//   /conv_1/Conv                      or just an attribute that is named conv_1
// Parameters keep their whole names, so the nodes that read them tell; what is around and inside
// those modules follows from them; which of several, the flow of data tells. Where nothing tells, a
// name means what it says.
#ifndef ONNX_HIER_LIB_NAMES_QUALIFIED_NAMES_H_
#define ONNX_HIER_LIB_NAMES_QUALIFIED_NAMES_H_

#include "absl/functional/function_ref.h"
#include "absl/types/span.h"
#include "lib/names/printed_scopes.h"
#include "lib/names/run_numbers.h"
#include "onnx_hier/graph.h"
#include "onnx_hier/ids.h"
#include "onnx_hier/module_paths.h"

namespace onnx_hier {

// `scope_of` gives each node's printed scope (or none), `lost_scope_of` that of another name it
// has (or none), `owners_of` the modules of the parameters it reads, `merged_owner_of` the one that
// a merged parameter is named after (or none), `known_modules` modules that are known from
// elsewhere, `top` the one that all of a joined model is in (the root: none). New modules are added
// to `paths`, new scopes to `printed`. Linear in nodes, edges and the depth of scopes.
ScopePlaces ReconcileScopes(const Graph& graph, const IdVector<NodeId, ScopeId>& scope_of,
                            absl::FunctionRef<ScopeId(NodeId)> lost_scope_of,
                            absl::FunctionRef<absl::Span<const PathId>(NodeId)> owners_of,
                            absl::FunctionRef<PathId(ValueId)> merged_owner_of,
                            absl::Span<const PathId> known_modules, PathId top,
                            PrintedScopes& printed, ModulePaths& paths);

}  // namespace onnx_hier

#endif  // ONNX_HIER_LIB_NAMES_QUALIFIED_NAMES_H_
