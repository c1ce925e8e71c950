// SPDX-License-Identifier: Apache-2.0

// Where branches part and join.
#ifndef ONNX_HIER_LIB_GRAPH_DOMINATORS_H_
#define ONNX_HIER_LIB_GRAPH_DOMINATORS_H_

#include <cstdint>
#include <vector>

#include "lib/graph/flow.h"

namespace onnx_hier {

// Dominators by data flow: b dominates a node when everything the node computes from goes
// through b. Time O(edges x log nodes), memory linear.
class Dominators {
 public:
  explicit Dominators(const Flow& flow);

  // The nearest node that dominates it; none: none does.
  Rank dominator(Rank rank) const { return dominator_[rank]; }
  // How many different nodes that are no constants it reads.
  uint32_t operands(Rank rank) const { return operands_[rank]; }
  bool is_join(Rank rank) const { return operands_[rank] >= 2; }
  // A join of which one operand comes past the branch that makes the others:
  //   b -> ... -> join,  b -> join
  bool is_skip_join(Rank rank) const { return skip_joins_.Has(rank); }

 private:
  IdVector<Rank, Rank> dominator_;
  IdVector<Rank, uint32_t> operands_;
  IdSet<Rank> skip_joins_;
};

}  // namespace onnx_hier

#endif  // ONNX_HIER_LIB_GRAPH_DOMINATORS_H_
