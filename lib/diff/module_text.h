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
// some other module.
uint64_t WiringHash(const ModuleGroups& groups, GroupId group);

// A model as one of the two whose modules are compared.
struct Side {
  const ModuleGroups& groups;
  // What groups are called, the same in both models.
  IdVector<GroupId, uint64_t> names;
  // Members of lists, with all inside them, that are inserted, removed or moved: what reads others
  // instead of them is not wired otherwise, nor are those that were moved.
  IdSet<GroupId> loose;
};

// Whether two modules have the same operators with the same attributes, in the same order, and each
// input comes from the same place or module.
bool AreWiredAlike(const Side& a, GroupId group_a, const Side& b, GroupId group_b);

}  // namespace onnx_hier

#endif  // ONNX_HIER_LIB_DIFF_MODULE_TEXT_H_
