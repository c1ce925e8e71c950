#include "lib/resolve/resolve.h"

namespace onnx_hier {

Resolution Resolve(const Graph& graph, const Evidence& evidence, ModulePaths& paths,
                   const WeightTables& tables, DecisionTrace* trace) {
  Resolution resolution;
  resolution.assignments.resize(graph.node_count());
  ResolveByNames(evidence, resolution.assignments);
  const Flow flow(graph);
  const KnownModules known = CollectKnown(flow, evidence, paths);
  if (tables.dense.empty()) {
    ResolveByRules(flow, evidence, known, paths, resolution.assignments);
  } else {
    ResolveByDecisions(flow, evidence, known, tables, paths, resolution.assignments, trace);
  }
  ResolveCalls(flow, known, resolution.assignments);
  FindAuxiliary(flow, paths, resolution);
  return resolution;
}

}  // namespace onnx_hier
