// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "lib/base/outgoing_text.h"
#include "lib/show/figures.h"
#include "lib/show/profile_formats.h"
#include "lib/show/row_times.h"
#include "lib/show/text_table.h"
#include "lib/show/time_figures.h"
#include "lib/show/tree_rows.h"
#include "onnx_hier_program/text.h"

namespace onnx_hier {
namespace {

class ProfileTable {
 public:
  explicit ProfileTable(const ProfileReport& report)
      : report_(report),
        annotation_(report.hierarchy.annotation()),
        times_(report.main.times),
        figures_(times_.total),
        options_{.depth = report.depth},
        rows_(annotation_, options_),
        table_({}) {
    rows_.ForEach(
        [&](const TreeRow& row, const std::string& /*label*/) { folds_ |= row.alike() > 1; });
    std::vector<Align> columns(folds_ ? 10 : 7, Align::kRight);
    columns.front() = Align::kLeft;
    columns.back() = Align::kLeft;
    table_ = TextTable(columns);
  }

  absl::Status Write(ByteSink& sink) {
    const std::vector<std::string> titles = Titles();
    table_.Widen(titles);
    rows_.ForEach(
        [&](const TreeRow& row, const std::string& label) { table_.Widen(CellsOf(row, label)); });
    if (times_.unplaced > 0) table_.Widen(UnplacedCells());
    OutgoingText out(sink);
    absl::StrAppend(out.text(), SafeForTerminal(report_.model_file), ", ",
                    SafeForTerminal(report_.main.file), " (",
                    ProfileKindName(report_.main.profile.kind), ")\n",
                    ProfileSummary(report_.main.profile, times_));
    table_.Append(titles, out.text());
    rows_.ForEach([&](const TreeRow& row, const std::string& label) {
      table_.Append(CellsOf(row, label), out.text());
      out.Pass();
    });
    if (times_.unplaced > 0) table_.Append(UnplacedCells(), out.text());
    AppendNotes(out);
    return out.Finish();
  }

 private:
  std::vector<std::string> Titles() const {
    std::vector<std::string> titles = {"module", absl::StrCat("total ", figures_.unit()),
                                       absl::StrCat("own ", figures_.unit()), "share"};
    if (folds_) titles.insert(titles.end(), {"mean", "least", "most"});
    titles.insert(titles.end(), {"calls", "parameters", "own time by operator"});
    return titles;
  }

  std::vector<std::string> CellsOf(const TreeRow& row, const std::string& label) const {
    const RowTimes sums = TimesOfRow(row, times_);
    uint64_t parameters = 0;
    for (ModuleId id : row.modules) {
      parameters += annotation_.modules.module(id).total_parameters;
    }
    const bool has_outliers = folds_ && !OutliersOf(row, sums, times_).empty();
    std::vector<std::string> cells = {absl::StrCat(label, has_outliers ? " !" : ""),
                                      figures_.Text(sums.sum.total), figures_.Text(sums.sum.own),
                                      Percent(sums.sum.total, times_.total)};
    if (folds_ && row.alike() > 1 && row.members == 0) {
      cells.insert(cells.end(), {figures_.Text(sums.sum.total / row.modules.size()),
                                 figures_.Text(sums.least), figures_.Text(sums.most)});
    } else if (folds_) {
      cells.insert(cells.end(), 3, "");
    }
    cells.insert(cells.end(), {WithThousands(sums.sum.total_calls), WithThousands(parameters),
                               OperatorsText(sums.sum.operators)});
    return cells;
  }

  std::vector<std::string> UnplacedCells() const {
    uint64_t calls = 0;
    for (size_t i = 0; i < times_.places.size(); ++i) {
      if (!times_.places[i].module.valid()) calls += report_.main.profile.kernels[i].calls;
    }
    std::vector<std::string> cells = {std::string(kNotPlaced), figures_.Text(times_.unplaced),
                                      figures_.Text(times_.unplaced),
                                      Percent(times_.unplaced, times_.total)};
    if (folds_) cells.insert(cells.end(), 3, "");
    cells.insert(cells.end(), {WithThousands(calls), "", ""});
    return cells;
  }

  void AppendNotes(OutgoingText& out) {
    if (folds_) {
      absl::StrAppend(out.text(),
                      "xN: N modules built alike, and what is in them: figures of all together, "
                      "and of one the mean, the least and the most.\n");
    }
    rows_.ForEach([&](const TreeRow& row, const std::string& /*label*/) {
      const RowTimes sums = TimesOfRow(row, times_);
      for (ModuleId id : OutliersOf(row, sums, times_)) AppendOutlier(id, sums.median, out);
    });
    if (outliers_ > kShown) {
      absl::StrAppend(out.text(), "! and ", outliers_ - kShown, " more (--format json has all)\n");
    }
    AppendUnplaced(out);
  }

  void AppendOutlier(ModuleId id, uint64_t median, OutgoingText& out) {
    if (++outliers_ > kShown) return;
    const std::string tag = annotation_.Tag(id);
    const uint64_t total = times_.modules[id].total;
    absl::StrAppend(out.text(), "! ", SafeForTerminal(tag), ": ", figures_.Whole(total),
                    ", where its like take ", figures_.Text(median), " (median)\n");
  }

  // The most expensive ones by name.
  void AppendUnplaced(OutgoingText& out) const {
    std::vector<const Kernel*> kernels;
    for (size_t i = 0; i < times_.places.size(); ++i) {
      const Kernel& kernel = report_.main.profile.kernels[i];
      if (!times_.places[i].module.valid() && kernel.calls > 0) kernels.push_back(&kernel);
    }
    const size_t shown = std::min<size_t>(kShown, kernels.size());
    std::partial_sort(kernels.begin(), kernels.begin() + static_cast<ptrdiff_t>(shown),
                      kernels.end(), [](const Kernel* a, const Kernel* b) {
                        return a->time != b->time ? a->time > b->time : a < b;
                      });
    for (size_t i = 0; i < shown; ++i) {
      absl::StrAppend(out.text(), "not placed: ", figures_.Whole(kernels[i]->time), "  ",
                      SafeForTerminal(kernels[i]->name, kWidestName), "\n");
    }
    if (kernels.size() > shown) {
      absl::StrAppend(out.text(), "not placed: ", kernels.size() - shown,
                      " more kernels (--format json has all)\n");
    }
  }

  static constexpr size_t kShown = 5;
  const ProfileReport& report_;
  const Annotation& annotation_;
  const ModuleTimes& times_;
  const TimeFigures figures_;
  const TreeTextOptions options_;
  const TreeRows rows_;
  bool folds_ = false;
  TextTable table_;
  size_t outliers_ = 0;
};

}  // namespace

absl::Status WriteProfileTable(const ProfileReport& report, ByteSink& sink) {
  return ProfileTable(report).Write(sink);
}

}  // namespace onnx_hier
