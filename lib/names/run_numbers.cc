// SPDX-License-Identifier: Apache-2.0
#include "lib/names/run_numbers.h"

#include <algorithm>
#include <vector>

namespace onnx_hier {
namespace {

class RunNumberer {
 public:
  RunNumberer(const ScopeRuns& runs, const IdVector<ScopeId, ScopeMeaning>& meanings,
              const IdVector<RunId, PathId>& modules, const IdSet<PathId>& is_known,
              const ModulePaths& paths)
      : runs_(runs), meanings_(meanings), modules_(modules), is_known_(is_known), paths_(paths) {}

  ScopePlaces Number() {
    IdVector<PathId, ScopeRuns::List> runs(paths_.size());
    for (RunId id : runs_.ids()) {
      if (runs_[id].first.valid()) runs[modules_[id]].push_back(id);
    }
    const IdSet<ScopeId> is_one_module = FindScopesOfOneModule();
    const IdSet<PathId> run_elsewhere = FindRunElsewhere(runs);
    IdVector<RunId, uint32_t> calls(runs_.size(), 0);
    for (ScopeRuns::List& list : runs) {
      std::sort(list.begin(), list.end(),
                [this](RunId a, RunId b) { return runs_[a].first < runs_[b].first; });
      const bool numbered = NumbersAreCalls(list, is_one_module);
      uint32_t rank = 0;
      for (RunId id : list) calls[id] = numbered ? runs_[id].number : rank++;
    }
    const auto place_of = [&](RunId id) {
      const PathId module = modules_[id];
      if (!IsHidden(id, run_elsewhere)) return ScopePlace{module, module, calls[id]};
      PathId around = paths_.parent(module);
      while (run_elsewhere.Has(around)) around = paths_.parent(around);
      return ScopePlace{module, around, 0, true};
    };
    ScopePlaces places;
    places.by_scope.reserve(meanings_.size());
    for (ScopeId scope : IdRange<ScopeId>(meanings_.size())) {
      places.by_scope.push_back(place_of(runs_.of(scope)));
    }
    return places;
  }

 private:
  bool IsKnown(PathId module) const { return is_known_.Contains(module); }

  bool IsHidden(RunId id, const IdSet<PathId>& run_elsewhere) const {
    const PathId module = modules_[id];
    return module != paths_.root() && !IsKnown(module) &&
           (meanings_[runs_[id].scope].in_hidden_container ||
            run_elsewhere.Has(paths_.parent(module)));
  }

  // Modules of which the printed names show several as one: all that is in them runs equally often,
  // and some of it has other weights each time. What is around all of them is not printed.
  IdSet<PathId> FindRunElsewhere(const IdVector<PathId, ScopeRuns::List>& runs) const {
    std::vector<PathId> again;
    for (RunId id : runs_.ids()) {
      const bool is_other =
          runs_[id].first.valid() && meanings_[runs_[id].scope].in_hidden_container;
      if (is_other && runs[modules_[id]].size() > 1 && !IsKnown(modules_[id])) {
        again.push_back(modules_[id]);
      }
    }
    IdSet<PathId> elsewhere(paths_.size());
    if (again.empty()) return elsewhere;
    struct Counts {
      size_t least = 0;  // of a module inside; 0: there is none
      size_t most = 0;
    };
    IdVector<PathId, Counts> inside(paths_.size());
    // Parents are made before their children.
    for (size_t i = paths_.size(); i-- > 1;) {
      const PathId path(i);
      const size_t own = runs[path].size();
      for (const size_t count : {inside[path].least, inside[path].most, own}) {
        if (count == 0) continue;
        Counts& around = inside[paths_.parent(path)];
        around.least = around.least == 0 ? count : std::min(around.least, count);
        around.most = std::max(around.most, count);
      }
    }
    for (PathId module : again) {
      const size_t count = runs[module].size();
      for (PathId path = paths_.parent(module);
           path != paths_.root() && !elsewhere.Has(path) && !IsKnown(path) && runs[path].empty() &&
           inside[path].least == count && inside[path].most == count;
           path = paths_.parent(path)) {
        elsewhere.Add(path);
      }
    }
    return elsewhere;
  }

  // The printed numbers count calls if all that is printed alike is one module.
  bool NumbersAreCalls(const ScopeRuns::List& list, const IdSet<ScopeId>& is_one_module) const {
    if (list.empty()) return true;
    const ScopeId scope = runs_[list[0]].scope;
    return is_one_module.Has(scope) && std::all_of(list.begin(), list.end(), [&](RunId id) {
             return runs_[id].scope == scope;
           });
  }

  // For each scope, whether all its runs that have nodes are of one module.
  IdSet<ScopeId> FindScopesOfOneModule() const {
    IdSet<ScopeId> is_one(meanings_.size());
    is_one.AddAll();
    IdVector<ScopeId, PathId> module_of(meanings_.size());
    for (RunId id : runs_.ids()) {
      const ScopeRun& run = runs_[id];
      if (!run.first.valid()) continue;
      PathId& module = module_of[run.scope];
      if (module.valid() && module != modules_[id]) is_one.Remove(run.scope);
      module = modules_[id];
    }
    return is_one;
  }

  const ScopeRuns& runs_;
  const IdVector<ScopeId, ScopeMeaning>& meanings_;
  const IdVector<RunId, PathId>& modules_;
  const IdSet<PathId>& is_known_;
  const ModulePaths& paths_;
};

}  // namespace

ScopePlaces NumberRuns(const ScopeRuns& runs, const IdVector<ScopeId, ScopeMeaning>& meanings,
                       const IdVector<RunId, PathId>& modules, const IdSet<PathId>& is_known,
                       const ModulePaths& paths) {
  return RunNumberer(runs, meanings, modules, is_known, paths).Number();
}

}  // namespace onnx_hier
