// SPDX-License-Identifier: Apache-2.0
#include "lib/relate/module_text.h"

#include "absl/strings/str_cat.h"
#include "lib/graph/weight.h"
#include "lib/onnx/value_shape.h"

namespace onnx_hier {

std::string OperatorText(const Op& op) {
  return op.domain.empty() ? std::string(op.type) : absl::StrCat(op.domain, ":", op.type);
}

KindCounts OperatorsOf(const ModuleGroups& groups, GroupId group) {
  KindCounts counts;
  for (NodeId node : groups.group(group).nodes) {
    ++counts[OperatorText(groups.graph().op(node))];
  }
  return counts;
}

KindCounts ParametersOf(const ModuleGroups& groups, GroupId group) {
  KindCounts counts;
  for (ValueId value : groups.group(group).parameters) {
    const TensorId tensor = HeldTensor(groups.graph(), value);
    if (tensor.valid()) ++counts[TensorText(groups.graph(), tensor)];
  }
  return counts;
}

}  // namespace onnx_hier
