// SPDX-License-Identifier: Apache-2.0

// The modules that a document is about, one by one: those that a picture would fold included.
#ifndef ONNX_HIER_LIB_SHOW_TREE_ORDER_H_
#define ONNX_HIER_LIB_SHOW_TREE_ORDER_H_

#include <vector>

#include "onnx_hier/annotation.h"
#include "onnx_hier_program/reports.h"

namespace onnx_hier {

// By `depth`, `modules` and `sort_by` of the options, depth first.
std::vector<ModuleId> ModulesShown(const ModuleTree& tree, const TreeTextOptions& options);

}  // namespace onnx_hier

#endif  // ONNX_HIER_LIB_SHOW_TREE_ORDER_H_
