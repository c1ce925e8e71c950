// SPDX-License-Identifier: Apache-2.0

// Decides the module of every open node by weighing features.
//
// A file with some names left is decided in two passes, node by node: what is sure after the first
// counts as known in the second. Then nodes that are not sure are decided once more, along the
// walk. A file without names is decided between the owners of its parameters; its constants follow
// the nodes that read them.
#ifndef ONNX_HIER_LIB_OWNERS_DECISIONS_H_
#define ONNX_HIER_LIB_OWNERS_DECISIONS_H_

#include <vector>

#include "lib/graph/flow.h"
#include "lib/graph/graph_analysis.h"
#include "lib/owners/evidence.h"
#include "lib/owners/known_modules.h"
#include "lib/owners/open_decision.h"
#include "onnx_hier/module_paths.h"

namespace onnx_hier {

// Whether so few nodes say where they are that the others cannot be compared with them.
bool IsNameless(const Flow& flow, const KnownModules& known);

// One for each open node, in order of their ranks. `paths` grows by modules that twins suggest.
std::vector<OpenDecision> DecideOpenNodes(const GraphAnalysis& analysis, const Evidence& evidence,
                                          KnownModules known, const InferOptions& options,
                                          ModulePaths& paths);

}  // namespace onnx_hier

#endif  // ONNX_HIER_LIB_OWNERS_DECISIONS_H_
