#include "lib/graph/dominators.h"

#include <algorithm>

namespace onnx_hier {
namespace {

bool ReadsModelInput(const Graph& graph, NodeId node) {
  for (ValueId value : graph.inputs(node)) {
    if (value.valid() && graph.value(value).kind == ValueKind::kInput) return true;
  }
  return false;
}

}  // namespace

Dominators::Dominators(const Flow& flow)
    : dominator_(flow.size(), kNowhere),
      jump_(flow.size(), kNowhere),
      depth_(flow.size(), 0),
      operands_(flow.size(), 0),
      skip_join_(flow.size(), false) {
  std::vector<Place> operands;
  for (Place i = 0; i < flow.size(); ++i) {
    operands.clear();
    for (const Flow::Edge& edge : flow.producers(i)) {
      if (!flow.is_constant(edge.place)) operands.push_back(edge.place);
    }
    std::sort(operands.begin(), operands.end());
    operands.erase(std::unique(operands.begin(), operands.end()), operands.end());
    operands_[i] = static_cast<uint32_t>(operands.size());
    Place dominator = operands.empty() ? kNowhere : operands[0];
    for (Place operand : operands) dominator = Common(dominator, operand);
    if (ReadsModelInput(flow.graph(), flow.node(i))) dominator = kNowhere;
    Attach(i, dominator);
    skip_join_[i] = operands.size() >= 2 && dominator != kNowhere &&
                    std::binary_search(operands.begin(), operands.end(), dominator);
  }
}

// Jump pointers of a skew-binary list: an ancestor at any height in logarithmic time (Myers, 1983).
void Dominators::Attach(Place place, Place dominator) {
  dominator_[place] = dominator;
  if (dominator == kNowhere) return;
  depth_[place] = depth_[dominator] + 1;
  const Place first = jump_[dominator];
  const Place second = first == kNowhere ? kNowhere : jump_[first];
  const bool same_length = first != kNowhere && second != kNowhere &&
                           depth_[dominator] - depth_[first] == depth_[first] - depth_[second];
  jump_[place] = same_length ? second : dominator;
}

Place Dominators::Common(Place a, Place b) const {
  if (a == kNowhere || b == kNowhere) return kNowhere;
  if (depth_[a] < depth_[b]) std::swap(a, b);
  while (depth_[a] > depth_[b]) a = depth_[jump_[a]] >= depth_[b] ? jump_[a] : dominator_[a];
  while (a != b) {
    if (dominator_[a] == kNowhere) return kNowhere;
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
