// SPDX-License-Identifier: Apache-2.0
#include "lib/show/row_figures.h"

#include <algorithm>

namespace onnx_hier {
namespace {

// The modules that a cell is of, and how many times too many they are.
struct Meant {
  absl::Span<const ModuleId> modules;
  uint64_t times = 1;
};

Meant ModulesOf(const Measure& measure, const TreeRow& row, Of of) {
  const absl::Span<const ModuleId> all = row.modules;
  const uint64_t drawn = of == Of::kAll ? row.count : 1;
  if (measure.is_structural) return {all.last(drawn * row.one().size()), 1};
  return {all, row.alike() / drawn};
}

}  // namespace

Figure CellFigure(const Column& column, const TreeRow& row, Of of) {
  const Meant meant = ModulesOf(column.measure(), row, of);
  Figure figure = FigureOf(column, meant.modules);
  if (column.measure().adds == Adds::kSum && meant.times > 1) {
    figure.own = figure.own / meant.times;
    figure.total = figure.total / meant.times;
  }
  return figure;
}

std::vector<WordAmount> CellWords(const Column& column, const TreeRow& row, Of of, Inside inside) {
  const Meant meant = ModulesOf(column.measure(), row, of);
  std::vector<WordAmount> words = WordsOf(column, meant.modules, inside);
  if (meant.times == 1) return words;
  for (WordAmount& part : words) {
    const bool is_even = part.amount.is_whole() && part.amount.whole() % meant.times == 0;
    part.amount = (is_even ? part.amount : Amount(part.amount.real())) / meant.times;
  }
  return words;
}

RowFigures FiguresOfRow(const Column& column, const TreeRow& row) {
  RowFigures figures;
  figures.sum = FigureOf(column, row.modules);
  figures.words = WordsOf(column, row.modules, Inside::kLeftOut);
  std::vector<Amount> totals;
  totals.reserve(row.modules.size());
  for (ModuleId id : row.modules) totals.push_back(column.figure(id).total);
  std::sort(totals.begin(), totals.end());
  figures.least = totals.front();
  figures.most = totals.back();
  figures.median = totals[totals.size() / 2];
  return figures;
}

std::vector<ModuleId> OutliersOf(const Column& column, const TreeRow& row,
                                 const RowFigures& figures) {
  constexpr size_t kFewest = 4;
  std::vector<ModuleId> outliers;
  const bool is_told = column.measure().unit != MeasureUnit::kWords && row.members == 0;
  if (!is_told || row.modules.size() < kFewest) return outliers;
  const Amount hundredth = column.whole() / 100;
  for (ModuleId id : row.modules) {
    const Amount total = column.figure(id).total;
    const Amount least = std::min(total, figures.median);
    const Amount most = std::max(total, figures.median);
    Amount half_again = least;
    half_again += least / 2;
    Amount beyond = least;
    beyond += hundredth;
    if (half_again < most && beyond < most) outliers.push_back(id);
  }
  return outliers;
}

}  // namespace onnx_hier
