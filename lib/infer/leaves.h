// Operators with weights are in leaves, and a leaf does the same in each call; what stands behind a
// list may be in it.
#ifndef ONNX_HIER_LIB_INFER_LEAVES_H_
#define ONNX_HIER_LIB_INFER_LEAVES_H_

#include "lib/evidence/evidence.h"
#include "lib/graph/flow.h"
#include "onnx_hier/annotation.h"
#include "onnx_hier/graph.h"
#include "onnx_hier/module_paths.h"

namespace onnx_hier {

// Moves nodes of which no name tells out of leaves whose weights are read more often than they have
// such nodes: what stands between two calls of a module is in neither. Nearly linear.
void LeaveRepeatedLeaves(const Flow& flow, const Evidence& evidence, const ModulePaths& paths,
                         Assignments& assignments);

// Lowers the confidence of operators that have a weight to themselves, of which no name tells, and
// were put into a module that holds others: they are in one of these, as a rule. How surely they
// lie in the module stays.
void DoubtWeightsInContainers(const Graph& graph, const Evidence& evidence,
                              const ModulePaths& paths, Assignments& assignments);

// The same of activations and pools behind the last known member of a list that were put around the
// list: where a Sequential ends with one, nothing names that.
void DoubtBehindLists(const Flow& flow, const Evidence& evidence, const ModulePaths& paths,
                      Assignments& assignments);

}  // namespace onnx_hier

#endif  // ONNX_HIER_LIB_INFER_LEAVES_H_
