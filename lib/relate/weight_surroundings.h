// SPDX-License-Identifier: Apache-2.0

// Weights that stand around one in the graph: of the same module, as a rule.
#ifndef ONNX_HIER_LIB_RELATE_WEIGHT_SURROUNDINGS_H_
#define ONNX_HIER_LIB_RELATE_WEIGHT_SURROUNDINGS_H_

#include <cstddef>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "lib/relate/weight_views.h"
#include "onnx_hier/graph.h"
#include "onnx_hier/ids.h"

namespace onnx_hier {

class WeightSurroundings {
 public:
  // Both must outlive this; weights are told by their places in `views`.
  WeightSurroundings(const Graph& graph, const std::vector<WeightView>& views);

  // Those that are read with it first, then those that its readers' other inputs are made with,
  // then those that what they make is used with. Operators that only pass a value on are stepped
  // over. Empty for one that many read.
  std::vector<size_t> Around(size_t view) const;
  // None: nothing reads it.
  NodeId FirstReader(size_t view) const;

 private:
  void ViewsReadBy(NodeId node, std::vector<size_t>& views) const;
  void ReadersOf(ValueId value, int way, std::vector<NodeId>& readers) const;
  // What makes it, behind those that only pass it on; none: nothing does.
  NodeId MakerOf(ValueId value) const;

  const Graph& graph_;
  const std::vector<WeightView>& views_;
  absl::flat_hash_map<ValueId, size_t> view_of_;
};

}  // namespace onnx_hier

#endif  // ONNX_HIER_LIB_RELATE_WEIGHT_SURROUNDINGS_H_
