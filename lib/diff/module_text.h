// What a module is, put so that modules of two models can be compared: its operators, how its nodes
// are wired, its parameters.
#ifndef ONNX_HIER_LIB_DIFF_MODULE_TEXT_H_
#define ONNX_HIER_LIB_DIFF_MODULE_TEXT_H_

#include <cstdint>
#include <map>
#include <string>

#include "lib/diff/module_groups.h"
#include "onnx_hier/ids.h"

namespace onnx_hier {

using KindCounts = std::map<std::string, uint64_t>;

// "MatMul", "com.microsoft:Attention".
KindCounts OperatorsOf(const ModuleGroups& groups, GroupId group);
// "float32[32,64]".
KindCounts ParametersOf(const ModuleGroups& groups, GroupId group);

// Operators, attributes, and where each input comes from: a place in the module, some parameter,
// another module. `names` are what groups are called, the same in both models.
uint64_t WiringOf(const ModuleGroups& groups, GroupId group,
                  const IdVector<GroupId, uint64_t>& names);

}  // namespace onnx_hier

#endif  // ONNX_HIER_LIB_DIFF_MODULE_TEXT_H_
