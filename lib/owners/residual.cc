// SPDX-License-Identifier: Apache-2.0
#include "lib/owners/residual.h"

#include <cstdint>
#include <vector>

namespace onnx_hier {
namespace {

// A branch between two ends of a skip connection is a layer, seldom more than some hundred nodes.
constexpr size_t kLargestBranch = 3000;
// Nodes visited for all joins together, for each node of the model.
constexpr uint64_t kVisitsPerNode = 8;
// Edges looked at for that, for each edge of the model, and each node: only where one node has very
// many, and lies in very many branches, are these the fewer.
constexpr uint64_t kLooksPerEdge = 32;

class BranchOwners {
 public:
  explicit BranchOwners(const Context& context)
      : context_(context),
        visited_by_(context.flow.size()),
        visits_left_(kVisitsPerNode * context.flow.size() + kLargestBranch),
        looks_left_(kLooksPerEdge * (context.flow.size() + context.flow.edge_count())) {}

  PathId OwnerOf(Rank join);

 private:
  PathId BranchModule(Rank join);

  const Context& context_;
  IdVector<Rank, Rank> visited_by_;  // the join whose branch last met the node
  // Of all branches together.
  uint64_t visits_left_;  // nodes
  uint64_t looks_left_;   // edges
};

PathId BranchOwners::BranchModule(Rank join) {
  const Rank begin = context_.dominators.dominator(join);
  if (!begin.valid()) return PathId();
  const KnownModules& known = context_.known;
  PathId module;
  std::vector<Rank> stack = {join};
  size_t visits = 0;
  while (!stack.empty()) {
    const Rank at = stack.back();
    stack.pop_back();
    for (const Flow::Edge& edge : context_.flow.producers(at)) {
      const Rank rank = edge.rank;
      if (looks_left_ == 0) return PathId();
      --looks_left_;
      if (context_.flow.is_constant(rank) || visited_by_[rank] == join) continue;
      if (rank <= begin) continue;
      if (++visits > kLargestBranch || visits_left_ == 0) return PathId();
      --visits_left_;
      visited_by_[rank] = join;
      stack.push_back(rank);
      module = context_.paths.Join(module, known[rank]);
    }
  }
  return module;
}

PathId BranchOwners::OwnerOf(Rank join) {
  const PathId branch = BranchModule(join);
  if (!branch.valid() || branch == context_.paths.root()) return branch;
  const Surroundings::Interval interval = context_.surroundings.interval(branch);
  const Rank begin = context_.dominators.dominator(join);
  const bool finished = interval.first.valid() && interval.last < join && interval.first > begin;
  const PathId around = context_.paths.parent(branch);
  // A list of layers is never called: what it holds is called by the module around it.
  return finished && !context_.children.is_list(around) ? around : branch;
}

}  // namespace

ResidualOwners::ResidualOwners(const Context& context, absl::Span<const Rank> joins) {
  BranchOwners branches(context);
  for (Rank join : joins) {
    if (const PathId owner = branches.OwnerOf(join); owner.valid()) owners_.emplace(join, owner);
  }
}

PathId ResidualRule(PathId branch_owner, PathId order, const ModulePaths& paths) {
  if (!branch_owner.valid()) return order;
  if (!order.valid()) return branch_owner;
  if (paths.Contains(branch_owner, order)) return order;
  if (paths.Contains(order, branch_owner)) return branch_owner;
  return paths.CommonAncestor(branch_owner, order);
}

}  // namespace onnx_hier
