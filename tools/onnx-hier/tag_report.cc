#include "tools/onnx-hier/tag_report.h"

#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "tools/onnx-hier/write_flags.h"

namespace onnx_hier::cli {

TagResult ResultOf(const JobFiles& job) {
  TagResult result;
  result.input = job.input;
  result.output = job.model;
  result.sidecar = job.sidecar;
  return result;
}

std::string SummaryLine(const TagResult& result) {
  const Summary& summary = result.summary;
  const std::string methods = MethodsText(summary);
  return absl::StrFormat(
      "%s: %d of %d nodes tagged%s%s%s, %.0f ms",
      result.output.empty() ? InputName(result.input) : OutputName(result.output), summary.tagged,
      summary.nodes, methods.empty() ? "" : absl::StrCat(" (", methods, ")"),
      summary.unsure == 0 ? ""
                          : absl::StrCat(", ", summary.unsure,
                                         " unsure ('onnx-hier explain --below 0.5' says why)"),
      result.named.has_value() ? absl::StrCat(", ", *result.named, " named") : "",
      result.milliseconds);
}

}  // namespace onnx_hier::cli
