// SPDX-License-Identifier: Apache-2.0

// Which weighted node was fused with the nodes behind it.
//
//   Conv -> BatchNormalization -> Add -> Relu     a kernel named after the Relu is the Conv's
//
// An Add has two branches: the nearer weight is meant, if no other kernel has it, and if several
// are as near, the one whose size the runtime says.
#ifndef ONNX_HIER_LIB_PROFILE_FUSED_WEIGHTS_H_
#define ONNX_HIER_LIB_PROFILE_FUSED_WEIGHTS_H_

#include <cstdint>
#include <vector>

#include "onnx_hier/graph.h"
#include "onnx_hier/ids.h"

namespace onnx_hier {

class FusedWeights {
 public:
  explicit FusedWeights(const Graph& graph) : graph_(graph), taken_(graph.node_count()) {}

  // Another kernel has this node's weight.
  void Take(NodeId node) { taken_.Add(node); }

  // The weighted nodes that may have been fused with `node`: one as a rule, several where nothing
  // tells them apart.
  std::vector<NodeId> Before(NodeId node, uint64_t parameter_bytes) const;

 private:
  // The nodes that make what these read, if they have no weights; those that have go to `*found`.
  std::vector<NodeId> StepBack(const std::vector<NodeId>& nodes, std::vector<NodeId>* found) const;
  uint64_t WeightBytes(NodeId node) const;

  const Graph& graph_;
  IdSet<NodeId> taken_;
};

}  // namespace onnx_hier

#endif  // ONNX_HIER_LIB_PROFILE_FUSED_WEIGHTS_H_
