// SPDX-License-Identifier: Apache-2.0
#include <utility>

#include "absl/algorithm/container.h"
#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_split.h"
#include "lib/base/status_macros.h"
#include "onnx_hier_program/tasks.h"

namespace onnx_hier {
namespace {

constexpr uint32_t kLargestSize = 1u << 30;  // beyond it is a mistake

// "NAME=REST"; the name may have a '=' itself.
absl::StatusOr<std::pair<std::string, std::string>> Entry(absl::string_view takes,
                                                          const std::string& text) {
  const size_t at = text.rfind('=');
  if (at == std::string::npos || at == 0) {
    return absl::InvalidArgumentError(absl::StrCat(takes, ", not '", text, "'"));
  }
  return std::pair(text.substr(0, at), text.substr(at + 1));
}

}  // namespace

absl::StatusOr<CostOptions> ReadCostOptions(absl::Span<const std::string> shapes,
                                            absl::Span<const std::string> dims,
                                            absl::string_view device) {
  CostOptions options;
  for (const std::string& text : shapes) {
    OH_ASSIGN_OR_RETURN(options.shapes.emplace_back(), Entry("shape takes INPUT=DIMS", text));
  }
  constexpr absl::string_view kTakesSize = "dim takes NAME=N";
  for (const std::string& text : dims) {
    OH_ASSIGN_OR_RETURN(auto entry, Entry(kTakesSize, text));
    uint32_t size;
    if (!absl::SimpleAtoi(entry.second, &size) || size > kLargestSize) {
      return absl::InvalidArgumentError(absl::StrCat(kTakesSize, ", not '", text, "'"));
    }
    options.sizes.emplace_back(std::move(entry.first), size);
  }
  if (device.empty()) return options;
  const std::pair<std::string, std::string> parts = absl::StrSplit(device, absl::MaxSplits(':', 1));
  Device most;
  if (!absl::SimpleAtod(parts.first, &most.gflops) ||
      !absl::SimpleAtod(parts.second, &most.gbytes_per_second) || !(most.gflops > 0) ||
      !(most.gbytes_per_second > 0)) {
    return absl::InvalidArgumentError(
        absl::StrCat("device takes GFLOPS:GBPS, as 2000:50, not '", device, "'"));
  }
  options.device = most;
  return options;
}

absl::StatusOr<std::unique_ptr<Costs>> AddCosts(const Model& model, const Hierarchy& hierarchy,
                                                const CostOptions& options,
                                                absl::Span<const std::string> ids,
                                                const TimedProfile* timed, ColumnSet& columns) {
  std::unique_ptr<Costs> costs;
  if (!absl::c_any_of(ids, IsCostMeasure)) return costs;
  OH_ASSIGN_OR_RETURN(Costs measured, MeasureCosts(model, hierarchy, options));
  costs = std::make_unique<Costs>(std::move(measured));
  const Column* const macs = costs->Find("macs");
  if (macs != nullptr && timed != nullptr &&
      timed->profile.measure.unit == MeasureUnit::kNanoseconds) {
    const uint64_t runs = timed->profile.is_summed ? timed->profile.runs : 1;
    costs->columns.push_back(AchievedRate(*macs, timed->placed.amounts, runs, hierarchy.modules()));
  }
  for (const Column& column : costs->columns) columns.Add(column);
  return costs;
}

}  // namespace onnx_hier
