// SPDX-License-Identifier: Apache-2.0
#include "lib/show/module_graph.h"

#include <map>
#include <utility>

#include "absl/container/flat_hash_set.h"

namespace onnx_hier {

ModuleGraph::ModuleGraph(const Hierarchy& hierarchy, ChosenModules chosen, uint32_t depth)
    : hierarchy_(hierarchy), chosen_(std::move(chosen)), children_(hierarchy.modules().size()) {
  const ModuleTree& tree = hierarchy.modules();
  IdVector<ModuleId, ModuleId> shown(tree.size());
  IdVector<ModuleId, uint32_t> depths(tree.size());
  // What is around a module comes before it.
  for (ModuleId id : tree.ids()) {
    const ModuleId parent = tree.module(id).parent;
    if (!chosen_.Shows(id)) continue;
    depths[id] = parent.valid() && chosen_.Has(parent) ? depths[parent] + 1 : 0;
    shown[id] = depths[id] <= depth ? id : shown[parent];
    if (parent.valid() && shown[id] == id) children_[parent].push_back(id);
  }
  FindEdges(shown);
}

// With a stack of its own: paths may be deep.
void ModuleGraph::ForEach(Visit begin, Visit end) const {
  struct Open {
    ModuleId module;
    size_t next = 0;
  };
  const ModuleId root = hierarchy_.modules().root();
  begin(root, 0);
  std::vector<Open> open = {{root}};
  while (!open.empty()) {
    const ModuleId module = open.back().module;
    if (open.back().next == children_[module].size()) {
      open.pop_back();
      end(module, open.size());
      continue;
    }
    const ModuleId child = children_[module][open.back().next++];
    begin(child, open.size());
    open.push_back({child});
  }
}

void ModuleGraph::FindEdges(const IdVector<ModuleId, ModuleId>& shown) {
  const Graph& graph = hierarchy_.graph();
  std::map<std::pair<ModuleId, ModuleId>, uint64_t> counts;
  absl::flat_hash_set<std::pair<ValueId, ModuleId>> seen;
  for (NodeId node : graph.node_ids()) {
    if (!chosen_.Has(hierarchy_.ModuleOf(node))) continue;
    const ModuleId to = shown[hierarchy_.ModuleOf(node)];
    for (ValueId value : graph.inputs(node)) {
      if (!value.valid() || !graph.value(value).producer.valid()) continue;
      const ModuleId maker = hierarchy_.ModuleOf(graph.value(value).producer);
      if (!chosen_.Has(maker)) continue;
      const ModuleId from = shown[maker];
      if (from != to && seen.emplace(value, to).second) ++counts[{from, to}];
    }
  }
  for (const auto& [ends, values] : counts) edges_.push_back({ends.first, ends.second, values});
}

size_t ModuleGraph::CountBoxes() const {
  size_t boxes = 1;  // the root
  for (ModuleId id : hierarchy_.modules().ids()) {
    boxes += children_[id].size() + (HasOwnBox(id) ? 1 : 0);
  }
  return boxes;
}

uint32_t DrawableDepthOf(const Hierarchy& hierarchy, const ChosenModules& chosen) {
  // Boxes and lines. Graphviz 2.43 draws 660 boxes of a transformer and 900 lines in 0.7 seconds,
  // 700 and 860 of a decoder in 3, and fails at 1,270 and 880 of a deeper one.
  constexpr size_t kMost = 1600;
  const auto is_drawable = [&](uint32_t depth) {
    const ModuleGraph modules(hierarchy, chosen, depth);
    return modules.CountBoxes() + modules.edges().size() <= kMost;
  };
  // More levels never show less. A picture of one box is none.
  uint32_t drawable = 1;
  uint32_t too_deep = ModulePaths::kDeepest + 1;
  while (drawable + 1 < too_deep) {
    const uint32_t depth = drawable + (too_deep - drawable) / 2;
    (is_drawable(depth) ? drawable : too_deep) = depth;
  }
  return drawable;
}

}  // namespace onnx_hier
