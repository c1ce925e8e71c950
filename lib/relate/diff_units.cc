// SPDX-License-Identifier: Apache-2.0
#include "lib/relate/diff_units.h"

#include <cstddef>
#include <string>
#include <utility>

#include "absl/container/flat_hash_map.h"
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "lib/graph/weight.h"

namespace onnx_hier {
namespace {

// Of each path the one that it counts for: the first list on the way to it, else the first module
// that has none inside.
IdVector<PathId, PathId> UnitsOf(const ModuleGroups& groups) {
  const ModulePaths& paths = groups.paths();
  IdSet<PathId> exists(paths.size());
  for (GroupId id : groups.ids()) paths.AddWithAround(groups.group(id).path, exists);
  IdSet<PathId> is_open(paths.size());  // has lists inside
  for (PathId path : paths.ids()) {
    if (path == paths.root() || !exists.Has(path) || !paths.is_number(path)) continue;
    const PathId list = paths.parent(path);
    paths.AddWithAround(paths.parent(list), is_open);
  }
  is_open.Add(paths.root());
  IdVector<PathId, PathId> units(paths.size());
  units[paths.root()] = paths.root();
  // What is around a path comes before it.
  for (PathId path : paths.ids()) {
    if (path == paths.root()) continue;
    const PathId around = paths.parent(path);
    const bool goes_on = units[around] == around && is_open.Has(around) && !paths.is_number(path);
    units[path] = goes_on ? path : units[around];
  }
  return units;
}

// By what they are called in A.
class UnitPairing {
 public:
  UnitPairing(const ModuleGroups& a, PathId root_a, const ModuleGroups& b, PathId root_b)
      : a_(a),
        b_(b),
        units_a_(UnitsOf(a)),
        units_b_(UnitsOf(b)),
        root_a_(a.paths().Tag(root_a)),
        root_b_(b.paths().Tag(root_b)),
        known_a_(a.paths().size(), kUnknown),
        known_b_(b.paths().size(), kUnknown) {}

  UnitDiff& OfA(PathId path) {
    const PathId unit = units_a_[path];
    if (known_a_[unit] == kUnknown) known_a_[unit] = Entry(a_.paths().Tag(unit));
    return result_[known_a_[unit]];
  }
  UnitDiff& OfB(PathId path) {
    const PathId unit = units_b_[path];
    if (known_b_[unit] == kUnknown) known_b_[unit] = Entry(NameInA(b_.paths().Tag(unit)));
    return result_[known_b_[unit]];
  }
  // Whether the unit is the list that has such a member.
  bool IsMemberInA(PathId path) const { return IsMember(a_.paths(), units_a_, path); }
  bool IsMemberInB(PathId path) const { return IsMember(b_.paths(), units_b_, path); }
  std::vector<UnitDiff> Take() && { return std::move(result_); }

 private:
  static constexpr size_t kUnknown = static_cast<size_t>(-1);

  static bool IsMember(const ModulePaths& paths, const IdVector<PathId, PathId>& units,
                       PathId path) {
    return paths.is_number(path) && units[path] == paths.parent(path);
  }

  std::string NameInA(const std::string& tag) const {
    const std::string in_b = root_b_ == "/" ? "" : root_b_;
    const std::string in_a = root_a_ == "/" ? "" : root_a_;
    if (in_a == in_b) return tag;
    if (tag == root_b_) return root_a_;
    if (!absl::StartsWith(tag, in_b + "/")) return tag;
    return absl::StrCat(in_a, tag == "/" ? "" : tag.substr(in_b.size()));
  }

  size_t Entry(std::string name) {
    const auto [entry, is_new] = entries_.try_emplace(name, result_.size());
    if (is_new) {
      result_.emplace_back();
      result_.back().name = std::move(name);
    }
    return entry->second;
  }

  const ModuleGroups& a_;
  const ModuleGroups& b_;
  const IdVector<PathId, PathId> units_a_;
  const IdVector<PathId, PathId> units_b_;
  const std::string root_a_;
  const std::string root_b_;
  IdVector<PathId, size_t> known_a_;
  IdVector<PathId, size_t> known_b_;
  absl::flat_hash_map<std::string, size_t> entries_;
  std::vector<UnitDiff> result_;
};

}  // namespace

ModuleFigures FiguresOf(const ModuleGroups& groups, GroupId id) {
  const ModuleGroup& group = groups.group(id);
  ModuleFigures figures;
  figures.modules = 1;
  figures.nodes = group.nodes.size() + group.constants;
  for (ValueId value : group.parameters) {
    const TensorId tensor = HeldTensor(groups.graph(), value);
    if (!tensor.valid()) continue;
    figures.parameters += groups.graph().tensor(tensor).elements;
    figures.bytes += groups.graph().tensor(tensor).bytes;
  }
  return figures;
}

void Add(const ModuleFigures& figures, ModuleFigures& sum) {
  sum.modules += figures.modules;
  sum.nodes += figures.nodes;
  sum.parameters += figures.parameters;
  sum.bytes += figures.bytes;
}

std::vector<UnitDiff> FindUnits(const ModuleGroups& a, const ModuleGroups& b,
                                const ModelDiff& diff) {
  UnitPairing units(a, diff.root_a, b, diff.root_b);
  for (GroupId id : a.ids()) Add(FiguresOf(a, id), units.OfA(a.group(id).path).a);
  for (GroupId id : b.ids()) Add(FiguresOf(b, id), units.OfB(b.group(id).path).b);
  for (const ModuleDiff& module : diff.changed) {
    ++(module.a.valid() ? units.OfA(module.a) : units.OfB(module.b)).changed;
  }
  for (const OnlyInOne& only : diff.only) {
    if (only.a.valid() && units.IsMemberInA(only.a)) ++units.OfA(only.a).members_removed;
    if (only.b.valid() && units.IsMemberInB(only.b)) ++units.OfB(only.b).members_added;
  }
  for (const Renumbered& pair : diff.renumbered) {
    if (!units.IsMemberInA(pair.a)) continue;
    UnitDiff& unit = units.OfA(pair.a);
    ++unit.members_renumbered;
    if (pair.moved) ++unit.members_moved;
  }
  return std::move(units).Take();
}

}  // namespace onnx_hier
