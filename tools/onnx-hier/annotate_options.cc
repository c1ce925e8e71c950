#include "absl/strings/str_cat.h"
#include "tools/onnx-hier/commands.h"

namespace onnx_hier::cli {

absl::StatusOr<AnnotateOptions> ReadAnnotateOptions(const ParsedFlags& flags) {
  AnnotateOptions options;
  if (!flags.Has("module-map")) return options;
  const std::string path = flags.Value("module-map");
  absl::StatusOr<ModuleMap> map = ReadModuleMap(path);
  if (!map.ok()) {
    return absl::Status(map.status().code(), absl::StrCat(path, ": ", map.status().message()));
  }
  options.module_map = *std::move(map);
  return options;
}

}  // namespace onnx_hier::cli
