// SPDX-License-Identifier: Apache-2.0

// A graph like another one, with other names for some of its nodes, values and tensors.
#ifndef ONNX_HIER_LIB_GRAPH_RENAMED_GRAPH_H_
#define ONNX_HIER_LIB_GRAPH_RENAMED_GRAPH_H_

#include "absl/strings/string_view.h"
#include "onnx_hier/graph.h"
#include "onnx_hier/ids.h"

namespace onnx_hier {

class RenamedGraph {
 public:
  explicit RenamedGraph(const Graph& graph) : graph_(graph) {}
  const Graph& graph() const { return graph_; }

  // Names are views: what they refer to must outlive this.
  void SetName(NodeId id, absl::string_view name) { graph_.nodes_[id].name = name; }
  void SetName(ValueId id, absl::string_view name) { graph_.values_[id].name = name; }
  void SetName(TensorId id, absl::string_view name) { graph_.tensors_[id].name = name; }

 private:
  Graph graph_;
};

}  // namespace onnx_hier

#endif  // ONNX_HIER_LIB_GRAPH_RENAMED_GRAPH_H_
