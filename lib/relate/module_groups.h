// SPDX-License-Identifier: Apache-2.0

// The nodes and parameters of each module, as two models are compared: with modules that are too
// deep in the ones around them.
#ifndef ONNX_HIER_LIB_RELATE_MODULE_GROUPS_H_
#define ONNX_HIER_LIB_RELATE_MODULE_GROUPS_H_

#include <cstdint>
#include <string>
#include <vector>

#include "onnx_hier/hierarchy.h"
#include "onnx_hier/ids.h"

namespace onnx_hier {

using GroupId = Id<struct GroupIdTag>;

struct ModuleGroup {
  PathId path;
  std::vector<NodeId> nodes;        // but for Constants, which count as what they hold
  uint64_t constants = 0;           // nodes
  std::vector<ValueId> parameters;  // by module, then in order of their values
};

class ModuleGroups {
 public:
  // `modules` must outlive this. Only modules that have nodes or parameters are groups.
  ModuleGroups(const Hierarchy& modules, uint32_t depth);

  const Hierarchy& modules() const { return modules_; }
  const ModuleTree& tree() const { return modules_.modules(); }
  const Graph& graph() const { return modules_.graph(); }
  const ModulePaths& paths() const { return modules_.annotation().paths; }
  IdRange<GroupId> ids() const { return IdRange<GroupId>(groups_.size()); }
  size_t size() const { return groups_.size(); }
  const ModuleGroup& group(GroupId id) const { return groups_[id]; }
  GroupId group_of(NodeId node) const { return group_of_node_[node]; }
  // Of a parameter; none: it is none of ours.
  GroupId owner_of(ValueId value) const { return owner_of_value_[value]; }
  // None: no such group.
  GroupId Find(PathId path) const { return group_of_path_[path]; }

 private:
  GroupId GroupAt(PathId path);

  const Hierarchy& modules_;
  IdVector<GroupId, ModuleGroup> groups_;
  IdVector<PathId, GroupId> group_of_path_;
  IdVector<NodeId, GroupId> group_of_node_;
  IdVector<ValueId, GroupId> owner_of_value_;
};

}  // namespace onnx_hier

#endif  // ONNX_HIER_LIB_RELATE_MODULE_GROUPS_H_
