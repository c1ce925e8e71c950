#include "lib/evidence/evidence.h"

#include "lib/scope/scoped_name.h"

namespace onnx_hier {

Evidence CollectEvidence(const Graph& graph, ModulePaths& paths) {
  Evidence evidence;
  evidence.nodes.resize(graph.node_count());
  size_t scoped = 0;
  for (NodeId id : graph.node_ids()) {
    NodeEvidence& node = evidence.nodes[id];
    node.node_name = ScopeOfNodeName(graph.node(id).name, paths);
    for (ValueId value : graph.outputs(id)) {
      if (!value.valid() || node.value_name.valid()) continue;
      node.value_name = ScopeOfValueName(graph.value(value).name, paths);
    }
    if (node.node_name.valid() || node.value_name.valid()) ++scoped;
  }
  evidence.dialect = scoped > 0 ? "torchscript-scoped" : "unknown";
  return evidence;
}

}  // namespace onnx_hier
