// SPDX-License-Identifier: Apache-2.0

// What a line of a picture of modules comes to in time: one module, or several that are built
// alike.
#ifndef ONNX_HIER_LIB_SHOW_ROW_TIMES_H_
#define ONNX_HIER_LIB_SHOW_ROW_TIMES_H_

#include <cstdint>
#include <vector>

#include "lib/show/tree_rows.h"
#include "onnx_hier/profile.h"

namespace onnx_hier {

struct RowTimes {
  ModuleTime sum;      // operators included
  uint64_t least = 0;  // of the modules' totals
  uint64_t most = 0;
  uint64_t median = 0;
};

RowTimes TimesOfRow(const TreeRow& row, const ModuleTimes& times);

// Of the modules of a line, those that take much longer than most, or much less: half as much
// again as the median, or two thirds of it, and a hundredth of all time at least. Of less than four
// alike nothing is said.
std::vector<ModuleId> OutliersOf(const TreeRow& row, const RowTimes& sums,
                                 const ModuleTimes& times);

}  // namespace onnx_hier

#endif  // ONNX_HIER_LIB_SHOW_ROW_TIMES_H_
