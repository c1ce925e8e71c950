#include "lib/diff/module_groups.h"

#include <algorithm>

namespace onnx_hier {

ModuleGroups::ModuleGroups(const Hierarchy& modules, uint32_t depth)
    : modules_(modules),
      group_of_path_(modules.annotation().paths.size()),
      group_of_node_(modules.graph().node_count()),
      positions_(modules.graph().node_count()),
      output_slots_(modules.graph().value_count()) {
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
    group.nodes.insert(group.nodes.end(), nodes.begin(), nodes.end());
    group.parameters.insert(group.parameters.end(), parameters.begin(), parameters.end());
  }
  for (GroupId id : ids()) {
    std::vector<NodeId>& nodes = groups_[id].nodes;
    std::sort(nodes.begin(), nodes.end());
    for (uint32_t i = 0; i < nodes.size(); ++i) {
      group_of_node_[nodes[i]] = id;
      positions_[nodes[i]] = i;
    }
  }
  for (NodeId node : graph().node_ids()) {
    uint32_t slot = 0;
    for (ValueId value : graph().outputs(node)) {
      if (value.valid()) output_slots_[value] = slot;
      ++slot;
    }
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
