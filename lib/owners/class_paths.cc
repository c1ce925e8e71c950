// SPDX-License-Identifier: Apache-2.0
#include "lib/owners/class_paths.h"

#include <vector>

#include "absl/container/inlined_vector.h"
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_split.h"
#include "lib/base/fit_text.h"

namespace onnx_hier {
namespace {

constexpr absl::string_view kLibrary = "torch.nn.";

// A qualified name's path if the model has it; none else: the map may hold modules that left no
// trace in the file.
PathId Find(const ModulePaths& paths, absl::string_view qualified_name) {
  PathId path = paths.root();
  for (absl::string_view name : absl::StrSplit(qualified_name, '.', absl::SkipEmpty())) {
    path = paths.FindChild(path, name);
    if (!path.valid()) break;
  }
  return path;
}

// One class may be that of many modules.
std::string Fit(absl::string_view class_name) {
  return FitText(class_name, ModulePaths::kLongestName);
}

}  // namespace

ClassPaths::ClassPaths(const ModulePaths& paths, const Evidence& evidence, const ModuleMap& map)
    : paths_(paths), classes_(paths.size()) {
  for (const auto& [path, class_name] : evidence.classes) classes_[path] = Fit(class_name);
  for (const MappedModule& module : map) {
    const PathId path = Find(paths, module.qualified_name);
    if (!path.valid()) continue;
    classes_[path] = Fit(module.class_name);
    mapped_.push_back(path);
  }
  if (classes_[paths.root()].empty()) return;
  own_.resize(paths.size());
  for (PathId path : paths.ids()) {
    const absl::string_view name = classes_[path];
    if (name.empty() || absl::StartsWith(name, kLibrary) || !evidence.MayBeCalled(path)) continue;
    own_[path] = ModulePaths::FitName(name.substr(name.rfind('.') + 1));
  }
}

std::string ClassPaths::ClassPath(PathId path) const {
  if (classes_[paths_.root()].empty()) return "";
  absl::InlinedVector<PathId, 32> chain;
  for (PathId at = path; at.valid(); at = paths_.parent(at)) chain.push_back(at);
  std::string text;
  std::string numbers;  // of the list members on the way to the next module
  for (auto at = chain.rbegin(); at != chain.rend(); ++at) {
    if (paths_.is_number(*at)) {
      absl::StrAppend(&numbers, ".", paths_.name(*at));
    } else {
      numbers.clear();
    }
    if (own_[*at].empty()) continue;
    absl::StrAppend(&text, "/", own_[*at], numbers);
    numbers.clear();
  }
  return FitText(text, ModulePaths::kLongest);
}

}  // namespace onnx_hier
