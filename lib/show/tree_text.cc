// SPDX-License-Identifier: Apache-2.0
#include <cstdint>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "absl/algorithm/container.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "absl/types/span.h"
#include "lib/base/outgoing_text.h"
#include "lib/show/amount_figures.h"
#include "lib/show/diff_words.h"
#include "lib/show/row_figures.h"
#include "lib/show/text_table.h"
#include "lib/show/tree_order.h"
#include "lib/show/tree_rows.h"
#include "onnx_hier_program/reports.h"
#include "onnx_hier_program/summary.h"
#include "onnx_hier_program/text.h"

namespace onnx_hier {
namespace {

// Words of a cell in a terminal, and in a table that a page shows.
constexpr size_t kMostWords = 4;
constexpr size_t kMostMarkdownWords = 12;

class TreeTable {
 public:
  TreeTable(const Annotation& annotation, const TreeTextOptions& options, TableFormat format)
      : annotation_(annotation),
        options_(options),
        format_(format),
        changed_inside_(annotation.modules.size(), 0) {
    for (const Column* column : options.columns) figures_.emplace_back(*column);
    if (options.comparison == nullptr) return;
    changed_ = ChangesByModule(options.comparison->diff, annotation);
    // What is around a module comes before it.
    const ModuleTree& tree = annotation.modules;
    for (size_t i = tree.size(); i-- > 1;) {
      const ModuleId id(i);
      const uint64_t here = changed_[id] == nullptr ? 0 : 1;
      changed_inside_[tree.module(id).parent] += changed_inside_[id] + here;
    }
  }

  // The last column is for rows of which nothing computes, if there are any.
  std::vector<std::string> Titles(bool read_elsewhere) const {
    std::vector<std::string> titles;
    for (const Title& title : ListTitles(read_elsewhere)) titles.push_back(title.text);
    return titles;
  }

  std::vector<Align> Columns(bool read_elsewhere) const {
    std::vector<Align> columns;
    for (const Title& title : ListTitles(read_elsewhere)) columns.push_back(title.align);
    return columns;
  }

  // Of a line that stands for several, and of the one below it about each of these.
  std::vector<std::string> CellsOf(const TreeRow& row, const std::string& label,
                                   Of of = Of::kAll) const {
    if (row.node.valid()) return {label};
    std::vector<std::string> cells = {label};
    for (size_t i = 0; i < options_.columns.size(); ++i) AppendFigure(i, row, of, cells);
    if (of == Of::kEach) return cells;
    if (options_.comparison != nullptr) cells.push_back(ChangesOf(row));
    if (options_.classes) {
      const Module& module = annotation_.modules.module(row.module());
      cells.push_back(row.members > 0 ? "" : Name(module.class_name));
    }
    if (std::string readers = ReadersOf(row); !readers.empty()) cells.push_back(std::move(readers));
    return cells;
  }

  // Whether what the line stands for is as much each as the last of it, in what it is made of.
  bool IsEven(const TreeRow& row) const {
    return absl::c_all_of(options_.columns, [&](const Column* column) {
      const Measure& measure = column->measure();
      if (!measure.is_structural || measure.unit != MeasureUnit::kCount) return true;
      return CellFigure(*column, row, Of::kAll).total.whole() ==
             row.count * CellFigure(*column, row, Of::kEach).total.whole();
    });
  }

  // Whether any figure of the line is there.
  bool SaysAnything(const TreeRow& row) const {
    return absl::c_any_of(options_.columns, [&](const Column* column) {
      const Figure figure = CellFigure(*column, row, Of::kAll);
      const Amount amount = IsOwn(row) ? figure.own : figure.total;
      return !amount.is_zero() && (row.members == 0 || !IsOwn(row));
    });
  }

  // Of modules that hold parameters and no node: what holds the nodes that read them. "": others.
  std::string ReadersOf(const TreeRow& row) const {
    PathId readers;
    for (ModuleId id : row.modules) {
      const Module& module = annotation_.modules.module(id);
      if (!module.is_idle || module.total_parameters == 0) return "";
      readers = annotation_.paths.Join(readers, module.read_in);
    }
    return readers.valid() ? Name(annotation_.paths.Tag(readers)) : "nothing";
  }

 private:
  struct Title {
    std::string text;
    Align align = Align::kLeft;
  };

