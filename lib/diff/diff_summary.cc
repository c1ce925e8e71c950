#include "lib/diff/diff_summary.h"

#include <cstddef>

#include "absl/container/flat_hash_map.h"
#include "lib/diff/diff_units.h"

namespace onnx_hier {
namespace {

// What only one of the models has, for one of the two.
class Outermost {
 public:
  // `members`: those of lists that both have, of which nothing is in the other model.
  Outermost(const ModuleGroups& groups, const IdVector<GroupId, GroupId>& others,
            const IdSet<PathId>& members, ModelDiff& diff)
      : groups_(groups), members_(members), diff_(diff), shared_(groups.paths().size()) {
    const ModulePaths& paths = groups.paths();
    for (GroupId id : groups.ids()) {
      if (!others[id].valid()) continue;
      for (PathId at = groups.group(id).path; at.valid() && !shared_.Has(at);
           at = paths.parent(at)) {
        shared_.Add(at);
      }
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
  for (const ModuleDiff& module : diff.changed) {
    for (PathId at = module.a; at.valid() && !changed.Has(at); at = paths.parent(at)) {
      changed.Add(at);
    }
  }
  return changed;
}

// The same of B's modules that A does not have.
IdSet<PathId> AddedInside(const ModulePaths& paths, const ModelDiff& diff) {
  IdSet<PathId> added(paths.size());
  for (const ModuleDiff& module : diff.changed) {
    if (module.a.valid()) continue;
    for (PathId at = module.b; at.valid() && !added.Has(at); at = paths.parent(at)) added.Add(at);
  }
  return added;
}

}  // namespace

void Summarise(const ModuleGroups& a, const ModuleGroups& b, const Alignment& alignment,
               ModelDiff& diff) {
  const MemberChanges& members = alignment.members;
  Outermost only_in_a(a, alignment.b_of, members.removed, diff);
  Outermost only_in_b(b, alignment.a_of, members.inserted, diff);
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

}  // namespace onnx_hier
