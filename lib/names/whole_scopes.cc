// SPDX-License-Identifier: Apache-2.0
#include "lib/names/whole_scopes.h"

#include <algorithm>
#include <vector>

#include "absl/strings/str_split.h"
#include "lib/names/scoped_name.h"

namespace onnx_hier {
namespace {

// "body.0" in /body is member 0 of body itself, or else of a list `body` inside of that.
PathId ModuleIn(PathId around, ScopeId id, const PrintedScopes& printed, const ModulePaths& paths) {
  const PathId member = FindInside(around, printed.OwnNames(id), paths);
  if (member.valid()) return member;
  std::vector<absl::string_view> names = absl::StrSplit(printed.scope(id).component, '.');
  std::reverse(names.begin(), names.end());
  return FindInside(around, names, paths);
}

}  // namespace

WholeScopes::WholeScopes(const PrintedScopes& printed, const ModulePaths& paths)
    : printed_(printed), paths_(paths), scope_of_(paths.size()) {
  IdVector<ScopeId, PathId> module_of(printed.size());
  module_of[printed.root()] = paths.root();
  for (ScopeId id : printed.ids()) {
    if (id == printed.root()) continue;
    const PathId around = module_of[printed.scope(id).parent];
    if (around.valid()) module_of[id] = ModuleIn(around, id, printed, paths);
    if (module_of[id].valid()) scope_of_[module_of[id]] = id;
  }
}

bool WholeScopes::LeavesOut(ScopeId scope, PathId module) const {
  while (module != paths_.root()) {
    module = paths_.parent(module);
    const bool is_printed = scope_of_.contains(module) && scope_of_[module].valid();
    if (is_printed) return printed_.CommonAncestor(scope, scope_of_[module]) != scope_of_[module];
  }
  return false;
}

}  // namespace onnx_hier
