// SPDX-License-Identifier: Apache-2.0
#include "tools/onnx-hier/fold_report.h"

#include "tools/onnx-hier/part_report.h"

namespace onnx_hier::cli {

FoldResult DescribeFolding(const Hierarchy& hierarchy, const Folding& folding) {
  FoldResult result;
  for (const FoldedFunction& function : folding.functions) {
    result.functions.push_back(
        {function.name, TagOf(hierarchy, function.module), function.calls, function.nodes});
  }
  for (const NotFolded& left : folding.left) {
    result.left.push_back({TagOf(hierarchy, left.module), left.call, left.why});
  }
  result.left_count = folding.left_count;
  result.nodes_before = folding.nodes_before;
  result.nodes_after = folding.nodes_after;
  result.function_nodes = folding.function_nodes;
  result.calls = folding.calls;
  result.table_bytes = folding.table_bytes;
  result.raised_ir_version = folding.raised_ir_version;
  return result;
}

}  // namespace onnx_hier::cli
