// SPDX-License-Identifier: Apache-2.0
#include "lib/names/mapped_modules.h"

#include <algorithm>
#include <array>

#include "absl/strings/match.h"
#include "absl/strings/string_view.h"

namespace onnx_hier {
namespace {

// Torch's modules that are never called.
constexpr std::array<absl::string_view, 4> kContainers = {"ModuleList", "ModuleDict",
                                                          "ParameterList", "ParameterDict"};

// The name of a class of torch's own; none: what a network derives from one may do as it likes.
absl::string_view TorchClass(absl::string_view class_name) {
  const size_t dot = class_name.rfind('.');
  if (dot == absl::string_view::npos) return class_name;
  return absl::StartsWith(class_name, "torch.nn.") ? class_name.substr(dot + 1) : "";
}

}  // namespace

absl::string_view LibraryOf(absl::string_view class_name) {
  constexpr absl::string_view kTorch = "torch.nn";
  if (absl::StartsWith(class_name, "torch.nn.")) return kTorch;
  const size_t dot = class_name.find('.');
  const absl::string_view first = class_name.substr(0, dot);
  return dot == absl::string_view::npos || first == "__main__" ? absl::string_view() : first;
}

MappedModules PathsOf(const ModuleMap& map, ModulePaths& paths) {
  MappedModules mapped;
  for (const MappedModule& module : map) {
    mapped.modules.push_back(paths.Parse(module.qualified_name));
  }
  IdSet<PathId> all(paths.size());
  for (PathId path : mapped.modules) all.Add(path);
  const bool complete = all.size() > 0 && all.Has(paths.root()) &&
                        std::all_of(mapped.modules.begin(), mapped.modules.end(), [&](PathId path) {
                          return path == paths.root() || all.Has(paths.parent(path));
                        });
  if (!complete) return mapped;
  mapped.owners = IdSet<PathId>(paths.size());
  mapped.owners.Add(paths.root());
  mapped.computing = mapped.owners;
  for (size_t i = 0; i < map.size(); ++i) {
    const absl::string_view name = TorchClass(map[i].class_name);
    if (std::find(kContainers.begin(), kContainers.end(), name) != kContainers.end()) continue;
    mapped.owners.Add(mapped.modules[i]);
    if (name != "Sequential") mapped.computing.Add(mapped.modules[i]);
  }
  return mapped;
}

}  // namespace onnx_hier
