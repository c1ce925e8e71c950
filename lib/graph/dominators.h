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

  // The nearest node that dominates it; kNowhere: none does.
  Place dominator(Place place) const { return dominator_[place]; }
  // How many different nodes that are no constants it reads.
  uint32_t operands(Place place) const { return operands_[place]; }
  bool is_join(Place place) const { return operands_[place] >= 2; }
  // A join of which one operand comes past the branch that makes the others:
  //   b -> ... -> join,  b -> join
  bool is_skip_join(Place place) const { return skip_join_[place]; }

 private:
  Place Common(Place a, Place b) const;
  void Attach(Place place, Place dominator);

  std::vector<Place> dominator_;
  std::vector<Place> jump_;  // some dominator further up
  std::vector<uint32_t> depth_;
  std::vector<uint32_t> operands_;
  std::vector<bool> skip_join_;
};

}  // namespace onnx_hier

#endif  // ONNX_HIER_LIB_GRAPH_DOMINATORS_H_
