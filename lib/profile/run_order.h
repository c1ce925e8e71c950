// SPDX-License-Identifier: Apache-2.0

// Which node a kernel was made of that no name tells: by its operator, when it ran, and what known
// kernels ran before and after the node.
//
//   RunOrder order(graph, kernels);
//   order.Ran(node, 3);                 // kernel 3 is known to be this node
//   order.Align({4, 9});                // what kernels 4 and 9 are
//
// A node runs after all that it needs, and before all that need it. So it has a stretch of the run
// to itself, and where one node of an operator has a stretch around a kernel of that operator, the
// kernel is that node.
#ifndef ONNX_HIER_LIB_PROFILE_RUN_ORDER_H_
#define ONNX_HIER_LIB_PROFILE_RUN_ORDER_H_

#include <cstddef>
#include <cstdint>
#include <limits>
#include <vector>

#include "absl/strings/string_view.h"
#include "absl/types/span.h"
#include "onnx_hier/graph.h"
#include "onnx_hier/ids.h"
#include "onnx_hier/profile.h"

namespace onnx_hier {

struct AlignedKernel {
  size_t kernel = 0;
  NodeId node;
  bool is_only = false;  // no other node can be meant
};

class RunOrder {
 public:
  // Kernels in the order in which they ran.
  RunOrder(const Graph& graph, const std::vector<Kernel>& kernels)
      : graph_(graph), kernels_(kernels), ran_(graph.node_count(), kNever) {}

  void Ran(NodeId node, size_t kernel);
  bool has_run(NodeId node) const { return ran_[node] != kNever; }
  // The kernel that a node is, if it has run.
  size_t kernel_of(NodeId node) const { return ran_[node] - 1; }

  // The node, if it has run, else the nearest ones before it that have.
  std::vector<NodeId> LastRun(NodeId node) const;

  // For each of these kernels, least first, the node that it is; those for which there is none are
  // left out.
  std::vector<AlignedKernel> Align(absl::Span<const size_t> open) const;

 private:
  // Times: 1 and more for kernels, 0 is before the first.
  static constexpr uint32_t kNever = std::numeric_limits<uint32_t>::max();

  // Between which kernels a node ran, both excluded.
  struct Stretch {
    NodeId node;
    uint32_t begin = 0;
    uint32_t end = kNever;
  };
  // Of nodes that are no known kernel and of these kinds, by kind.
  std::vector<Stretch> Stretches() const;
  static void AlignKind(absl::Span<const size_t> open, std::vector<Stretch> stretches,
                        std::vector<AlignedKernel>& aligned);

  const Graph& graph_;
  const std::vector<Kernel>& kernels_;
  IdVector<NodeId, uint32_t> ran_;
};

}  // namespace onnx_hier

#endif  // ONNX_HIER_LIB_PROFILE_RUN_ORDER_H_
