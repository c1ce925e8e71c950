#include "tools/onnx-hier/patterns.h"

#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"

namespace onnx_hier::cli {

std::string NoSuchModule(const Hierarchy& hierarchy, absl::string_view pattern) {
  constexpr size_t kSuggestions = 3;
  const Annotation& annotation = hierarchy.annotation();
  std::vector<std::string> paths;
  for (ModuleId module : hierarchy.Nearest(pattern, kSuggestions)) {
    paths.push_back(annotation.paths.Tag(annotation.modules.module(module).path));
  }
  return absl::StrCat("no module is meant by '", pattern, "'",
                      paths.empty() ? "" : absl::StrCat("; nearest: ", absl::StrJoin(paths, ", ")));
}

}  // namespace onnx_hier::cli
