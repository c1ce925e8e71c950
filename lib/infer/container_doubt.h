// Operators with weights are in leaves.
#ifndef ONNX_HIER_LIB_INFER_CONTAINER_DOUBT_H_
#define ONNX_HIER_LIB_INFER_CONTAINER_DOUBT_H_

#include "lib/evidence/evidence.h"
#include "onnx_hier/annotation.h"
#include "onnx_hier/graph.h"
#include "onnx_hier/module_paths.h"

namespace onnx_hier {

// Lowers the confidence of operators that have a weight to themselves, of which no name tells, and
// were put into a module that holds others: they are in one of these, as a rule. How surely they
// lie in the module stays.
void DoubtWeightsInContainers(const Graph& graph, const Evidence& evidence,
                              const ModulePaths& paths, Assignments& assignments);

}  // namespace onnx_hier

#endif  // ONNX_HIER_LIB_INFER_CONTAINER_DOUBT_H_