  std::vector<Title> ListTitles(bool read_elsewhere) const {
    std::vector<Title> titles = {{"module"}};
    for (size_t i = 0; i < options_.columns.size(); ++i) {
      const Measure& measure = options_.columns[i]->measure();
      const bool is_words = measure.unit == MeasureUnit::kWords;
      titles.push_back({Text(figures_[i].unit()), is_words ? Align::kLeft : Align::kRight});
      if (HasShare(measure)) titles.push_back({"share", Align::kRight});
    }
    if (options_.comparison != nullptr) titles.push_back({"changed"});
    if (options_.classes) titles.push_back({"class"});
    if (read_elsewhere) titles.push_back({"read in"});
    return titles;
  }

  static bool HasShare(const Measure& measure) { return measure.unit == MeasureUnit::kNanoseconds; }
  bool IsOwn(const TreeRow& row) const { return options_.own && row.is_opened; }

  // Texts from files.
  std::string Text(absl::string_view text) const {
    return format_ == TableFormat::kText ? SafeForTerminal(text, kWidestName) : MarkdownText(text);
  }
  std::string Name(absl::string_view name) const {
    if (format_ == TableFormat::kText) return SafeForTerminal(name, kWidestName);
    return name.empty() ? "" : MarkdownCode(name);
  }

  void AppendFigure(size_t i, const TreeRow& row, Of of, std::vector<std::string>& cells) const {
    const Column& column = *options_.columns[i];
    const Measure& measure = column.measure();
    const bool is_list = row.members > 0 && IsOwn(row);
    if (measure.unit == MeasureUnit::kWords) {
      const size_t most = format_ == TableFormat::kText ? kMostWords : kMostMarkdownWords;
      const Inside inside = IsOwn(row) ? Inside::kLeftOut : Inside::kIncluded;
      const std::string words = WordsText(CellWords(column, row, of, inside), most);
      cells.push_back(is_list ? "" : format_ == TableFormat::kText ? words : MarkdownText(words));
      return;
    }
    const Figure figure = CellFigure(column, row, of);
    const Amount amount = IsOwn(row) ? figure.own : figure.total;
    const uint64_t known = IsOwn(row) ? figure.own_known : figure.known;
    const bool says_nothing = is_list || !IsSaid(measure, known);
    cells.push_back(says_nothing ? "" : figures_[i].Text(amount, figure.unknown));
    if (HasShare(measure)) cells.push_back(is_list ? "" : Percent(amount, column.whole()));
  }

  // "operators, weights; 3 inside"; where a line stands for several, of how many of them.
  std::string ChangesOf(const TreeRow& row) const {
    std::map<std::string, size_t> counts;
    uint64_t inside = 0;
    for (ModuleId id : row.modules) {
      if (changed_[id] != nullptr) ++counts[ChangesText(*changed_[id])];
      inside += changed_inside_[id];
    }
    std::vector<std::string> texts;
    for (const auto& [text, count] : counts) {
      const size_t all = row.modules.size();
      texts.push_back(count == all ? text : absl::StrCat(text, " (", count, " of ", all, ")"));
    }
    if (inside > 0) texts.push_back(absl::StrCat(inside, " inside"));
    return absl::StrJoin(texts, "; ");
  }

