// SPDX-License-Identifier: Apache-2.0
#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "lib/base/outgoing_text.h"
#include "lib/show/profile_formats.h"
#include "lib/show/row_times.h"
#include "lib/show/text_table.h"
#include "lib/show/time_figures.h"
#include "lib/show/tree_rows.h"
#include "onnx_hier_program/text.h"

namespace onnx_hier {
namespace {

std::vector<std::string> CellsOf(const std::string& label, uint64_t before, uint64_t after,
                                 const TimeFigures& figures) {
  std::string ratio = before == 0 ? (after == 0 ? "" : "new") : "";
  if (before > 0) {
    ratio = absl::StrFormat("%.2f", static_cast<double>(after) / static_cast<double>(before));
  }
  return {label, figures.Text(before), figures.Text(after), figures.Difference(before, after),
          ratio};
}

void AppendHead(const TimedProfile& profile, OutgoingText& out) {
  absl::StrAppend(out.text(), SafeForTerminal(profile.file), " (",
                  ProfileKindName(profile.profile.kind),
                  "): ", ProfileSummary(profile.profile, profile.times));
}

}  // namespace

absl::Status WriteProfileComparison(const ProfileReport& report, const TimedProfile& other,
                                    ByteSink& sink) {
  const ModuleTimes& before = report.main.times;
  const ModuleTimes& after = other.times;
  const TimeFigures figures(std::max(before.total, after.total));
  const TreeTextOptions options = {.depth = report.depth};
  const TreeRows rows(report.hierarchy.annotation(), options);
  const auto cells = [&](const TreeRow& row, const std::string& label) {
    return CellsOf(label, TimesOfRow(row, before).sum.total, TimesOfRow(row, after).sum.total,
                   figures);
  };
  TextTable table({Align::kLeft, Align::kRight, Align::kRight, Align::kRight, Align::kRight});
  const std::vector<std::string> titles = {"module", absl::StrCat("before ", figures.unit()),
                                           absl::StrCat("after ", figures.unit()), "difference",
                                           "ratio"};
  const bool has_unplaced = before.unplaced > 0 || after.unplaced > 0;
  const std::vector<std::string> unplaced =
      CellsOf(std::string(kNotPlaced), before.unplaced, after.unplaced, figures);
  bool folds = false;
  table.Widen(titles);
  if (has_unplaced) table.Widen(unplaced);
  rows.ForEach([&](const TreeRow& row, const std::string& label) {
    folds |= row.alike() > 1;
    table.Widen(cells(row, label));
  });
  OutgoingText out(sink);
  absl::StrAppend(out.text(), SafeForTerminal(report.model_file), "\nbefore: ");
  AppendHead(report.main, out);
  absl::StrAppend(out.text(), "after: ");
  AppendHead(other, out);
  table.Append(titles, out.text());
  rows.ForEach([&](const TreeRow& row, const std::string& label) {
    table.Append(cells(row, label), out.text());
    out.Pass();
  });
  if (has_unplaced) table.Append(unplaced, out.text());
  if (folds) *out.text() += "xN: N modules built alike; the figures are those of all together.\n";
  return out.Finish();
}

}  // namespace onnx_hier
