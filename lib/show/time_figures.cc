// SPDX-License-Identifier: Apache-2.0
#include "lib/show/time_figures.h"

#include <algorithm>
#include <array>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "lib/show/figures.h"
#include "lib/show/profile_formats.h"
#include "onnx_hier_program/text.h"

namespace onnx_hier {
namespace {

std::string RunsText(const Profile& profile) {
  std::string text = absl::StrCat(profile.runs, profile.runs == 1 ? " run" : " runs");
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
std::string PlacedText(const Profile& profile, const ModuleTimes& times) {
  constexpr absl::string_view kWords[kPlacedByCount] = {"by name",
                                                        "by output",
                                                        "by parts of theirs",
                                                        "by number",
                                                        "by operator and order",
                                                        "inferred from what ran around them",
                                                        "not placed"};
  std::array<size_t, kPlacedByCount> counts = {};
  for (size_t i = 0; i < times.places.size(); ++i) {
    if (profile.kernels[i].calls > 0) ++counts[static_cast<size_t>(times.places[i].by)];
  }
  std::string text;
  for (size_t i = 0; i < kPlacedByCount; ++i) {
    if (counts[i] == 0) continue;
    absl::StrAppend(&text, text.empty() ? "" : ", ", counts[i], " ", kWords[i]);
  }
  return text;
}

// Time of kernels whose module is known, not inferred.
uint64_t ExactTime(const Profile& profile, const ModuleTimes& times) {
  uint64_t exact = 0;
  for (size_t i = 0; i < times.places.size(); ++i) {
    const PlacedBy by = times.places[i].by;
    if (by != PlacedBy::kSequence && by != PlacedBy::kNone) exact += profile.kernels[i].time;
  }
  return exact;
}

}  // namespace

std::string TimeFigures::Text(uint64_t time) const {
  // A tenth of a microsecond, or a whole one: as exact as clocks of profiles are.
  if (in_ms_) {
    const uint64_t microseconds = (time + 500) / 1000;
    return absl::StrCat(WithThousands(microseconds / 1000),
                        absl::StrFormat(".%03d", microseconds % 1000));
  }
  const uint64_t tenths = (time + 50) / 100;
  return absl::StrCat(WithThousands(tenths / 10), ".", tenths % 10);
}

std::string TimeFigures::Whole(uint64_t time) const {
  return absl::StrCat(Text(time), " ", unit());
}

std::string TimeFigures::Difference(uint64_t before, uint64_t after) const {
  if (before == after) return "0";
  return after > before ? absl::StrCat("+", Text(after - before))
                        : absl::StrCat("-", Text(before - after));
}

std::string Percent(uint64_t part, uint64_t whole) {
  if (whole == 0) return "-";
  return absl::StrFormat("%.1f %%", 100.0 * static_cast<double>(part) / static_cast<double>(whole));
}

std::string ProfileSummary(const Profile& profile, const ModuleTimes& times) {
  uint64_t calls = 0;
  for (const Kernel& kernel : profile.kernels) calls += kernel.calls;
  std::string text =
      absl::StrCat(RunsText(profile), ": ", TimeFigures(times.total).Whole(times.total), " in ",
                   WithThousands(calls), calls == 1 ? " kernel call\n" : " kernel calls\n",
                   "placed: ", Percent(times.total - times.unplaced, times.total), " of the time, ",
                   Percent(ExactTime(profile, times), times.total),
                   " exactly; kernels: ", PlacedText(profile, times), "\n");
  if (profile.seldom > 0) {
    absl::StrAppend(
        &text, profile.seldom, profile.seldom == 1 ? " kernel" : " kernels",
        " ran in less than half of the runs: the median is 0; --sum-runs counts them\n");
  }
  if (profile.is_cut) absl::StrAppend(&text, "the last run is not complete and does not count\n");
  return text;
}

std::string OperatorsText(absl::Span<const OperatorTime> operators) {
  constexpr size_t kShown = 2;
  uint64_t whole = 0;
  for (const OperatorTime& entry : operators) whole += entry.time;
  std::string text;
  for (size_t i = 0; i < std::min(kShown, operators.size()); ++i) {
    if (operators[i].time == 0) break;
    const double share =
        100.0 * static_cast<double>(operators[i].time) / static_cast<double>(whole);
    absl::StrAppend(&text, i == 0 ? "" : ", ",
                    SafeForTerminal(OperatorName(operators[i].op_type), 40),
                    absl::StrFormat(" %.0f %%", share));
  }
  return text;
}

}  // namespace onnx_hier
