// SPDX-License-Identifier: Apache-2.0
#include "lib/relate/model_comparison.h"

#include <algorithm>
#include <cstddef>
#include <map>
#include <utility>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "absl/functional/function_ref.h"
#include "absl/status/statusor.h"
#include "lib/base/hash.h"
#include "lib/base/status_macros.h"
#include "lib/graph/tensor_hashes.h"
#include "lib/onnx/attribute_meanings.h"
#include "lib/relate/attribute_diff.h"
#include "lib/relate/diff_units.h"
#include "lib/relate/flow_comparison.h"
#include "lib/relate/graph_match.h"
#include "lib/relate/module_flow.h"
#include "lib/relate/module_groups.h"
#include "lib/relate/module_text.h"
#include "lib/relate/path_pairs.h"
#include "lib/relate/weight_diff.h"
#include "onnx_hier/diff.h"
#include "onnx_hier/ids.h"

namespace onnx_hier {
namespace {

// --- Which module of one model is which of the other: by path, below the names that only one of
// them has for the whole, members of lists by what they are (list_alignment.h); else by what its
// nodes are in the other model.

struct Alignment {
  PathId root_a;
  PathId root_b;
  IdVector<GroupId, GroupId> a_of;  // by B's groups; none: only in B
  IdVector<GroupId, GroupId> b_of;  // by A's
  IdSet<GroupId> moved;             // of B's: those that were found by their nodes
  MemberChanges members;
};

// Names that a wrapper, a trainer or a head puts around a model.
constexpr uint32_t kDeepestRoot = 4;

// A path of one model in the other, below other names for the whole; none: it is not there.
class PathsBelow {
 public:
  PathsBelow(const ModuleGroups& from, PathId from_root, const ModuleGroups& to, PathId to_root)
      : from_(from.paths()), to_(to.paths()), known_(from_.size()), asked_(from_.size()) {
    known_[from_root] = to_root;
    asked_.Add(from_root);
  }

  PathId operator()(PathId path) {
    std::vector<PathId> way;
    for (; path.valid() && !asked_.Has(path); path = from_.parent(path)) way.push_back(path);
    for (auto step = way.rbegin(); step != way.rend(); ++step) {
      const PathId parent = from_.parent(*step);
      const PathId around = parent.valid() ? known_[parent] : PathId();
      if (around.valid()) known_[*step] = to_.FindChild(around, from_.name(*step));
      asked_.Add(*step);
    }
    return way.empty() ? known_[path] : known_[way.front()];
  }

 private:
  const ModulePaths& from_;
  const ModulePaths& to_;
  IdVector<PathId, PathId> known_;
  IdSet<PathId> asked_;
};

// The root, and at each depth below it what holds most modules.
std::vector<PathId> PossibleRoots(const ModuleGroups& groups) {
  const ModulePaths& paths = groups.paths();
  std::vector<PathId> roots = {paths.root()};
  for (uint32_t depth = 1; depth <= kDeepestRoot; ++depth) {
    std::map<PathId, size_t> counts;
    for (ModuleId id : groups.tree().ids()) {
      const PathId path = groups.tree().module(id).path;
      if (paths.depth(path) >= depth) ++counts[paths.AncestorAtDepth(path, depth)];
    }
    const auto most = std::max_element(counts.begin(), counts.end(),
                                       [](auto& a, auto& b) { return a.second < b.second; });
    if (most == counts.end() || 2 * most->second < groups.tree().size()) break;
    roots.push_back(most->first);
  }
  return roots;
}

// Modules of both, however deep they are compared.
size_t CountCommon(const ModuleGroups& a, PathId root_a, const ModuleGroups& b, PathId root_b) {
  IdSet<PathId> modules_of_a(a.paths().size());
  for (ModuleId id : a.tree().ids()) modules_of_a.Add(a.tree().module(id).path);
  PathsBelow below(b, root_b, a, root_a);
  size_t common = 0;
  for (ModuleId id : b.tree().ids()) {
    const PathId path = below(b.tree().module(id).path);
    if (path.valid() && modules_of_a.Has(path)) ++common;
  }
  return common;
}

class Aligner {
 public:
  Aligner(const ModuleFlow& a, TensorHashes& hashes_a, const ModuleFlow& b, TensorHashes& hashes_b,
          bool contents)
      : a_(a.groups()), b_(b.groups()), paths_(a, hashes_a, b, hashes_b, contents) {
    result_.a_of.resize(b_.size());
    result_.b_of.resize(a_.size());
    result_.moved = IdSet<GroupId>(b_.size());
  }

