// SPDX-License-Identifier: Apache-2.0

// From evidence to one owner for every node.
//
//   names      a node with a scope of its own belongs there
//   decisions  the others are weighed: twins in other layers, neighbours in the file and in the
//              data flow, parameters, structure
//
// Linear or nearly so in nodes and edges, the same result in every run.
#ifndef ONNX_HIER_LIB_OWNERS_INFER_H_
#define ONNX_HIER_LIB_OWNERS_INFER_H_

#include <vector>

#include "lib/graph/graph_analysis.h"
#include "lib/owners/evidence.h"
#include "lib/owners/known_modules.h"
#include "lib/owners/node_owners.h"
#include "lib/owners/open_decision.h"

namespace onnx_hier {

// Every node has a primary path afterwards. `known` is what CollectKnown() makes of the evidence.
// `paths` grows by modules that only twins name.
NodeOwners InferOwners(const GraphAnalysis& analysis, const Evidence& evidence,
                       const KnownModules& known, ModulePaths& paths,
                       const InferOptions& options = {});

// Modules that own parameters which nodes read, or nodes: other paths may be nobody's. With
// repeats.
std::vector<PathId> UsedPaths(const Evidence& evidence, const NodeOwners& owners);

// The two steps. What the first one placed, the second leaves alone.
void PlaceByNames(const Evidence& evidence, NodeOwners& owners);
void PlaceByDecisions(const GraphAnalysis& analysis, const Evidence& evidence,
                      const KnownModules& known, const InferOptions& options, ModulePaths& paths,
                      NodeOwners& owners);

}  // namespace onnx_hier

#endif  // ONNX_HIER_LIB_OWNERS_INFER_H_
