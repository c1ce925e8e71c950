// SPDX-License-Identifier: Apache-2.0
#include <utility>

#include "absl/strings/str_cat.h"
#include "onnx_hier_program/tasks.h"

namespace onnx_hier {
namespace {

bool HasAny(const Profile& profile, const PlacedProfile& placed) {
  const Column& column = placed.amounts;
  if (profile.kind == ProfileKind::kTable) {
    const Figure& root = column.figure(ModuleId(0));
    return root.known + root.unknown > 0 || column.unplaced().known == 0;
  }
  return column.unplaced().total < column.whole() || column.whole().is_zero();
}

}  // namespace

absl::StatusOr<OpenedProfile> OpenedProfileOf(std::string file, Profile profile,
                                              const Hierarchy& hierarchy, absl::string_view model) {
  OpenedProfile opened = {std::move(file), std::move(profile), {}};
  opened.placed = PlaceProfile(hierarchy, opened.profile);
  const size_t kernels = opened.profile.kernels.size();
  LeaveOutOthers(hierarchy, opened.profile, opened.placed);
  const bool has_others = opened.profile.kernels.size() < kernels;
  if (has_others || HasAny(opened.profile, opened.placed)) return opened;
  const bool is_table = opened.profile.kind == ProfileKind::kTable;
  return absl::InvalidArgumentError(absl::StrCat(
      opened.file == "-" ? "standard input" : opened.file, ": ", is_table ? "no row" : "no kernel",
      " has a name of ", model, ", such as '", opened.profile.kernels.front().name, "'; ",
      is_table ? "--key says which column names nodes or values"
               : "profile the model that ran: onnxruntime saves it as it was optimised with "
                 "optimized_model_filepath"));
}

absl::Status CheckComparable(const OpenedProfile& a, const OpenedProfile& b) {
  const Measure& measure = a.profile.measure;
  const Measure& other = b.profile.measure;
  if (measure.unit == other.unit && measure.unit != MeasureUnit::kWords) return absl::OkStatus();
  return absl::InvalidArgumentError(absl::StrCat(a.file, " has '", measure.title, "' and ", b.file,
                                                 " '", other.title, "', which cannot be compared"));
}

}  // namespace onnx_hier
