// SPDX-License-Identifier: Apache-2.0

// A stretch of nodes and a way through modules, decided together: each node is at one step of the
// way, and the way is gone forwards only.
//
//   node        0      1      2
//   step 0      x ─┐
//   step 1         └── x ─┐
//   step 2                └── x
//
// The probability of such a path is proportional to the exponential of the sum of what its places
// (a node at a step) and its crossings (from one step to the next, in the gap before a node)
// score. Exact in nodes x steps (the forward-backward algorithm of hidden Markov models).
#ifndef ONNX_HIER_LIB_OWNERS_LATTICE_H_
#define ONNX_HIER_LIB_OWNERS_LATTICE_H_

#include <cstddef>
#include <vector>

namespace onnx_hier {

class Lattice {
 public:
  Lattice() = default;
  // At least one step.
  Lattice(size_t nodes, size_t steps)
      : nodes_(nodes),
        steps_(steps),
        places_(nodes * steps, 0.0f),
        crossings_((nodes + 1) * (steps - 1), 0.0f) {}

  size_t nodes() const { return nodes_; }
  size_t steps() const { return steps_; }
  // Of a node at a step.
  float& place(size_t node, size_t step) { return places_[node * steps_ + step]; }
  float place(size_t node, size_t step) const { return places_[node * steps_ + step]; }
  // Of going from a step to the next in a gap: gap g is before node g, the last one behind all.
  float& crossing(size_t gap, size_t step) { return crossings_[gap * (steps_ - 1) + step]; }
  float crossing(size_t gap, size_t step) const { return crossings_[gap * (steps_ - 1) + step]; }

  std::vector<float>& places() { return places_; }
  std::vector<float>& crossings() { return crossings_; }

 private:
  size_t nodes_ = 0;
  size_t steps_ = 1;
  std::vector<float> places_;
  std::vector<float> crossings_;
};

// How likely each place and each crossing is: those of a node add up to 1, and so do those from a
// step to the next.
Lattice Marginals(const Lattice& scores);

}  // namespace onnx_hier

#endif  // ONNX_HIER_LIB_OWNERS_LATTICE_H_
