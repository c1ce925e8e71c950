// SPDX-License-Identifier: Apache-2.0
#include "lib/parts/main_list.h"

#include <map>
#include <string>
#include <utility>

#include "absl/strings/ascii.h"

namespace onnx_hier {
namespace {

// What stands before the number at the end of a name; the name itself if there is none.
absl::string_view StemOf(absl::string_view name) {
  while (!name.empty() && absl::ascii_isdigit(static_cast<unsigned char>(name.back()))) {
    name.remove_suffix(1);
  }
  return name;
}

struct List {
  std::vector<ModuleId> members;
  uint64_t runs = 0;
  uint64_t units = 0;
};

}  // namespace

std::vector<ModuleId> FindMainList(const Units& units, const Hierarchy& hierarchy) {
  const ModuleTree& tree = hierarchy.modules();
  const ModulePaths& paths = hierarchy.annotation().paths;
  // A map: of equals the first one wins, whatever the order of hashes.
  std::map<std::pair<PathId, std::string>, List> lists;
  for (ModuleId id : tree.ids()) {
    const PathId path = tree.module(id).path;
    if (path == paths.root()) continue;
    const absl::string_view name = paths.name(path);
    const absl::string_view stem = StemOf(name);
    if (stem.size() == name.size()) continue;
    uint64_t held = 0;
    for (NodeId node : hierarchy.Nodes(id)) {
      if (units.unit(node).valid() && units.node(units.unit(node)) == node) ++held;
    }
    if (held == 0) continue;
    List& list = lists[{paths.parent(path), std::string(stem)}];
    list.members.push_back(id);
    list.runs += tree.module(id).calls;
    list.units += held;
  }
  const List* best = nullptr;
  uint32_t best_depth = 0;
  for (const auto& [key, list] : lists) {
    if (list.runs < 2) continue;
    const uint32_t depth = paths.depth(key.first);
    const bool better = best == nullptr || list.units > best->units ||
                        (list.units == best->units && depth < best_depth);
    if (!better) continue;
    best = &list;
    best_depth = depth;
  }
  return best == nullptr ? std::vector<ModuleId>() : best->members;
}

}  // namespace onnx_hier
