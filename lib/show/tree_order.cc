// SPDX-License-Identifier: Apache-2.0
#include "lib/show/tree_order.h"

#include <algorithm>

namespace onnx_hier {

std::vector<ModuleId> ModulesShown(const ModuleTree& tree, const TreeTextOptions& options) {
  IdVector<ModuleId, std::vector<ModuleId>> children(tree.size());
  for (ModuleId id : tree.ids()) {
    if (tree.module(id).parent.valid()) children[tree.module(id).parent].push_back(id);
  }
  const Column* const size = options.sort_by;
  if (size != nullptr) {
    for (std::vector<ModuleId>& each : children) {
      std::stable_sort(each.begin(), each.end(), [size](ModuleId a, ModuleId b) {
        return size->figure(b).total < size->figure(a).total;
      });
    }
  }
  struct Open {
    ModuleId module;
    uint32_t depth;
  };
  std::vector<Open> open;
  std::vector<ModuleId> shown;
  std::vector<ModuleId> starts = options.modules;
  if (starts.empty()) starts.push_back(tree.root());
  for (size_t i = starts.size(); i-- > 0;) open.push_back({starts[i], 0});
  while (!open.empty()) {
    const Open at = open.back();
    open.pop_back();
    shown.push_back(at.module);
    if (at.depth == options.depth) continue;
    const std::vector<ModuleId>& inside = children[at.module];
    for (size_t i = inside.size(); i-- > 0;) open.push_back({inside[i], at.depth + 1});
  }
  return shown;
}

}  // namespace onnx_hier
