// From evidence to one owner for every node.
//
//   names      a node with a scope of its own belongs there
//   locality   a node without one belongs to the nearest module that must contain it
//
// No step changes what an earlier one decided.
#ifndef ONNX_HIER_LIB_RESOLVE_RESOLVE_H_
#define ONNX_HIER_LIB_RESOLVE_RESOLVE_H_

#include "lib/evidence/evidence.h"
#include "onnx_hier/annotation.h"
#include "onnx_hier/graph.h"
#include "onnx_hier/ids.h"

namespace onnx_hier {

using Assignments = IdVector<NodeId, Assignment>;

// Every node has a primary path afterwards. Linear in nodes and edges.
Assignments Resolve(const Graph& graph, const Evidence& evidence, const ModulePaths& paths);

// The steps, each in a file of its own name. They return whether they decided anything.
bool ResolveByNames(const Evidence& evidence, Assignments& assignments);
bool ResolveByLocality(const Graph& graph, const ModulePaths& paths, Assignments& assignments);

}  // namespace onnx_hier

#endif  // ONNX_HIER_LIB_RESOLVE_RESOLVE_H_
