// SPDX-License-Identifier: Apache-2.0
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "absl/types/span.h"
#include "lib/base/outgoing_text.h"
#include "lib/show/diff_words.h"
#include "lib/show/figures.h"
#include "lib/show/text_table.h"
#include "lib/show/time_figures.h"
#include "lib/show/tree_rows.h"
#include "onnx_hier_program/reports.h"
#include "onnx_hier_program/summary.h"
#include "onnx_hier_program/text.h"

namespace onnx_hier {
namespace {

// What a line says of one of the modules or lists that it stands for.
struct RowFigures {
  uint64_t nodes = 0;
  uint64_t parameters = 0;
  uint64_t bytes = 0;
};

// Of one of the modules or lists, or of all that are drawn in this line.
enum class Of { kAll, kEach };

// The last of them: Constants that several share are the first one's.
RowFigures FiguresOf(const ModuleTree& tree, const TreeRow& row, Of of) {
  RowFigures figures;
  const size_t drawn = of == Of::kAll ? row.count * row.one().size() : row.one().size();
  for (ModuleId id : absl::MakeConstSpan(row.modules).last(drawn)) {
    const Module& module = tree.module(id);
    figures.nodes += module.total_nodes;
    figures.parameters += module.total_parameters;
    figures.bytes += module.total_parameter_bytes;
  }
  return figures;
}

class TreeTable {
 public:
  TreeTable(const Annotation& annotation, const TreeTextOptions& options)
      : annotation_(annotation),
        options_(options),
        time_figures_(options.times == nullptr ? 0 : options.times->total),
        changed_inside_(annotation.modules.size(), 0) {
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
    std::vector<std::string> titles = {"module", "nodes", "parameters", "size"};
    if (options_.times != nullptr) {
      titles.insert(titles.end(), {std::string(time_figures_.unit()), "share"});
    }
    if (options_.comparison != nullptr) titles.emplace_back("changed");
    if (options_.classes) titles.emplace_back("class");
    if (read_elsewhere) titles.emplace_back("read in");
    return titles;
  }

  std::vector<Align> Columns() const {
    std::vector<Align> columns;
    for (const std::string& title : Titles(/*read_elsewhere=*/true)) {
      const bool words =
          title == "module" || title == "changed" || title == "class" || title == "read in";
      columns.push_back(words ? Align::kLeft : Align::kRight);
    }
    return columns;
  }

  // Of a line that stands for several, and of the one below it about each of these.
  std::vector<std::string> CellsOf(const TreeRow& row, const std::string& label,
                                   Of of = Of::kAll) const {
    if (row.node.valid()) return {label};
    const RowFigures figures = FiguresOf(annotation_.modules, row, of);
    std::vector<std::string> cells = {label, WithThousands(figures.nodes),
                                      WithThousands(figures.parameters), HumanBytes(figures.bytes)};
    if (options_.times != nullptr) AppendTimes(row, of, cells);
    if (of == Of::kEach) return cells;
    if (options_.comparison != nullptr) cells.push_back(ChangesOf(row));
    if (options_.classes) {
      const Module& module = annotation_.modules.module(row.module());
      cells.push_back(row.members > 0 ? "" : SafeForTerminal(module.class_name, kWidestName));
    }
    if (std::string readers = ReadersOf(row); !readers.empty()) cells.push_back(std::move(readers));
    return cells;
  }

  // Whether what the line stands for has as many nodes each as the last of it.
  bool IsEven(const TreeRow& row) const {
    return FiguresOf(annotation_.modules, row, Of::kAll).nodes ==
           row.count * FiguresOf(annotation_.modules, row, Of::kEach).nodes;
  }

  // Of modules that hold parameters and no node: what holds the nodes that read them. "": others.
  std::string ReadersOf(const TreeRow& row) const {
    PathId readers;
    for (ModuleId id : row.modules) {
      const Module& module = annotation_.modules.module(id);
      if (!module.is_idle || module.total_parameters == 0) return "";
      readers = annotation_.paths.Join(readers, module.read_in);
    }
    return readers.valid() ? SafeForTerminal(annotation_.paths.Tag(readers), kWidestName)
                           : "nothing";
  }

 private:
  // The mean of what the line stands for.
  void AppendTimes(const TreeRow& row, Of of, std::vector<std::string>& cells) const {
    uint64_t sum = 0;
    for (ModuleId id : row.modules) sum += options_.times->modules[id].total;
    const uint64_t drawn = of == Of::kAll ? row.count : 1;
    const uint64_t mean = sum / (row.alike() / drawn);
    cells.push_back(time_figures_.Text(mean));
    cells.push_back(Percent(mean, options_.times->total));
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
  const TimeFigures time_figures_;
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

std::optional<TreeOrder> TreeOrderNamed(absl::string_view name) {
  if (name == "model") return TreeOrder::kModel;
  if (name == "nodes") return TreeOrder::kNodes;
  if (name == "parameters") return TreeOrder::kParameters;
  if (name == "bytes") return TreeOrder::kBytes;
  if (name == "time") return TreeOrder::kTime;
  return std::nullopt;
}

// Columns as wide as they need to be: for that, all lines are made twice.
absl::Status WriteTreeText(const Annotation& annotation, const TreeTextOptions& options,
                           ByteSink& sink) {
  const TreeTable cells(annotation, options);
  TextTable table(cells.Columns());
  const TreeRows rows(annotation, options);
  bool folded = false;
  bool even = true;
  bool read_elsewhere = false;
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
  table.Append(titles, out.text());
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
    absl::StrAppend(out.text(), unsure, unsure == 1 ? " node is" : " nodes are",
                    " less than 50 % sure: 'onnx-hier explain ",
                    options.file.empty() ? "MODEL" : SafeForTerminal(ShellWord(options.file)),
                    " --below 0.5' says which, and why.\n");
  }
  return out.Finish();
}

}  // namespace onnx_hier
