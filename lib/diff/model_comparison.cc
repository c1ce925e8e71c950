#include "lib/diff/model_comparison.h"

#include <utility>
#include <vector>

#include "lib/base/hash.h"
#include "lib/base/status_macros.h"
#include "lib/diff/alignment.h"
#include "lib/diff/diff_summary.h"
#include "lib/diff/module_text.h"
#include "lib/diff/weight_diff.h"
#include "lib/match/graph_match.h"

namespace onnx_hier {
namespace {

// What of `counts` the others do not have.
std::vector<KindCount> Without(const KindCounts& counts, const KindCounts& others) {
  std::vector<KindCount> left;
  for (const auto& [kind, count] : counts) {
    const auto other = others.find(kind);
    const uint64_t taken = other == others.end() ? 0 : other->second;
    if (count > taken) left.push_back({kind, count - taken});
  }
  return left;
}

// Groups are called alike where they are the same one, all others apart.
Side SideOf(const ModuleGroups& groups, const Alignment& alignment, bool is_a) {
  const MemberChanges& members = alignment.members;
  IdSet<PathId> loose = is_a ? members.removed : members.inserted;
  for (const MemberChanges::Pair& pair : members.renumbered) {
    if (pair.moved) loose.Add(is_a ? pair.a : pair.b);
  }
  const ModulePaths& paths = groups.paths();
  // What is around a path comes before it.
  for (PathId path : paths.ids()) {
    if (path != paths.root() && loose.Has(paths.parent(path))) loose.Add(path);
  }
  Side side = {groups, IdVector<GroupId, uint64_t>(groups.size()), IdSet<GroupId>(groups.size())};
  for (GroupId id : groups.ids()) {
    const GroupId in_a = is_a ? id : alignment.a_of[id];
    side.names[id] = in_a.valid() ? MixHash(0, in_a.index()) : MixHash(1, id.index());
    if (loose.Has(groups.group(id).path)) side.loose.Add(id);
  }
  return side;
}

class ModelComparison {
 public:
  ModelComparison(const Hierarchy& a, ReadableTensors tensors_a, const Hierarchy& b,
                  ReadableTensors tensors_b, const DiffOptions& options)
      : a_(a, options.depth),
        b_(b, options.depth),
        hashes_a_(tensors_a.hashes),
        hashes_b_(tensors_b.hashes),
        options_(options),
        weights_(a_, tensors_a, b_, tensors_b) {}

  absl::StatusOr<ModelDiff> Compare() {
    OH_ASSIGN_OR_RETURN(alignment_,
                        AlignModules(a_, hashes_a_, b_, hashes_b_, options_.weights, [&] {
                          return MatchGraphs(a_.graph(), hashes_a_, b_.graph(), hashes_b_);
                        }));
    Side side_a = SideOf(a_, alignment_, /*is_a=*/true);
    Side side_b = SideOf(b_, alignment_, /*is_a=*/false);
    result_.root_a = alignment_.root_a;
    result_.root_b = alignment_.root_b;
    for (GroupId id : a_.ids()) {
      const GroupId other = alignment_.b_of[id];
      if (!other.valid()) {
        AddOnlyInA(id);
      } else {
        OH_RETURN_IF_ERROR(CompareModule(side_a, id, side_b, other));
      }
    }
    for (GroupId id : b_.ids()) {
      if (!alignment_.a_of[id].valid()) AddOnlyInB(id);
    }
    result_.unread = weights_.unread();
    Summarise(a_, b_, alignment_, result_);
    return std::move(result_);
  }

 private:
  void AddOnlyInA(GroupId id) {
    ModuleDiff diff;
    diff.a = a_.group(id).path;
    diff.operators_removed = Without(OperatorsOf(a_, id), {});
    diff.parameters_removed = Without(ParametersOf(a_, id), {});
    result_.changed.push_back(std::move(diff));
  }

  void AddOnlyInB(GroupId id) {
    ModuleDiff diff;
    diff.b = b_.group(id).path;
    diff.operators_added = Without(OperatorsOf(b_, id), {});
    diff.parameters_added = Without(ParametersOf(b_, id), {});
    result_.changed.push_back(std::move(diff));
  }

  absl::Status CompareModule(const Side& side_a, GroupId a, const Side& side_b, GroupId b) {
    ModuleDiff diff;
    diff.a = a_.group(a).path;
    diff.b = b_.group(b).path;
    diff.moved = alignment_.moved.Has(b);
    CompareOperators(side_a, a, side_b, b, diff);
    const KindCounts parameters_a = ParametersOf(a_, a);
    const KindCounts parameters_b = ParametersOf(b_, b);
    diff.parameters_removed = Without(parameters_a, parameters_b);
    diff.parameters_added = Without(parameters_b, parameters_a);
    const bool same_kinds = parameters_a == parameters_b;
    const bool same_wiring = !diff.operators && !diff.wiring;
    diff.parameters = !same_kinds;
    if (same_kinds && options_.weights) {
      OH_ASSIGN_OR_RETURN(diff.weights, weights_.Differ(a, b, same_wiring));
    }
    if (same_wiring && options_.weights && (diff.weights || diff.parameters)) {
      OH_ASSIGN_OR_RETURN(diff.difference, weights_.Measure(a, b));
    }
    if (!options_.structure) diff.operators = diff.wiring = diff.parameters = false;
    if (diff.moved || diff.operators || diff.wiring || diff.parameters || diff.weights) {
      result_.changed.push_back(std::move(diff));
    } else {
      ++result_.same;
    }
    return absl::OkStatus();
  }

  void CompareOperators(const Side& side_a, GroupId a, const Side& side_b, GroupId b,
                        ModuleDiff& diff) const {
    const KindCounts operators_a = OperatorsOf(a_, a);
    const KindCounts operators_b = OperatorsOf(b_, b);
    diff.operators_removed = Without(operators_a, operators_b);
    diff.operators_added = Without(operators_b, operators_a);
    diff.operators = operators_a != operators_b;
    diff.wiring = !diff.operators && !AreWiredAlike(side_a, a, side_b, b);
  }

  const ModuleGroups a_;
  const ModuleGroups b_;
  TensorHashes& hashes_a_;
  TensorHashes& hashes_b_;
  const DiffOptions& options_;
  Alignment alignment_;
  WeightDiff weights_;
  ModelDiff result_;
};

}  // namespace

absl::StatusOr<ModelDiff> CompareModules(const Hierarchy& a, ReadableTensors tensors_a,
                                         const Hierarchy& b, ReadableTensors tensors_b,
                                         const DiffOptions& options) {
  return ModelComparison(a, tensors_a, b, tensors_b, options).Compare();
}

}  // namespace onnx_hier