  const Annotation& annotation_;
  const TreeTextOptions& options_;
  const TableFormat format_;
  std::vector<AmountFigures> figures_;  // of the columns
  IdVector<ModuleId, const ModuleDiff*> changed_;
  IdVector<ModuleId, uint64_t> changed_inside_;  // modules in it
};

std::string EachLabel(const TreeRow& row) { return row.inside + "each"; }

// Modules that only the other model has.
void AppendOthers(const TreeComparison& comparison, OutgoingText& out) {
  for (const ModuleDiff& diff : comparison.diff.changed) {
    if (diff.a.valid()) continue;
    absl::StrAppend(out.text(), "only in the other: ",
                    SafeForTerminal(comparison.other.Tag(diff.b), kWidestName), "\n");
    out.Pass();
  }
}

}  // namespace

// Columns as wide as they need to be: for that, all lines are made twice.
absl::Status WriteTreeText(const Annotation& annotation, const TreeTextOptions& options,
                           ByteSink& sink) {
  const TreeTable cells(annotation, options, TableFormat::kText);
  const TreeRows rows(annotation, options);
  bool folded = false;
  bool even = true;
  bool read_elsewhere = false;
  TextTable table(cells.Columns(/*read_elsewhere=*/true));
  rows.ForEach([&](const TreeRow& row, const std::string& label) {
    folded |= row.count > 1;
    even &= row.count == 1 || cells.IsEven(row);
    read_elsewhere |= !row.node.valid() && !cells.ReadersOf(row).empty();
    table.Widen(cells.CellsOf(row, label));
    if (row.count > 1) table.Widen(cells.CellsOf(row, EachLabel(row), Of::kEach));
  });
  const std::vector<std::string> titles = cells.Titles(read_elsewhere);
  table.Widen(titles);
  OutgoingText out(sink);
  table.AppendHead(titles, out.text());
  rows.ForEach([&](const TreeRow& row, const std::string& label) {
    table.Append(cells.CellsOf(row, label), out.text());
    if (row.count > 1) table.Append(cells.CellsOf(row, EachLabel(row), Of::kEach), out.text());
    out.Pass();
  });
  if (folded) {
    absl::StrAppend(out.text(), "xN: N modules built alike", even ? "" : " but for Constants",
                    ", with their sum, and what ", even ? "each" : "the last", " of them has.\n");
  }
  if (options.comparison != nullptr) AppendOthers(*options.comparison, out);
  const Summary summary = Summarize(annotation);
  if (summary.unsure > 0 && annotation.modules.size() == 1) {
    *out.text() += "Nothing in the file names modules: all nodes are at the root.\n";
  } else if (const uint64_t unsure = summary.unsure; unsure > 0) {
    absl::StrAppend(out.text(), Counted(unsure, "node is", "nodes are"),
                    " less than 50 % sure: 'onnx-hier explain ",
                    options.file.empty() ? "MODEL" : SafeForTerminal(ShellWord(options.file)),
                    " --below 0.5' says which, and why.\n");
  }
  return out.Finish();
}

absl::Status WriteTreeMarkdown(const Annotation& annotation, const TreeTextOptions& options,
                               absl::string_view title, ByteSink& sink) {
  const TreeTable cells(annotation, options, TableFormat::kMarkdown);
  const TreeRows rows(annotation, options, /*with_paths=*/true);
  bool read_elsewhere = false;
  rows.ForEach([&](const TreeRow& row, const std::string& /*label*/) {
    read_elsewhere |= !row.node.valid() && !cells.ReadersOf(row).empty();
  });
  const TextTable table(cells.Columns(read_elsewhere), TableFormat::kMarkdown);
  const std::vector<std::string> titles = cells.Titles(read_elsewhere);
  OutgoingText out(sink);
  absl::StrAppend(out.text(), MarkdownText(title), "\n\n");
  table.AppendHead(titles, out.text());
  MarkdownRoom room;
  rows.ForEach([&](const TreeRow& row, const std::string& /*label*/) {
    if (row.node.valid() || !cells.SaysAnything(row)) return;
    std::vector<std::string> line = cells.CellsOf(row, MarkdownLabel(row));
    line.resize(titles.size());
    std::string text;
    table.Append(line, &text);
    if (room.Takes(text)) *out.text() += text;
    out.Pass();
  });
  *out.text() += room.LeftOut();
  return out.Finish();
}

absl::Status WriteTreeCsv(const Annotation& annotation, const TreeTextOptions& options,
                          ByteSink& sink) {
  OutgoingText out(sink);
  *out.text() += "module";
  for (const Column* column : options.columns) {
    absl::StrAppend(out.text(), ",", CsvField(column->measure().id));
  }
  *out.text() += options.classes ? ",class\n" : "\n";
  for (ModuleId id : ModulesShown(annotation.modules, options)) {
    const bool is_own = options.own;
    absl::StrAppend(out.text(), CsvField(annotation.Tag(id)));
    for (const Column* column : options.columns) {
      const Figure& figure = column->figure(id);
      const Amount amount = is_own ? figure.own : figure.total;
      const bool is_said = IsSaid(column->measure(), is_own ? figure.own_known : figure.known);
      const Inside inside = is_own ? Inside::kLeftOut : Inside::kIncluded;
      absl::StrAppend(out.text(), ",",
                      column->measure().unit == MeasureUnit::kWords
                          ? CsvField(WordsField(WordsOf(*column, {id}, inside)))
                      : is_said ? PlainNumber(amount, column->measure().unit)
                                : "");
    }
    if (options.classes) {
      absl::StrAppend(out.text(), ",", CsvField(annotation.modules.module(id).class_name));
    }
    *out.text() += "\n";
    out.Pass();
  }
  return out.Finish();
}

}  // namespace onnx_hier
