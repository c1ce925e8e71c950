#include "lib/graph/constant_nodes.h"

#include "absl/algorithm/container.h"

namespace onnx_hier {

IdSet<NodeId> ConstantNodes(const Graph& graph) {
  IdSet<NodeId> constants(graph.node_count());
  const auto is_constant = [&](ValueId id) {
    if (!id.valid()) return true;
    const Value& value = graph.value(id);
    if (value.kind == ValueKind::kInitializer) return true;
    return value.producer.valid() && constants.Has(value.producer);
  };
  for (NodeId node : graph.node_ids()) {
    if (graph.blocks(node).empty() && absl::c_all_of(graph.inputs(node), is_constant)) {
      constants.Add(node);
    }
  }
  return constants;
}

}  // namespace onnx_hier