  absl::Status AlignPaths() {
    FindRoots();
    OH_RETURN_IF_ERROR(paths_.Align(result_.root_a, result_.root_b));
    // What is beside that has its name in both.
    OH_RETURN_IF_ERROR(paths_.Align(a_.paths().root(), b_.paths().root()));
    for (GroupId id : b_.ids()) {
      const PathId path = paths_.a_of(b_.group(id).path);
      const GroupId found = path.valid() ? a_.Find(path) : GroupId();
      if (found.valid()) Join(found, id);
    }
    result_.members = std::move(paths_).TakeChanges();
    return absl::OkStatus();
  }

  void FindRoots() {
    size_t most = 0;
    result_.root_a = a_.paths().root();
    result_.root_b = b_.paths().root();
    const std::vector<PathId> roots_b = PossibleRoots(b_);
    for (PathId root_a : PossibleRoots(a_)) {
      for (PathId root_b : roots_b) {
        const size_t common = CountCommon(a_, root_a, b_, root_b);
        if (common <= most) continue;
        most = common;
        result_.root_a = root_a;
        result_.root_b = root_b;
      }
    }
  }

  bool HasLeft() const {
    const auto is_left = [](GroupId id) { return !id.valid(); };
    return std::any_of(result_.a_of.begin(), result_.a_of.end(), is_left) &&
           std::any_of(result_.b_of.begin(), result_.b_of.end(), is_left);
  }

  // A module of B that nobody has by name is the one of A that it has most nodes in common with, if
  // these are most of both.
  void AlignMoved(const GraphMatch& match) {
    for (GroupId id : b_.ids()) {
      if (result_.a_of[id].valid()) continue;
      std::map<GroupId, size_t> counts;
      for (NodeId node : b_.group(id).nodes) {
        const NodeId main = match.main_of(node);
        if (!main.valid() || a_.graph().op(main).type != b_.graph().op(node).type) continue;
        if (!result_.b_of[a_.group_of(main)].valid()) ++counts[a_.group_of(main)];
      }
      const auto most = std::max_element(counts.begin(), counts.end(),
                                         [](auto& a, auto& b) { return a.second < b.second; });
      if (most == counts.end()) continue;
      const size_t larger = std::max(a_.group(most->first).nodes.size(), b_.group(id).nodes.size());
      if (2 * most->second <= larger) continue;
      Join(most->first, id);
      result_.moved.Add(id);
    }
  }

  Alignment Take() && { return std::move(result_); }

 private:
  void Join(GroupId in_a, GroupId in_b) {
    result_.a_of[in_b] = in_a;
    result_.b_of[in_a] = in_b;
  }

  const ModuleGroups& a_;
  const ModuleGroups& b_;
  PathPairs paths_;
  Alignment result_;
};

// With `contents`, members of lists that are built alike are told apart by what they hold. `match`
// is asked only where both have modules that the other one does not have.
absl::StatusOr<Alignment> AlignModules(const ModuleFlow& a, TensorHashes& hashes_a,
                                       const ModuleFlow& b, TensorHashes& hashes_b, bool contents,
                                       absl::FunctionRef<absl::StatusOr<GraphMatch>()> match) {
  Aligner aligner(a, hashes_a, b, hashes_b, contents);
  OH_RETURN_IF_ERROR(aligner.AlignPaths());
  if (aligner.HasLeft()) {
    OH_ASSIGN_OR_RETURN(const GraphMatch found, match());
    aligner.AlignMoved(found);
  }
  return std::move(aligner).Take();
}

// What only one of the models has, for one of the two.
class OutermostModules {
 public:
  // `members`: those of lists that both have, of which nothing is in the other model.
  OutermostModules(const ModuleGroups& groups, const IdVector<GroupId, GroupId>& others,
                   const IdSet<PathId>& members, ModelDiff& diff)
      : groups_(groups), members_(members), diff_(diff), shared_(groups.paths().size()) {
    const ModulePaths& paths = groups.paths();
    for (GroupId id : groups.ids()) {
      if (others[id].valid()) paths.AddWithAround(groups.group(id).path, shared_);
    }
  }

