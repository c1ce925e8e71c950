// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "lib/base/outgoing_text.h"
#include "lib/show/amount_figures.h"
#include "lib/show/profile_formats.h"
#include "lib/show/text_table.h"
#include "lib/show/tree_rows.h"
#include "onnx_hier_program/text.h"

namespace onnx_hier {
namespace {

std::vector<std::string> CellsOf(const std::string& label, Amount before, Amount after,
                                 const AmountFigures& figures) {
  std::string ratio = before.is_zero() && !after.is_zero() ? "new" : "";
  if (!before.is_zero()) ratio = absl::StrFormat("%.2f", after.real() / before.real());
  return {label, figures.Text(before), figures.Text(after), figures.Difference(before, after),
          ratio};
}

std::string HeadOf(absl::string_view which, const TimedProfile& profile) {
  return absl::StrCat(which, SafeForTerminal(profile.file), " (",
                      ProfileKindName(profile.profile.kind), "): ", ProfileSummary(profile));
}

}  // namespace

absl::Status WriteProfileComparison(const ProfileReport& report, const TimedProfile& other,
                                    TableFormat format, ByteSink& sink) {
  const Column& before = report.main.placed.amounts;
  const Column& after = other.placed.amounts;
  const bool is_text = format == TableFormat::kText;
  const AmountFigures figures(before.measure(), std::max(before.whole(), after.whole()));
  const TreeTextOptions options = report.rows();
  const TreeRows rows(report.hierarchy.annotation(), options, !is_text);
  const auto cells = [&](const TreeRow& row, std::string label) {
    if (!is_text) label = MarkdownLabel(row);
    return CellsOf(label, FigureOf(before, row.modules).total, FigureOf(after, row.modules).total,
                   figures);
  };
  TextTable table({Align::kLeft, Align::kRight, Align::kRight, Align::kRight, Align::kRight},
                  format);
  const std::vector<std::string> titles = {"module", absl::StrCat("before ", figures.unit()),
                                           absl::StrCat("after ", figures.unit()), "difference",
                                           "ratio"};
  const bool has_unplaced = !before.unplaced().total.is_zero() || !after.unplaced().total.is_zero();
  const std::vector<std::string> unplaced =
      CellsOf(std::string(kNotPlaced), before.unplaced().total, after.unplaced().total, figures);
  bool folds = false;
  table.Widen(titles);
  if (has_unplaced) table.Widen(unplaced);
  rows.ForEach([&](const TreeRow& row, const std::string& label) {
    folds |= row.alike() > 1;
    table.Widen(cells(row, label));
  });
  OutgoingText out(sink);
  absl::StrAppend(out.text(), NoteLines(SafeForTerminal(report.model_file), format),
                  NoteLines(HeadOf("before: ", report.main), format),
                  NoteLines(HeadOf("after: ", other), format));
  if (!is_text) *out.text() += "\n";
  table.AppendHead(titles, out.text());
  rows.ForEach([&](const TreeRow& row, const std::string& label) {
    table.Append(cells(row, label), out.text());
    out.Pass();
  });
  if (has_unplaced) table.Append(unplaced, out.text());
  if (folds) {
    absl::StrAppend(out.text(), is_text ? "" : "\n",
                    "xN: N modules built alike; the figures are those of all together.\n");
  }
  return out.Finish();
}

}  // namespace onnx_hier
