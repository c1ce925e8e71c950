// SPDX-License-Identifier: Apache-2.0

// The parts of two models by which a comparison is summed up: each list of layers with all inside
// them, and each module in which there is none.
#ifndef ONNX_HIER_LIB_RELATE_DIFF_UNITS_H_
#define ONNX_HIER_LIB_RELATE_DIFF_UNITS_H_

#include <vector>

#include "lib/relate/module_groups.h"
#include "onnx_hier/diff.h"

namespace onnx_hier {

ModuleFigures FiguresOf(const ModuleGroups& groups, GroupId id);
void Add(const ModuleFigures& figures, ModuleFigures& sum);

// Of what `diff.changed` has; all units, also those in which nothing changed.
std::vector<UnitDiff> FindUnits(const ModuleGroups& a, const ModuleGroups& b,
                                const ModelDiff& diff);

}  // namespace onnx_hier

#endif  // ONNX_HIER_LIB_RELATE_DIFF_UNITS_H_
