// SPDX-License-Identifier: Apache-2.0
#include "lib/onnx/file_order.h"

#include "absl/algorithm/container.h"

namespace onnx_hier {

void SortInFileOrder(const ScannedModel& model, std::vector<NodeId>& nodes) {
  const auto comes_first = [&](NodeId a, NodeId b) {
    return model.frames[model.node_frames[a]].begin < model.frames[model.node_frames[b]].begin;
  };
  // Nearly always they are, and that is quick to see.
  if (!absl::c_is_sorted(nodes, comes_first)) absl::c_sort(nodes, comes_first);
}

}  // namespace onnx_hier
