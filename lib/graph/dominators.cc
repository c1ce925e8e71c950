// SPDX-License-Identifier: Apache-2.0
#include "lib/graph/dominators.h"

#include <algorithm>

namespace onnx_hier {
namespace {

// The tree of dominators while it grows.
class Tree {
 public:
  explicit Tree(size_t size) : places_(size) {}

  // Jump pointers of a skew-binary list: an ancestor at any height in logarithmic time (Myers,
  // 1983).
  void Attach(Rank rank, Rank dominator) {
    const Place& above = places_[dominator];
    Place& place = places_[rank];
    place.dominator = dominator;
    place.depth = above.depth + 1;
    place.jump = dominator;
    if (!above.jump.valid()) return;
    const Place& first = places_[above.jump];
    if (!first.jump.valid()) return;
    const bool same_length = above.depth - first.depth == first.depth - places_[first.jump].depth;
    if (same_length) place.jump = first.jump;
  }

  // None: none dominates both, or `a` is none.
  Rank Common(Rank a, Rank b) const {
    if (!a.valid()) return Rank();
    if (places_[a].depth < places_[b].depth) std::swap(a, b);
    const uint32_t depth = places_[b].depth;
    while (places_[a].depth > depth) {
      const Place& place = places_[a];
      a = places_[place.jump].depth >= depth ? place.jump : place.dominator;
    }
    while (a != b) {
      const Place& left = places_[a];
      const Place& right = places_[b];
      if (!left.dominator.valid()) return Rank();
      const bool jumps = left.jump != right.jump;
      a = jumps ? left.jump : left.dominator;
      b = jumps ? right.jump : right.dominator;
    }
    return a;
  }

 private:
  struct Place {
    Rank dominator;
    Rank jump;  // some dominator further up
    uint32_t depth = 0;
  };
  IdVector<Rank, Place> places_;
};

}  // namespace

Dominators::Dominators(const Flow& flow)
    : dominator_(flow.size()), operands_(flow.size(), 0), skip_joins_(flow.size()) {
  Tree tree(flow.size());
  std::vector<Rank> operands;
  for (Rank i : flow.ranks()) {
    operands.clear();
    for (const Flow::Edge& edge : flow.producers(i)) {
      if (!flow.is_constant(edge.rank)) operands.push_back(edge.rank);
    }
    if (operands.empty()) continue;
    if (operands.size() > 1) {
      std::sort(operands.begin(), operands.end());
      operands.erase(std::unique(operands.begin(), operands.end()), operands.end());
    }
    operands_[i] = static_cast<uint32_t>(operands.size());
    if (flow.reads_input(i)) continue;
    Rank dominator = operands[0];
    for (size_t k = 1; k < operands.size(); ++k) dominator = tree.Common(dominator, operands[k]);
    if (!dominator.valid()) continue;
    dominator_[i] = dominator;
    tree.Attach(i, dominator);
    if (operands.size() >= 2 && std::binary_search(operands.begin(), operands.end(), dominator)) {
      skip_joins_.Add(i);
    }
  }
}

}  // namespace onnx_hier
