// SPDX-License-Identifier: Apache-2.0

// Which node a kernel was put in for that changes only a layout: a Reshape for a Gemm, blocks of
// channels that are put together for a Conv, or taken apart behind it.
//
//   const Servants servants(graph, kernels, places, ends, order);
//   servants.Find(4, Served::kMaker)        // {node, the kernel beside it}
//
// Source: onnxruntime (core/optimizer/nchwc_transformer.cc, matmul_add_fusion.cc).
#ifndef ONNX_HIER_LIB_PROFILE_SERVANTS_H_
#define ONNX_HIER_LIB_PROFILE_SERVANTS_H_

#include <cstddef>
#include <vector>

#include "lib/profile/fused_operators.h"
#include "lib/profile/run_order.h"
#include "onnx_hier/graph.h"
#include "onnx_hier/profile.h"

namespace onnx_hier {

struct ServedNode {
  NodeId node;        // none: not known
  size_t beside = 0;  // the kernel that ran before or after; as many as there are: none did
};

class Servants {
 public:
  // `ends`: by kernel, the last node that was fused into it. All must outlive this; what kernels
  // with a place are must be known. Linear in kernels.
  Servants(const Graph& graph, const std::vector<Kernel>& kernels,
           const std::vector<KernelPlace>& places, const std::vector<NodeId>& ends,
           const RunOrder& order);

  ServedNode Find(size_t servant, Served served) const;

 private:
  bool ReadsBlocks(size_t kernel) const;
  // What reads the blocks that a kernel makes of a value; where several do, what makes the value.
  NodeId BlocksMadeFor(size_t servant) const;
  // What made the blocks that a kernel takes apart: what ran last, if it works in blocks; of
  // further such kernels in a row, what else the next kernel reads that was made in blocks.
  NodeId BlocksTakenApart(size_t servant) const;
  NodeId NodeOf(size_t kernel) const {
    return kernel < places_.size() ? places_[kernel].node : NodeId();
  }
  NodeId EndOf(size_t kernel) const { return kernel < ends_.size() ? ends_[kernel] : NodeId(); }

  const Graph& graph_;
  const std::vector<Kernel>& kernels_;
  const std::vector<KernelPlace>& places_;
  const std::vector<NodeId>& ends_;
  const RunOrder& order_;
  // By kernel: the nearest ones that are no servants, and how many that reorder ran right before.
  std::vector<size_t> before_;
  std::vector<size_t> after_;
  std::vector<size_t> turn_;
  std::vector<bool> in_blocks_;  // whether it leaves what it makes in blocks of channels
};

}  // namespace onnx_hier

#endif  // ONNX_HIER_LIB_PROFILE_SERVANTS_H_
