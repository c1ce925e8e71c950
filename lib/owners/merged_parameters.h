// SPDX-License-Identifier: Apache-2.0

// Parameters that were merged with equal ones of other modules.
//
// Fresh layer norms are all ones and zeros, fresh biases zeros. Exporters keep one of equal
// parameters, and copies of it under the names of the others; a tool that takes the copies out
// leaves one parameter that the norms of all layers read:
//
//   layers.0.norm.weight -> Mul (of layers.0.norm)
//   layers.0.norm.weight -> Mul (of layers.1.norm)
//
// Where a node is that reads such a parameter, its name does not tell.
#ifndef ONNX_HIER_LIB_OWNERS_MERGED_PARAMETERS_H_
#define ONNX_HIER_LIB_OWNERS_MERGED_PARAMETERS_H_

#include "onnx_hier/graph.h"
#include "onnx_hier/ids.h"
#include "onnx_hier/module_paths.h"

namespace onnx_hier {

// Vectors that several nodes read by the same operator, although their module is not called so
// often: its matrices, or those of what is around it, are read less often, and the model itself is
// called once. With what nodes make of these alone. Linear, but for the depth of modules.
IdSet<ValueId> FindMergedParameters(const Graph& graph,
                                    const IdVector<ValueId, PathId>& value_owners,
                                    const ModulePaths& paths);

}  // namespace onnx_hier

#endif  // ONNX_HIER_LIB_OWNERS_MERGED_PARAMETERS_H_
