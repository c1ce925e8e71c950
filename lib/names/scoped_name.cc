// SPDX-License-Identifier: Apache-2.0
#include "lib/names/scoped_name.h"

#include <algorithm>

#include "absl/container/inlined_vector.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_split.h"
#include "lib/names/derived_name.h"
#include "lib/names/number.h"

namespace onnx_hier {
namespace {

using Atoms = absl::InlinedVector<absl::string_view, 8>;

// "layer.1" -> layer, 1; "conv.0.0" -> conv, 0, 0; "v1.5x" stays whole.
Atoms SplitComponent(absl::string_view component) {
  Atoms numbers;
  for (;;) {
    const size_t dot = component.rfind('.');
    if (dot == absl::string_view::npos || dot == 0 || !IsNumber(component.substr(dot + 1))) break;
    numbers.push_back(component.substr(dot + 1));
    component = component.substr(0, dot);
  }
  Atoms atoms = {component};
  atoms.insert(atoms.end(), numbers.rbegin(), numbers.rend());
  return atoms;
}

// Atoms of one component that are looked for; a container and its numbers are two to four.
constexpr size_t kMostRepeated = 8;

// How many of the first atoms repeat the end of the path: a container that was called itself.
size_t RepeatedAtoms(const Atoms& atoms, PathId path, const ModulePaths& paths) {
  for (size_t n = std::min<size_t>({atoms.size() - 1, paths.depth(path), kMostRepeated}); n > 0;
       --n) {
    PathId at = path;
    size_t i = n;
    while (i > 0 && paths.name(at) == atoms[i - 1]) {
      at = paths.parent(at);
      --i;
    }
    if (i == 0) return n;
  }
  return 0;
}

}  // namespace

PathId AppendComponent(absl::string_view component, PathId parent, ModulePaths& paths) {
  const Atoms atoms = SplitComponent(component);
  PathId path = parent;
  for (size_t i = RepeatedAtoms(atoms, parent, paths); i < atoms.size(); ++i) {
    path = paths.Child(path, atoms[i]);
  }
  return path;
}

PathId AppendComponents(absl::string_view components, PathId parent, ModulePaths& paths) {
  PathId path = parent;
  for (absl::string_view component : absl::StrSplit(components, '/', absl::SkipEmpty())) {
    path = AppendComponent(component, path, paths);
  }
  return path;
}

PathId FindInside(PathId around, absl::Span<const absl::string_view> names,
                  const ModulePaths& paths) {
  for (auto name = names.rbegin(); name != names.rend() && around.valid(); ++name) {
    around = paths.FindChild(around, *name);
  }
  return around;
}

std::string ScopeOfModules(absl::string_view modules, absl::string_view separator) {
  std::string scope;
  for (absl::string_view module : absl::StrSplit(modules, separator, absl::SkipEmpty())) {
    const bool is_member = IsNumber(WithoutCounter(module)) && !scope.empty();
    absl::StrAppend(&scope, is_member ? "." : "/", module);
  }
  return scope;
}

PathId PathOfTag(absl::string_view tag, ModulePaths& paths) {
  PathId path = paths.root();
  for (absl::string_view component : absl::StrSplit(tag, '/', absl::SkipEmpty())) {
    for (absl::string_view atom : SplitComponent(component)) path = paths.Child(path, atom);
  }
  return path;
}

}  // namespace onnx_hier
