// What the wiring alone says: where branches part and join, how many values are alive between two
// nodes.
#ifndef ONNX_HIER_LIB_RESOLVE_STRUCTURE_H_
#define ONNX_HIER_LIB_RESOLVE_STRUCTURE_H_

#include <cstdint>
#include <vector>

#include "lib/resolve/flow.h"

namespace onnx_hier {

// Dominators by data flow: b dominates a node when everything the node computes from goes
// through b. Time O(edges x log nodes), memory linear.
class Branches {
 public:
  explicit Branches(const Flow& flow);

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

// How many values are alive after each node, in order: small where one module ends and the next
// begins.
class LiveValues {
 public:
  explicit LiveValues(const Flow& flow);
  uint32_t after(Place place) const { return after_[place]; }
  Place last_reader(Place place) const { return last_reader_[place]; }

 private:
  std::vector<uint32_t> after_;
  std::vector<Place> last_reader_;  // kNowhere: nobody
};

}  // namespace onnx_hier

#endif  // ONNX_HIER_LIB_RESOLVE_STRUCTURE_H_