  // Which of the entries the module's is; it is made if need be.
  size_t EntryOf(PathId module, bool is_a, const MemberChanges& changes) {
    const ModulePaths& paths = groups_.paths();
    PathId outermost = module;
    while (!members_.Has(outermost) && outermost != paths.root() &&
           !shared_.Has(paths.parent(outermost))) {
      outermost = paths.parent(outermost);
    }
    const auto [entry, is_new] = entries_.try_emplace(outermost, diff_.only.size());
    if (is_new) {
      OnlyInOne only;
      (is_a ? only.a : only.b) = outermost;
      only.is_member = members_.Has(outermost);
      const auto copy = changes.copy_of.find(outermost);
      if (!is_a && copy != changes.copy_of.end()) only.copy_of = copy->second;
      diff_.only.push_back(only);
    }
    Add(FiguresOf(groups_, groups_.Find(module)), diff_.only[entry->second].figures);
    return entry->second;
  }

 private:
  const ModuleGroups& groups_;
  const IdSet<PathId>& members_;
  ModelDiff& diff_;
  IdSet<PathId> shared_;  // with something in them that both have
  absl::flat_hash_map<PathId, size_t> entries_;
};

// Modules of A with something in them that changed, themselves included.
IdSet<PathId> ChangedInside(const ModulePaths& paths, const ModelDiff& diff) {
  IdSet<PathId> changed(paths.size());
  for (const ModuleDiff& module : diff.changed) paths.AddWithAround(module.a, changed);
  return changed;
}

// The same of B's modules that A does not have.
IdSet<PathId> AddedInside(const ModulePaths& paths, const ModelDiff& diff) {
  IdSet<PathId> added(paths.size());
  for (const ModuleDiff& module : diff.changed) {
    if (!module.a.valid()) paths.AddWithAround(module.b, added);
  }
  return added;
}

// Of what `diff.changed` has.
void Summarise(const ModuleGroups& a, const ModuleGroups& b, const Alignment& alignment,
               ModelDiff& diff) {
  const MemberChanges& members = alignment.members;
  OutermostModules only_in_a(a, alignment.b_of, members.removed, diff);
  OutermostModules only_in_b(b, alignment.a_of, members.inserted, diff);
  for (ModuleDiff& module : diff.changed) {
    if (!module.b.valid()) module.outermost = only_in_a.EntryOf(module.a, true, members);
    if (!module.a.valid()) module.outermost = only_in_b.EntryOf(module.b, false, members);
  }
  const IdSet<PathId> changed = ChangedInside(a.paths(), diff);
  const IdSet<PathId> added = AddedInside(b.paths(), diff);
  for (const MemberChanges::Pair& pair : members.renumbered) {
    diff.renumbered.push_back(
        {pair.a, pair.b, pair.moved, !changed.Has(pair.a) && !added.Has(pair.b)});
  }
  for (GroupId id : a.ids()) Add(FiguresOf(a, id), diff.a);
  for (GroupId id : b.ids()) Add(FiguresOf(b, id), diff.b);
  diff.units = FindUnits(a, b, diff);
}

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
Side SideOf(const ModuleFlow& flow, const Alignment& alignment, bool is_a) {
  const ModuleGroups& groups = flow.groups();
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
  Side side = {flow, IdVector<GroupId, uint64_t>(groups.size()), IdSet<GroupId>(groups.size())};
  for (GroupId id : groups.ids()) {
    const GroupId in_a = is_a ? id : alignment.a_of[id];
    side.names[id] = in_a.valid() ? MixHash(0, in_a.index()) : MixHash(1, id.index());
    if (loose.Has(groups.group(id).path)) side.loose.Add(id);
  }
  return side;
}

class ModelComparison {
 public:
  ModelComparison(const ModuleFlow& a, const ReadableModel& model_a, const ModuleFlow& b,
                  const ReadableModel& model_b, const DiffOptions& options, Alignment alignment)
      : a_(a.groups()),
        b_(b.groups()),
        attributes_a_(model_a.attributes),
        attributes_b_(model_b.attributes),
        options_(options),
        alignment_(std::move(alignment)),
        side_a_(SideOf(a, alignment_, /*is_a=*/true)),
        side_b_(SideOf(b, alignment_, /*is_a=*/false)),
        flow_(side_a_, side_b_),
        weights_(flow_, a_, model_a.tensors, b_, model_b.tensors) {}

