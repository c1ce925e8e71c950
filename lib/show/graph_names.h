// SPDX-License-Identifier: Apache-2.0

// Names of a model's graphs and functions, each the only one of its kind:
//
//   const GraphNames names(graph);
//   names[block];      // "main", "12/then_branch", "function::Gelu"
#ifndef ONNX_HIER_LIB_SHOW_GRAPH_NAMES_H_
#define ONNX_HIER_LIB_SHOW_GRAPH_NAMES_H_

#include <string>

#include "onnx_hier/graph.h"
#include "onnx_hier/ids.h"

namespace onnx_hier {

class GraphNames {
 public:
  explicit GraphNames(const Graph& graph);

  const std::string& operator[](BlockId block) const { return names_[block]; }

 private:
  IdVector<BlockId, std::string> names_;
};

}  // namespace onnx_hier

#endif  // ONNX_HIER_LIB_SHOW_GRAPH_NAMES_H_
