// SPDX-License-Identifier: Apache-2.0
#include "tools/onnx-hier/cost_flags.h"

#include "absl/strings/str_cat.h"
#include "onnx_hier_program/tasks.h"
#include "tools/onnx-hier/cli.h"

namespace onnx_hier::cli {

absl::StatusOr<CostOptions> ReadCostFlags(const ParsedFlags& flags) {
  absl::StatusOr<CostOptions> options =
      ReadCostOptions(flags.Values("shape"), flags.Values("dim"), flags.Value("device"));
  if (!options.ok()) return Misused(absl::StrCat("--", options.status().message()));
  return options;
}

absl::Status CostError(const absl::Status& status) {
  if (status.code() != absl::StatusCode::kFailedPrecondition) return status;
  return absl::Status(
      status.code(),
      absl::StrCat(status.message(), ": say it with --dim NAME=N or --shape INPUT=DIMS"));
}

}  // namespace onnx_hier::cli
