// SPDX-License-Identifier: Apache-2.0
#include "lib/names/spelling.h"

#include "absl/container/inlined_vector.h"
#include "absl/strings/match.h"
#include "absl/strings/string_view.h"
#include "absl/strings/strip.h"
#include "lib/names/number.h"

namespace onnx_hier {
namespace {

// The names of a path, innermost first; a name that holds slashes in pieces, as it is printed, and
// one that holds dots likewise, as a builder of models joins modules.
using PathPieces = absl::InlinedVector<absl::string_view, 16>;

PathPieces Split(const ModulePaths& paths, PathId path) {
  PathPieces pieces;
  for (; path != paths.root(); path = paths.parent(path)) {
    absl::string_view name = paths.name(path);
    for (size_t joint = name.find_last_of("/."); joint != absl::string_view::npos;
         joint = name.find_last_of("/.")) {
      pieces.push_back(name.substr(joint + 1));
      name = name.substr(0, joint);
    }
    pieces.push_back(name);
  }
  return pieces;
}

}  // namespace

PathId Spelling::WithoutComponent(PathId module, ScopeId scope, ScopeId* outer) const {
  const ModulePaths& printed = printed_.paths();
  *outer = printed_.scope(scope).parent;
  PathId at = printed_.scope(scope).path;
  const PathId end = printed_.scope(*outer).path;
  if (module != paths_.root() && absl::StrContains(paths_.name(module), '/')) {
    return WithoutSlashedName(module, scope, outer);
  }
  while (at != end) {
    module = WithoutNames(module, printed.name(at));
    if (!module.valid()) return PathId();
    at = printed.parent(at);
  }
  return module;
}

// `module` without its last name, or without its last few if these are `printed` with dots between.
PathId Spelling::WithoutNames(PathId module, absl::string_view printed) const {
  for (;;) {
    if (module == paths_.root() || !absl::ConsumeSuffix(&printed, paths_.name(module))) {
      return PathId();
    }
    module = paths_.parent(module);
    if (printed.empty()) return module;
    if (!absl::ConsumeSuffix(&printed, ".")) return PathId();
  }
}

PathId Spelling::WithoutSlashedName(PathId module, ScopeId scope, ScopeId* outer) const {
  absl::string_view rest = paths_.name(module);
  for (;;) {
    if (scope == printed_.root() || !absl::ConsumeSuffix(&rest, printed_.scope(scope).component)) {
      return PathId();
    }
    scope = printed_.scope(scope).parent;
    if (rest.empty()) break;
    if (!absl::ConsumeSuffix(&rest, "/")) return PathId();
  }
  *outer = scope;
  return paths_.parent(module);
}

bool Spelling::EndsAlike(PathId module, ScopeId scope) const {
  ScopeId outer;
  return WithoutComponent(module, scope, &outer).valid() && HasItsNumbers(module, scope);
}

// torch prints a module as its last name that is no number, with all numbers behind it: "stem.0" is
// not what is printed of stem.1.0. Only of a Sequential that is the model nothing but numbers are.
bool Spelling::HasItsNumbers(PathId module, ScopeId scope) const {
  const PrintedScope& printed = printed_.scope(scope);
  absl::string_view rest = printed.component;
  if (!printed_.grammar().counts_calls() || rest.empty() || IsNumber(rest.substr(0, 1)))
    return true;
  for (; module != paths_.root(); module = paths_.parent(module)) {
    const absl::string_view name = paths_.name(module);
    if (absl::StrContains(name, '/')) return true;
    if (!absl::ConsumeSuffix(&rest, name)) return false;
    if (rest.empty()) return !IsNumber(name);
    if (!absl::ConsumeSuffix(&rest, ".")) return false;
  }
  return false;
}

// Name by name, as most are: nothing is left out.
bool Spelling::IsSame(PathId module, PathId printed) const {
  const ModulePaths& names = printed_.paths();
  if (paths_.depth(module) != names.depth(printed)) return false;
  while (module != paths_.root() && paths_.name(module) == names.name(printed)) {
    module = paths_.parent(module);
    printed = names.parent(printed);
  }
  return module == paths_.root();
}

bool Spelling::IsCompatible(PathId module, ScopeId scope) const {
  if (IsSame(module, printed_.scope(scope).path)) return true;
  const PathPieces a = Split(paths_, module);
  const PathPieces b = Split(printed_.paths(), printed_.scope(scope).path);
  const PathPieces& longer = a.size() >= b.size() ? a : b;
  const PathPieces& shorter = a.size() >= b.size() ? b : a;
  size_t found = 0;
  for (absl::string_view piece : longer) {
    if (found < shorter.size() && piece == shorter[found]) ++found;
  }
  return found == shorter.size();
}

}  // namespace onnx_hier
