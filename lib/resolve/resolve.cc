#include "lib/resolve/resolve.h"

namespace onnx_hier {

Assignments Resolve(const Graph& graph, const Evidence& evidence, const ModulePaths& paths) {
  Assignments assignments(graph.node_count());
  ResolveByNames(evidence, assignments);
  ResolveByLocality(graph, paths, assignments);
  return assignments;
}

}  // namespace onnx_hier
