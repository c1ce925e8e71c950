// SPDX-License-Identifier: Apache-2.0

// What a module has, put so that modules of two models can be compared: its operators, but for
// Constants, and its parameters.
#ifndef ONNX_HIER_LIB_RELATE_MODULE_TEXT_H_
#define ONNX_HIER_LIB_RELATE_MODULE_TEXT_H_

#include <cstdint>
#include <map>
#include <string>

#include "lib/relate/module_groups.h"

namespace onnx_hier {

using KindCounts = std::map<std::string, uint64_t>;

// "MatMul", "com.microsoft:Attention".
std::string OperatorText(const Op& op);
KindCounts OperatorsOf(const ModuleGroups& groups, GroupId group);
// "float32[32,64]".
KindCounts ParametersOf(const ModuleGroups& groups, GroupId group);

}  // namespace onnx_hier

#endif  // ONNX_HIER_LIB_RELATE_MODULE_TEXT_H_