  absl::StatusOr<ModelDiff> Compare() {
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
    OH_RETURN_IF_ERROR(AddAttributes());
    if (options_.structure && WholeDiffers()) AddWhole();
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

  // Of modules that are wired otherwise: perhaps by an attribute.
  absl::Status AddAttributes() {
    std::vector<GroupId> of_a;
    std::vector<GroupId> of_b;
    for (const ModuleDiff& diff : result_.changed) {
      if (!diff.wiring && !diff.operators) continue;
      of_a.push_back(a_.Find(diff.a));
      of_b.push_back(b_.Find(diff.b));
    }
    if (of_a.empty()) return absl::OkStatus();
    OH_ASSIGN_OR_RETURN(const auto said_a, ModuleAttributes::Read(a_, of_a, attributes_a_));
    OH_ASSIGN_OR_RETURN(const auto said_b, ModuleAttributes::Read(b_, of_b, attributes_b_));
    for (ModuleDiff& diff : result_.changed) {
      if (!diff.wiring && !diff.operators) continue;
      diff.attributes = CompareAttributes(said_a, a_.Find(diff.a), said_b, b_.Find(diff.b));
    }
    return absl::OkStatus();
  }

  // What no module has: inputs and parameters that the models give out as they are, and, where all
  // modules are the same, values that are made alike in one of them and of which another one reads
  // the wrong one.
  bool WholeDiffers() const {
    if (flow_.IsSame()) return false;
    if (!flow_.GiveTheSame()) return true;
    if (!result_.changed.empty() || !alignment_.members.renumbered.empty()) return false;
    const ModuleGroups whole_a(a_.modules(), 0);
    const ModuleGroups whole_b(b_.modules(), 0);
    if (whole_a.size() != 1 || whole_b.size() != 1) return whole_a.size() != whole_b.size();
    const ModuleFlow flow_a(whole_a, side_a_.flow.attributes());
    const ModuleFlow flow_b(whole_b, side_b_.flow.attributes());
    const Side side_a = {flow_a, IdVector<GroupId, uint64_t>(1), IdSet<GroupId>(1)};
    const Side side_b = {flow_b, IdVector<GroupId, uint64_t>(1), IdSet<GroupId>(1)};
    return !FlowComparison(side_a, side_b).AreWiredAlike(GroupId(0), GroupId(0));
  }

  void AddWhole() {
    for (ModuleDiff& diff : result_.changed) {
      if (diff.a != alignment_.root_a || diff.b != alignment_.root_b) continue;
      diff.wiring = true;
      return;
    }
    ModuleDiff diff;
    diff.a = alignment_.root_a;
    diff.b = alignment_.root_b;
    diff.wiring = true;
    const GroupId root = a_.Find(diff.a);
    if (root.valid() && alignment_.b_of[root].valid()) --result_.same;
    result_.changed.insert(result_.changed.begin(), std::move(diff));
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

  void CompareOperators(GroupId a, GroupId b, ModuleDiff& diff) const {
    const KindCounts operators_a = OperatorsOf(a_, a);
    const KindCounts operators_b = OperatorsOf(b_, b);
    diff.operators_removed = Without(operators_a, operators_b);
    diff.operators_added = Without(operators_b, operators_a);
    diff.operators = operators_a != operators_b;
    diff.wiring = !diff.operators && !flow_.AreWiredAlike(a, b);
  }

  const ModuleGroups& a_;
  const ModuleGroups& b_;
  const AttributeMeanings& attributes_a_;
  const AttributeMeanings& attributes_b_;
  const DiffOptions& options_;
  const Alignment alignment_;
  const Side side_a_;
  const Side side_b_;
  const FlowComparison flow_;
  WeightDiff weights_;
  ModelDiff result_;
};

}  // namespace

absl::StatusOr<ModelDiff> CompareModules(const ReadableModel& a, const ReadableModel& b,
                                         const DiffOptions& options) {
  const ModuleGroups groups_a(a.modules, options.depth);
  const ModuleGroups groups_b(b.modules, options.depth);
  OH_ASSIGN_OR_RETURN(const auto attributes_a, a.attributes.Hash());
  OH_ASSIGN_OR_RETURN(const auto attributes_b, b.attributes.Hash());
  const ModuleFlow flow_a(groups_a, attributes_a);
  const ModuleFlow flow_b(groups_b, attributes_b);
  OH_ASSIGN_OR_RETURN(
      Alignment alignment,
      AlignModules(flow_a, a.tensors.hashes, flow_b, b.tensors.hashes, options.weights, [&] {
        return MatchGraphs(groups_a.graph(), a.tensors.values, groups_b.graph(), b.tensors.values);
      }));
  return ModelComparison(flow_a, a, flow_b, b, options, std::move(alignment)).Compare();
}

}  // namespace onnx_hier
