// What a node reads and makes, as keys of its object in a sidecar:
//
//   "inputs":["x",""],"outputs":["y"],"types":["float32"]
#ifndef ONNX_HIER_LIB_TAGS_NODE_VALUES_H_
#define ONNX_HIER_LIB_TAGS_NODE_VALUES_H_

#include <string>

#include "absl/types/span.h"
#include "lib/base/json_text.h"
#include "lib/types/value_types.h"
#include "onnx_hier/graph.h"

namespace onnx_hier {

class NodeValues {
 public:
  // Both must outlive this.
  NodeValues(const Graph& graph, const ValueTypes& types) : graph_(graph), types_(types) {}

  void AppendTo(NodeId node, std::string* out) const;

 private:
  void AppendNames(absl::Span<const ValueId> values, JsonText& json) const;

  const Graph& graph_;
  const ValueTypes& types_;
};

}  // namespace onnx_hier

#endif  // ONNX_HIER_LIB_TAGS_NODE_VALUES_H_
