#include "tools/onnx-hier/tag_report.h"

#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "tools/onnx-hier/write_flags.h"

namespace onnx_hier::cli {

std::string SummaryLine(const TagOutcome& outcome) {
  const Summary& summary = outcome.result.summary;
  const std::optional<uint64_t>& named = outcome.result.named;
  const std::string methods = MethodsText(summary);
  return absl::StrFormat(
      "%s: %d of %d nodes tagged%s%s%s, %.0f ms",
      outcome.job.model.empty() ? InputName(outcome.job.input) : OutputName(outcome.job.model),
      summary.tagged, summary.nodes, methods.empty() ? "" : absl::StrCat(" (", methods, ")"),
      summary.unsure == 0 ? ""
                          : absl::StrCat(", ", summary.unsure,
                                         " unsure ('onnx-hier explain --below 0.5' says why)"),
      named.has_value() ? absl::StrCat(", ", *named, " named") : "", outcome.result.milliseconds);
}

std::string ResultJson(const std::vector<TagOutcome>& outcomes) {
  std::vector<TagResult> results;
  results.reserve(outcomes.size());
  for (const TagOutcome& outcome : outcomes) {
    results.push_back(outcome.result);
    results.back().input = outcome.job.input;
    results.back().output = outcome.job.model;
    results.back().sidecar = outcome.job.sidecar;
  }
  return TagResultsJson(results);
}

}  // namespace onnx_hier::cli
