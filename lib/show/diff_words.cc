// SPDX-License-Identifier: Apache-2.0
#include "lib/show/diff_words.h"

#include <cmath>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "absl/strings/str_join.h"
#include "onnx_hier_program/text.h"

namespace onnx_hier {
std::string CountsText(const std::vector<KindCount>& counts) {
  return absl::StrJoin(counts, ", ", [](std::string* out, const KindCount& count) {
    absl::StrAppend(out, count.kind);
    if (count.count > 1) absl::StrAppend(out, " x", WithThousands(count.count));
  });
}

IdVector<ModuleId, const ModuleDiff*> ChangesByModule(const ModelDiff& diff, const Annotation& a) {
  IdVector<PathId, const ModuleDiff*> by_path(a.paths.size(), nullptr);
  for (const ModuleDiff& module : diff.changed) {
    if (module.a.valid()) by_path[module.a] = &module;
  }
  IdVector<ModuleId, const ModuleDiff*> changes(a.modules.size(), nullptr);
  for (ModuleId id : a.modules.ids()) changes[id] = by_path[a.modules.module(id).path];
  return changes;
}

std::string ChangesText(const ModuleDiff& diff) {
  if (!diff.b.valid()) return "only in A";
  if (!diff.a.valid()) return "only in B";
  std::vector<absl::string_view> words;
  if (diff.moved) words.emplace_back("moved");
  if (diff.operators) words.emplace_back("operators");
  if (diff.wiring) words.emplace_back("wiring or attributes");
  if (diff.parameters) words.emplace_back("parameters");
  if (diff.weights) words.emplace_back("weights");
  return absl::StrJoin(words, ", ");
}

std::string AttributeText(const AttributeDiff& diff) {
  const auto text = [](absl::string_view said) { return said.empty() ? "none" : said; };
  const std::string change = diff.a == diff.b ? absl::StrCat(text(diff.a), " with other contents")
                                              : absl::StrCat(text(diff.a), " -> ", text(diff.b));
  return absl::StrCat(diff.op, " ", diff.name, ": ", change,
                      diff.nodes > 1 ? absl::StrCat(" x", WithThousands(diff.nodes)) : "");
}

std::vector<std::string> DetailLines(const ModuleDiff& diff) {
  std::vector<std::string> lines;
  const auto add = [&lines](absl::string_view sign, const std::vector<KindCount>& counts) {
    if (!counts.empty()) lines.push_back(absl::StrCat(sign, " ", CountsText(counts)));
  };
  add("-", diff.operators_removed);
  add("-", diff.parameters_removed);
  add("+", diff.operators_added);
  add("+", diff.parameters_added);
  for (const AttributeDiff& attribute : diff.attributes) {
    lines.push_back(absl::StrCat("~ ", AttributeText(attribute)));
  }
  return lines;
}

std::string FiguresText(const ModuleFigures& figures) {
  std::string text =
      absl::StrCat(Counted(figures.modules, "module"), ", ", Counted(figures.nodes, "node"));
  if (figures.parameters > 0) {
    absl::StrAppend(&text, ", ", Counted(figures.parameters, "parameter"));
  }
  return text;
}

std::string DifferenceText(const WeightDifference& difference) {
  std::string text = absl::StrFormat("largest difference %.3g", difference.largest);
  if (std::isfinite(difference.relative)) {
    absl::StrAppendFormat(&text, ", relative %.3g %%", 100 * difference.relative);
  }
  if (difference.not_finite > 0) {
    absl::StrAppend(&text, ", ", WithThousands(difference.not_finite), " not finite");
  }
  return text;
}

AmountPair AmountsOf(const DiffReport& report, const ModuleDiff& diff, const ColumnPair& columns) {
  const auto of = [&](const Annotation& annotation, PathId path,
                      const Column& column) -> std::optional<Amount> {
    if (!path.valid()) return std::nullopt;
    const ModuleId module = annotation.modules.Find(path);
    if (!module.valid()) return std::nullopt;
    const Figure& figure = column.figure(module);
    return annotation.paths.depth(path) < report.depth ? figure.own : figure.total;
  };
  return {of(report.a, diff.a, *columns.a), of(report.b, diff.b, *columns.b)};
}

}  // namespace onnx_hier
