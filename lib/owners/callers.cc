// SPDX-License-Identifier: Apache-2.0
#include "lib/owners/callers.h"

#include "lib/graph/weight.h"

namespace onnx_hier {

PathId CallerOf(Rank rank, const Flow& flow, const ModulePaths& paths,
                const ModuleChildren& children, absl::FunctionRef<PathId(Rank)> place_of) {
  const Graph& graph = flow.graph();
  const NodeId node = flow.node(rank);
  if (!IsWeighted(graph.op(node).type) || !ReadsMatrix(graph, node)) return PathId();
  const PathId place = place_of(rank);
  PathId caller;
  for (const Flow::Edge& edge : flow.consumers(rank)) {
    caller = paths.Join(caller, place_of(edge.rank));
  }
  const bool is_inside = caller.valid() && caller != place && paths.Contains(place, caller);
  return is_inside && children.count(caller) > 0 ? caller : PathId();
}

}  // namespace onnx_hier
