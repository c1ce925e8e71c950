// SPDX-License-Identifier: Apache-2.0
#include "lib/relate/alignment.h"

#include <algorithm>
#include <map>
#include <utility>
#include <vector>

#include "lib/base/status_macros.h"

namespace onnx_hier {
namespace {

// Names that a wrapper, a trainer or a head puts around a model.
constexpr uint32_t kDeepestRoot = 4;

// A path of one model in the other, below other names for the whole; none: it is not there.
class Below {
 public:
  Below(const ModuleGroups& from, PathId from_root, const ModuleGroups& to, PathId to_root)
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
  Below below(b, root_b, a, root_a);
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

}  // namespace

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

}  // namespace onnx_hier
