// SPDX-License-Identifier: Apache-2.0

// What an optimised node stands for: all that lies between what it makes and what it reads, in the
// graph that its own was made from.
//
//   from    MatMul -> Add -> Gelu      to    FusedGemm
//
// The walk back from a node's counterpart ends where another node makes the value, or stands for
// what makes it, and at what does not change from run to run: that was computed beforehand.
#ifndef ONNX_HIER_LIB_RELATE_REGIONS_H_
#define ONNX_HIER_LIB_RELATE_REGIONS_H_

#include <vector>

#include "absl/types/span.h"
#include "lib/relate/pairing.h"
#include "onnx_hier/graph.h"

namespace onnx_hier {

class Regions {
 public:
  // `pairing` must outlive this.
  explicit Regions(const Pairing& pairing);

  // The node's counterpart first, then what else it stands for; no more than 64.
  absl::Span<const NodeId> of(NodeId node) const {
    const Range range = ranges_[node];
    return absl::MakeConstSpan(nodes_).subspan(range.begin, range.size());
  }
  // Those with a weight that it stands for, the nearest to what it makes first, else its
  // counterpart: several of an Attention, whose projections are modules of their own.
  std::vector<NodeId> MainsOf(NodeId node) const;

 private:
  void Walk(NodeId node);
  bool IsReplaced(NodeId other, NodeId node) const;

  const Pairing& pairing_;
  const IdSet<NodeId> constants_;  // of the old graph
  IdVector<NodeId, Range> ranges_;
  std::vector<NodeId> nodes_;
};

}  // namespace onnx_hier

#endif  // ONNX_HIER_LIB_RELATE_REGIONS_H_
