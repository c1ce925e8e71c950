// SPDX-License-Identifier: Apache-2.0
#include <array>
#include <string>

#include "absl/strings/str_cat.h"
#include "lib/show/amount_figures.h"
#include "lib/show/profile_formats.h"
#include "onnx_hier_program/text.h"

namespace onnx_hier {
namespace {

constexpr size_t kSummaryWords = 12;

bool IsTable(const Profile& profile) { return profile.kind == ProfileKind::kTable; }

std::string RunsText(const Profile& profile) {
  std::string text = Counted(profile.runs, "run");
  if (profile.warm_up_runs > 0) {
    absl::StrAppend(&text, " after ", profile.warm_up_runs, " to warm up");
  }
  if (profile.runs > 1) {
    absl::StrAppend(&text,
                    profile.is_summed ? ", all of them together" : ", the median of each kernel");
  }
  return text;
}

// How many kernels were placed how.
std::string PlacedText(const TimedProfile& timed) {
  constexpr absl::string_view kWords[kPlacedByCount] = {"by name",
                                                        "by output",
                                                        "by parts of theirs",
                                                        "by number",
                                                        "by operator and order",
                                                        "inferred from what ran around them",
                                                        "not placed"};
  std::array<size_t, kPlacedByCount> counts = {};
  for (size_t i = 0; i < timed.placed.places.size(); ++i) {
    const Kernel& kernel = timed.profile.kernels[i];
    const bool counts_for_it = kernel.calls > 0 || kernel.unknown > 0;
    if (counts_for_it) ++counts[static_cast<size_t>(timed.placed.places[i].by)];
  }
  std::string text;
  for (size_t i = 0; i < kPlacedByCount; ++i) {
    if (counts[i] == 0) continue;
    absl::StrAppend(&text, text.empty() ? "" : ", ", counts[i], " ", kWords[i]);
  }
  return text;
}

// Of kernels whose module is known, not inferred.
Amount ExactAmount(const TimedProfile& timed) {
  Amount exact;
  for (size_t i = 0; i < timed.placed.places.size(); ++i) {
    const PlacedBy by = timed.placed.places[i].by;
    if (by != PlacedBy::kSequence && by != PlacedBy::kNone)
      exact += timed.profile.kernels[i].amount;
  }
  return exact;
}

Amount PlacedAmount(const TimedProfile& timed) {
  Amount placed;
  for (size_t i = 0; i < timed.placed.places.size(); ++i) {
    if (timed.placed.places[i].module.valid()) placed += timed.profile.kernels[i].amount;
  }
  return placed;
}

// "54 rows of 'ep': CPU 13, NPU 41\nrows: 52 by name, 2 not placed\n"
std::string TableSummary(const TimedProfile& timed) {
  uint64_t rows = 0;
  uint64_t unknown = 0;
  for (const Kernel& kernel : timed.profile.kernels) {
    rows += kernel.calls + kernel.unknown;
    unknown += kernel.unknown;
  }
  const Column& column = timed.placed.amounts;
  const Measure& measure = column.measure();
  const AmountFigures figures(column);
  std::string text = Counted(rows, "row");
  if (measure.unit != MeasureUnit::kCount)
    absl::StrAppend(&text, " of ", SafeForTerminal(measure.title, 40), ": ");
  if (measure.unit == MeasureUnit::kWords) {
    absl::StrAppend(&text, WordsText(column.AllWords(), kSummaryWords));
  } else if (measure.unit != MeasureUnit::kCount) {
    absl::StrAppend(
        &text, figures.Whole(column.whole()),
        measure.adds == Adds::kSum ? "" : absl::StrCat(" (", AddsName(measure.adds), ")"));
  }
  absl::StrAppend(&text, "\nplaced: ", PlacedText(timed), "\n");
  if (unknown > 0) {
    absl::StrAppend(&text, Counted(unknown, "row has", "rows have"), " no number\n");
  }
  return text;
}

}  // namespace

std::string ProfileSummary(const TimedProfile& timed) {
  if (IsTable(timed.profile)) return TableSummary(timed);
  const Profile& profile = timed.profile;
  const Amount whole = timed.placed.amounts.whole();
  uint64_t calls = 0;
  for (const Kernel& kernel : profile.kernels) calls += kernel.calls;
  std::string text = absl::StrCat(
      RunsText(profile), ": ", AmountFigures(timed.placed.amounts).Whole(whole), " in ",
      Counted(calls, "kernel call"), "\n", "placed: ", Percent(PlacedAmount(timed), whole),
      " of the time, ", Percent(ExactAmount(timed), whole),
      " exactly; kernels: ", PlacedText(timed), "\n");
  if (profile.seldom > 0) {
    absl::StrAppend(
        &text, Counted(profile.seldom, "kernel"),
        " ran in less than half of the runs: the median is 0; --sum-runs counts them\n");
  }
  if (profile.is_cut) absl::StrAppend(&text, "the last run is not complete and does not count\n");
  return text;
}

}  // namespace onnx_hier
