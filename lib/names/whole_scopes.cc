// SPDX-License-Identifier: Apache-2.0
#include "lib/names/whole_scopes.h"

#include "absl/container/inlined_vector.h"
#include "absl/strings/string_view.h"

namespace onnx_hier {

WholeScopes::WholeScopes(const PrintedScopes& printed, const ModulePaths& paths)
    : printed_(printed), paths_(paths), scope_of_(paths.size()) {
  const ModulePaths& names = printed.paths();
  IdVector<ScopeId, PathId> module_of(printed.size());
  module_of[printed.root()] = paths.root();
  for (ScopeId id : printed.ids()) {
    if (id == printed.root()) continue;
    const PrintedScope& scope = printed.scope(id);
    absl::InlinedVector<absl::string_view, 4> own;  // what it has for itself, the last name first
    const PathId around = printed.scope(scope.parent).path;
    for (PathId at = scope.path; at != around && at != names.root(); at = names.parent(at)) {
      own.push_back(names.name(at));
    }
    PathId module = module_of[scope.parent];
    for (auto name = own.rbegin(); name != own.rend() && module.valid(); ++name) {
      module = paths.FindChild(module, *name);
    }
    module_of[id] = module;
    if (module.valid()) scope_of_[module] = id;
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
