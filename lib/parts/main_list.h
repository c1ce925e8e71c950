// SPDX-License-Identifier: Apache-2.0

// The list of layers that a model mostly consists of.
#ifndef ONNX_HIER_LIB_PARTS_MAIN_LIST_H_
#define ONNX_HIER_LIB_PARTS_MAIN_LIST_H_

#include <vector>

#include "lib/parts/units.h"
#include "onnx_hier/hierarchy.h"
#include "onnx_hier/ids.h"

namespace onnx_hier {

// Modules that differ in a number ("layer.0" and "layer.1", "block_1" and "block_2"), each of which
// holds units, or one of these that runs several times: of all such lists the one with most units,
// of equals the one further out. In the tree's order; none: there is no list.
std::vector<ModuleId> FindMainList(const Units& units, const Hierarchy& hierarchy);

}  // namespace onnx_hier

#endif  // ONNX_HIER_LIB_PARTS_MAIN_LIST_H_
