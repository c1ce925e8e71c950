// SPDX-License-Identifier: Apache-2.0
#include "absl/strings/str_cat.h"
#include "onnx_hier_program/tasks.h"

namespace onnx_hier {

absl::Status CheckPlaced(const Profile& profile, const PlacedProfile& placed,
                         absl::string_view model) {
  const Column& column = placed.amounts;
  const bool is_table = profile.kind == ProfileKind::kTable;
  const Figure& root = column.figure(ModuleId(0));
  const bool has_any = is_table ? root.known + root.unknown > 0 || column.unplaced().known == 0
                                : column.unplaced().total < column.whole();
  if (has_any || (!is_table && column.whole().is_zero())) return absl::OkStatus();
  return absl::InvalidArgumentError(absl::StrCat(
      is_table ? "no row" : "no kernel", " has a name of ", model, ", such as '",
      profile.kernels.front().name, "'; ",
      is_table ? "--key says which column names nodes or values"
               : "profile the model that ran: onnxruntime saves it as it was optimised with "
                 "optimized_model_filepath"));
}

}  // namespace onnx_hier
