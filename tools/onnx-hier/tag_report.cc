// SPDX-License-Identifier: Apache-2.0
#include "tools/onnx-hier/tag_report.h"

#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "onnx_hier_program/text.h"
#include "tools/onnx-hier/write_flags.h"

namespace onnx_hier::cli {
namespace {

// The model as it was, which says as much as what was written.
std::string ExplainedFile(const TagResult& result) {
  const std::string& file = result.input == "-" ? result.output : result.input;
  return file.empty() || file == "-" ? "MODEL" : ShellWord(file);
}

}  // namespace

TagResult ResultOf(const JobFiles& job) {
  TagResult result;
  result.input = job.input;
  result.output = job.model;
  result.sidecar = job.sidecar;
  return result;
}

std::string SummaryLine(const TagResult& result) {
  const Summary& summary = result.summary;
  return absl::StrFormat(
      "%s: %s%s%s, %.0f ms",
      result.output.empty() ? InputName(result.input) : OutputName(result.output),
      SummaryText(summary),
      summary.unsure == 0
          ? ""
          : absl::StrCat(" ('onnx-hier explain ", ExplainedFile(result), " --below 0.5' says why)"),
      result.named.has_value() ? absl::StrCat(", ", WithThousands(*result.named), " named") : "",
      result.milliseconds);
}

}  // namespace onnx_hier::cli
