// SPDX-License-Identifier: Apache-2.0
#include "lib/relate/module_groups.h"

#include <utility>

#include "lib/graph/weight.h"

namespace onnx_hier {

ModuleGroups::ModuleGroups(const Hierarchy& modules, uint32_t depth)
    : modules_(modules),
      group_of_path_(modules.annotation().paths.size()),
      group_of_node_(modules.graph().node_count()),
      owner_of_value_(modules.graph().value_count()) {
  // The module that each one counts for, and how deep that is; parents come first.
  IdVector<ModuleId, ModuleId> counts_for(modules.modules().size());
  IdVector<ModuleId, uint32_t> depths(modules.modules().size());
  for (ModuleId module : modules.modules().ids()) {
    const ModuleId parent = modules.modules().module(module).parent;
    const bool is_too_deep = parent.valid() && depths[parent] == depth;
    counts_for[module] = is_too_deep ? counts_for[parent] : module;
    depths[module] = !parent.valid() ? 0 : depths[parent] + (is_too_deep ? 0 : 1);
    const auto nodes = modules.OwnNodes(module);
    const auto parameters = modules.OwnParameters(module);
    if (nodes.empty() && parameters.empty()) continue;
    const GroupId id = GroupAt(modules.modules().module(counts_for[module]).path);
    ModuleGroup& group = groups_[id];
    for (NodeId node : nodes) {
      group_of_node_[node] = id;
      if (IsConstant(graph(), node)) {
        ++group.constants;
      } else {
        group.nodes.push_back(node);
      }
    }
    for (ValueId value : parameters) owner_of_value_[value] = id;
    group.parameters.insert(group.parameters.end(), parameters.begin(), parameters.end());
  }
}

GroupId ModuleGroups::GroupAt(PathId path) {
  if (!group_of_path_[path].valid()) {
    ModuleGroup group;
    group.path = path;
    group_of_path_[path] = groups_.push_back(std::move(group));
  }
  return group_of_path_[path];
}

}  // namespace onnx_hier
