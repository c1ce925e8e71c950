#include "lib/resolve/structure.h"

#include <algorithm>

namespace onnx_hier {
namespace {

// A branch between two ends of a skip connection is a layer, seldom more than some hundred nodes.
constexpr size_t kLargestBranch = 3000;
// Nodes visited for all joins together, for each node of the model.
constexpr uint64_t kVisitsPerNode = 8;

bool ReadsModelInput(const Graph& graph, NodeId node) {
  for (ValueId value : graph.inputs(node)) {
    if (value.valid() && graph.value(value).kind == ValueKind::kInput) return true;
  }
  return false;
}

}  // namespace

Branches::Branches(const Flow& flow)
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
void Branches::Attach(Place place, Place dominator) {
  dominator_[place] = dominator;
  if (dominator == kNowhere) return;
  depth_[place] = depth_[dominator] + 1;
  const Place first = jump_[dominator];
  const Place second = first == kNowhere ? kNowhere : jump_[first];
  const bool same_length = first != kNowhere && second != kNowhere &&
                           depth_[dominator] - depth_[first] == depth_[first] - depth_[second];
  jump_[place] = same_length ? second : dominator;
}

Place Branches::Common(Place a, Place b) const {
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

ResidualOwners::ResidualOwners(const Flow& flow, const Branches& branches,
                               const KnownModules& known, const Surroundings& surroundings,
                               const ModuleChildren& children, const ModulePaths& paths)
    : flow_(flow),
      branches_(branches),
      known_(known),
      surroundings_(surroundings),
      children_(children),
      paths_(paths),
      visited_by_(flow.size(), kNowhere),
      budget_(kVisitsPerNode * flow.size() + kLargestBranch) {}

PathId ResidualOwners::BranchModule(Place join) {
  const Place begin = branches_.dominator(join);
  if (begin == kNowhere) return PathId();
  PathId module;
  std::vector<Place> stack = {join};
  size_t visits = 0;
  while (!stack.empty()) {
    const Place at = stack.back();
    stack.pop_back();
    for (const Flow::Edge& edge : flow_.producers(at)) {
      const Place place = edge.place;
      if (flow_.is_constant(place) || visited_by_[place] == join) continue;
      if (place <= begin) continue;
      if (++visits > kLargestBranch || budget_ == 0) return PathId();
      --budget_;
      visited_by_[place] = join;
      stack.push_back(place);
      if (!known_[place].valid()) continue;
      module = module.valid() ? paths_.CommonAncestor(module, known_[place]) : known_[place];
    }
  }
  return module;
}

PathId ResidualOwners::OwnerOf(Place join) {
  const PathId branch = BranchModule(join);
  if (!branch.valid() || branch == paths_.root()) return branch;
  const Surroundings::Interval interval = surroundings_.interval(branch);
  const Place begin = branches_.dominator(join);
  const bool finished =
      interval.first != kNowhere && interval.last < join && interval.first > begin;
  // A list of layers is never called: what it holds is called by the module around it.
  return finished && !children_.is_list(paths_.parent(branch)) ? paths_.parent(branch) : branch;
}

PathId ResidualRule(PathId branch_owner, PathId order, const ModulePaths& paths) {
  if (!branch_owner.valid()) return order;
  if (!order.valid()) return branch_owner;
  if (paths.Contains(branch_owner, order)) return order;
  if (paths.Contains(order, branch_owner)) return branch_owner;
  return paths.CommonAncestor(branch_owner, order);
}

LiveValues::LiveValues(const Flow& flow)
    : after_(flow.size(), 0), last_reader_(flow.size(), kNowhere) {
  std::vector<int32_t> change(flow.size() + 1, 0);
  for (Place i = 0; i < flow.size(); ++i) {
    if (flow.is_constant(i) || flow.consumers(i).empty()) continue;
    last_reader_[i] = flow.consumers(i).back().place;
    ++change[i];
    --change[last_reader_[i]];
  }
  int32_t live = 0;
  for (Place i = 0; i < flow.size(); ++i) {
    live += change[i];
    after_[i] = static_cast<uint32_t>(live);
  }
}

}  // namespace onnx_hier
