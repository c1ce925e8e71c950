// A part of a function's body, or of a graph inside a node, becomes the main graph.

#include <algorithm>
#include <string>
#include <utility>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "absl/strings/str_cat.h"
#include "lib/api/cutter_state.h"
#include "lib/api/model_source.h"
#include "lib/base/status_macros.h"
#include "lib/edits/call_attributes.h"
#include "lib/edits/model_layout.h"
#include "onnx_hier/onnx_hier.h"

namespace onnx_hier {
absl::Status Cutter::State::Lift(const Part& part, const Kept& kept, Edits& edits) const {
  const BlockId main = graph.main_block();
  const Place& place = PlaceOf(part);
  for (NodeId node : part.nodes) {
    edits.Move(node, main);
    for (ValueId value : graph.outputs(node)) {
      if (!value.valid() || kept.IsOutput(value)) continue;
      const absl::string_view stated = place.types.stated(value);
      if (!stated.empty()) edits.AddValueInfo(main, stated);
    }
  }
  for (ValueId value : kept.parameters()) {
    const TensorId tensor = place.units.tensor(value);
    if (graph.tensor(tensor).block != main) {
      edits.Move(tensor, main);
    } else if (graph.tensor(tensor).name != graph.value(value).name) {
      edits.SetName(tensor, graph.value(value).name);
    }
  }
  const BlockId top = calls.TopOf(part.graph);
  if (top == main) return absl::OkStatus();
  const ModelSource& source = ModelAccess::Source(model);
  OH_ASSIGN_OR_RETURN(const ModelLayout layout,
                      ModelLayout::Read(source.image, source.scanned,
                                        std::vector<bool>(graph.node_count(), false)));
  for (const OpsetImport& opset : FunctionOpsets(layout, top)) {
    edits.SetOpset(opset.domain, opset.version);
  }
  std::vector<NodeId> nodes;
  for (NodeId node : kept.nodes()) {
    if (calls.TopOf(graph.node(node).block) == top) nodes.push_back(node);
  }
  return FillAttributes(source.image, source.scanned, layout, part.callers, nodes, edits);
}

}  // namespace onnx_hier
