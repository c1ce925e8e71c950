#include "lib/diff/model_comparison.h"

#include <utility>
#include <vector>

#include "lib/base/hash.h"
#include "lib/base/status_macros.h"
#include "lib/diff/alignment.h"
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

// What groups are called in both models: those that are the same one alike, all others apart.
void NameGroups(const Alignment& alignment, IdVector<GroupId, uint64_t>& names_a,
                IdVector<GroupId, uint64_t>& names_b) {
  for (GroupId id : IdRange<GroupId>(names_a.size())) names_a[id] = MixHash(0, id.index());
  for (GroupId id : IdRange<GroupId>(names_b.size())) {
    const GroupId a = alignment.a_of[id];
    names_b[id] = a.valid() ? names_a[a] : MixHash(1, id.index());
  }
}

class ModelComparison {
 public:
  ModelComparison(const Hierarchy& a, TensorHashes& hashes_a, const Hierarchy& b,
                  TensorHashes& hashes_b, const DiffOptions& options)
      : a_(a, options.depth),
        hashes_a_(hashes_a),
        b_(b, options.depth),
        hashes_b_(hashes_b),
        options_(options),
        names_a_(a_.size()),
        names_b_(b_.size()),
        weights_(a_, hashes_a, b_, hashes_b) {}

  absl::StatusOr<ModelDiff> Compare() {
    OH_ASSIGN_OR_RETURN(alignment_, AlignModules(a_, b_, [this] {
                          return MatchGraphs(a_.graph(), hashes_a_, b_.graph(), hashes_b_);
                        }));
    NameGroups(alignment_, names_a_, names_b_);
    result_.root_a = alignment_.root_a;
    result_.root_b = alignment_.root_b;
    for (GroupId id : a_.ids()) {
      const GroupId other = alignment_.b_of[id];
      if (!other.valid()) {
        AddOnlyInA(id);
      } else {
        OH_RETURN_IF_ERROR(CompareModule(id, other));
      }
    }
    for (GroupId id : b_.ids()) {
      if (!alignment_.a_of[id].valid()) AddOnlyInB(id);
    }
    result_.unread = weights_.unread();
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

  absl::Status CompareModule(GroupId a, GroupId b) {
    ModuleDiff diff;
    diff.a = a_.group(a).path;
    diff.b = b_.group(b).path;
    diff.moved = alignment_.moved.Has(b);
    CompareOperators(a, b, diff);
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
    if (!options_.structure) diff.operators = diff.wiring = diff.parameters = false;
    if (diff.moved || diff.operators || diff.wiring || diff.parameters || diff.weights) {
      result_.changed.push_back(std::move(diff));
    } else {
      ++result_.same;
    }
    return absl::OkStatus();
  }

  void CompareOperators(GroupId a, GroupId b, ModuleDiff& diff) const {
    const KindCounts operators_a = OperatorsOf(a_, a);
    const KindCounts operators_b = OperatorsOf(b_, b);
    diff.operators_removed = Without(operators_a, operators_b);
    diff.operators_added = Without(operators_b, operators_a);
    diff.operators = operators_a != operators_b;
    diff.wiring = !diff.operators && WiringOf(a_, a, names_a_) != WiringOf(b_, b, names_b_);
  }

  const ModuleGroups a_;
  TensorHashes& hashes_a_;
  const ModuleGroups b_;
  TensorHashes& hashes_b_;
  const DiffOptions& options_;
  Alignment alignment_;
  IdVector<GroupId, uint64_t> names_a_;
  IdVector<GroupId, uint64_t> names_b_;
  WeightDiff weights_;
  ModelDiff result_;
};

}  // namespace

absl::StatusOr<ModelDiff> CompareModules(const Hierarchy& a, TensorHashes& hashes_a,
                                         const Hierarchy& b, TensorHashes& hashes_b,
                                         const DiffOptions& options) {
  return ModelComparison(a, hashes_a, b, hashes_b, options).Compare();
}

}  // namespace onnx_hier
