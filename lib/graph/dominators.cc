#include "lib/graph/dominators.h"

#include <algorithm>

namespace onnx_hier {
Dominators::Dominators(const Flow& flow)
    : dominator_(flow.size()),
      jump_(flow.size()),
      depth_(flow.size(), 0),
      operands_(flow.size(), 0),
      skip_joins_(flow.size()) {
  std::vector<Rank> operands;
  for (Rank i : flow.ranks()) {
    operands.clear();
    for (const Flow::Edge& edge : flow.producers(i)) {
      if (!flow.is_constant(edge.rank)) operands.push_back(edge.rank);
    }
    if (operands.size() > 1) {
      std::sort(operands.begin(), operands.end());
      operands.erase(std::unique(operands.begin(), operands.end()), operands.end());
    }
    operands_[i] = static_cast<uint32_t>(operands.size());
    Rank dominator = operands.empty() ? Rank() : operands[0];
    for (size_t k = 1; k < operands.size(); ++k) dominator = Common(dominator, operands[k]);
    if (dominator.valid() && flow.reads_input(i)) dominator = Rank();
    Attach(i, dominator);
    if (operands.size() >= 2 && dominator.valid() &&
        std::binary_search(operands.begin(), operands.end(), dominator)) {
      skip_joins_.Add(i);
    }
  }
  jump_ = {};
  depth_ = {};
}

// Jump pointers of a skew-binary list: an ancestor at any height in logarithmic time (Myers, 1983).
void Dominators::Attach(Rank rank, Rank dominator) {
  dominator_[rank] = dominator;
  if (!dominator.valid()) return;
  depth_[rank] = depth_[dominator] + 1;
  const Rank first = jump_[dominator];
  const Rank second = !first.valid() ? Rank() : jump_[first];
  const bool same_length = first.valid() && second.valid() &&
                           depth_[dominator] - depth_[first] == depth_[first] - depth_[second];
  jump_[rank] = same_length ? second : dominator;
}

Rank Dominators::Common(Rank a, Rank b) const {
  if (!a.valid() || !b.valid()) return Rank();
  if (depth_[a] < depth_[b]) std::swap(a, b);
  while (depth_[a] > depth_[b]) a = depth_[jump_[a]] >= depth_[b] ? jump_[a] : dominator_[a];
  while (a != b) {
    if (!dominator_[a].valid()) return Rank();
    if (jump_[a] != jump_[b]) {
      a = jump_[a];
      b = jump_[b];
    } else {
      a = dominator_[a];
      b = dominator_[b];
    }
  }
  return a;
}

}  // namespace onnx_hier
