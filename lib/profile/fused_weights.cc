// SPDX-License-Identifier: Apache-2.0
#include "lib/profile/fused_weights.h"

#include <algorithm>

#include "lib/graph/weight.h"

namespace onnx_hier {
namespace {

// Of nodes between a weight and the last one that is fused with it. onnxruntime's longest chain is
// the one above; HardSwish adds three.
constexpr size_t kMostSteps = 6;
constexpr size_t kMostNodes = 32;

}  // namespace

std::vector<NodeId> FusedWeights::StepBack(const std::vector<NodeId>& nodes,
                                           std::vector<NodeId>* found) const {
  std::vector<NodeId> before;
  for (NodeId node : nodes) {
    for (ValueId value : graph_.inputs(node)) {
      const NodeId maker = value.valid() ? graph_.value(value).producer : NodeId();
      if (!maker.valid()) continue;
      std::vector<NodeId>& list = IsWeighted(graph_.op(maker).type) ? *found : before;
      if (&list == found && taken_.Has(maker)) continue;
      if (std::find(list.begin(), list.end(), maker) == list.end()) list.push_back(maker);
    }
    if (before.size() > kMostNodes) break;
  }
  return before;
}

uint64_t FusedWeights::WeightBytes(NodeId node) const {
  uint64_t bytes = 0;
  for (ValueId value : graph_.inputs(node)) {
    const TensorId tensor = value.valid() ? graph_.value(value).tensor : TensorId();
    if (tensor.valid()) bytes = std::max(bytes, graph_.tensor(tensor).bytes);
  }
  return bytes;
}

std::vector<NodeId> FusedWeights::Before(NodeId node, uint64_t parameter_bytes) const {
  std::vector<NodeId> found;
  std::vector<NodeId> at = {node};
  for (size_t step = 0; step < kMostSteps && found.empty(); ++step) at = StepBack(at, &found);
  if (found.size() < 2 || parameter_bytes == 0) return found;
  // A bias may have come to the weight.
  std::vector<NodeId> fitting;
  uint64_t largest = 0;
  for (NodeId candidate : found) {
    const uint64_t bytes = WeightBytes(candidate);
    if (bytes > parameter_bytes || bytes < largest) continue;
    if (bytes > largest) fitting.clear();
    largest = bytes;
    fitting.push_back(candidate);
  }
  return fitting.empty() ? found : fitting;
}

}  // namespace onnx_hier
