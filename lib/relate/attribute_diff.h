// SPDX-License-Identifier: Apache-2.0

// Which attributes of a module's operators say something else in another model.
#ifndef ONNX_HIER_LIB_RELATE_ATTRIBUTE_DIFF_H_
#define ONNX_HIER_LIB_RELATE_ATTRIBUTE_DIFF_H_

#include <vector>

#include "absl/status/statusor.h"
#include "lib/onnx/attribute_meanings.h"
#include "lib/relate/module_groups.h"
#include "onnx_hier/diff.h"

namespace onnx_hier {

// What attributes say of nodes in some modules of a model.
class ModuleAttributes {
 public:
  // All must outlive the result.
  static absl::StatusOr<ModuleAttributes> Read(const ModuleGroups& groups,
                                               const std::vector<GroupId>& modules,
                                               const AttributeMeanings& meanings);

  const ModuleGroups& groups() const { return groups_; }
  const std::vector<AttributeMeaning>& of(GroupId module) const { return meanings_[module]; }

 private:
  explicit ModuleAttributes(const ModuleGroups& groups)
      : groups_(groups), meanings_(groups.size()) {}

  const ModuleGroups& groups_;
  IdVector<GroupId, std::vector<AttributeMeaning>> meanings_;
};

// Of operators that both modules have as many nodes of: which of these is which is not known, so
// what only one of the two says is put against what only the other one does.
std::vector<AttributeDiff> CompareAttributes(const ModuleAttributes& a, GroupId in_a,
                                             const ModuleAttributes& b, GroupId in_b);

}  // namespace onnx_hier

#endif  // ONNX_HIER_LIB_RELATE_ATTRIBUTE_DIFF_H_
