// SPDX-License-Identifier: Apache-2.0

// What a line of a picture of modules comes to in a column: one module, or several that are built
// alike.
#ifndef ONNX_HIER_LIB_SHOW_ROW_FIGURES_H_
#define ONNX_HIER_LIB_SHOW_ROW_FIGURES_H_

#include <vector>

#include "lib/show/tree_rows.h"
#include "onnx_hier/measures.h"

namespace onnx_hier {

// Of what a line stands for: all that is drawn in it, or each of these.
enum class Of { kAll, kEach };

// What the line's cell says. Where the line is drawn once for several alike, of one of these: what
// they are made of is that of the last, as Constants that several share are the first one's; of
// other measures the mean.
Figure CellFigure(const Column& column, const TreeRow& row, Of of);
// Likewise, of words.
std::vector<WordAmount> CellWords(const Column& column, const TreeRow& row, Of of, Inside inside);

// All that a line stands for, however often it is drawn.
struct RowFigures {
  Figure sum;
  std::vector<WordAmount> words;  // of its own amounts
  Amount least;                   // of the modules' totals
  Amount most;
  Amount median;
};

RowFigures FiguresOfRow(const Column& column, const TreeRow& row);

// Of the modules of a line, those that have much more than most, or much less: half as much again
// as the median, or two thirds of it, and a hundredth of the whole at least. Of less than four
// alike nothing is said.
std::vector<ModuleId> OutliersOf(const Column& column, const TreeRow& row,
                                 const RowFigures& figures);

}  // namespace onnx_hier

#endif  // ONNX_HIER_LIB_SHOW_ROW_FIGURES_H_
