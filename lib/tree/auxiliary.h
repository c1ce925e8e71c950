// SPDX-License-Identifier: Apache-2.0

// Other modules than its own whose values meet in a node (all those of a join whose inputs come
// from modules side by side, at most 16), that share what it makes, or whose work it does since an
// optimiser fused it.
#ifndef ONNX_HIER_LIB_TREE_AUXILIARY_H_
#define ONNX_HIER_LIB_TREE_AUXILIARY_H_

#include <vector>

#include "lib/graph/graph_analysis.h"
#include "lib/owners/evidence.h"
#include "onnx_hier/annotation.h"

namespace onnx_hier {

// What Assignment::auxiliary ranges over, which is set. Every node has a primary path.
std::vector<PathId> FindAuxiliary(const GraphAnalysis& analysis, const Evidence& evidence,
                                  const ModulePaths& paths, Assignments& assignments);

}  // namespace onnx_hier

#endif  // ONNX_HIER_LIB_TREE_AUXILIARY_H_
