// What `check` found, for machines, for people and for grep.
#ifndef ONNX_HIER_LIB_REPORT_CHECK_REPORT_H_
#define ONNX_HIER_LIB_REPORT_CHECK_REPORT_H_

#include <optional>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "lib/base/byte_sink.h"
#include "lib/check/coverage.h"
#include "lib/compare/findings.h"
#include "lib/tags/tags.h"
#include "onnx_hier/graph.h"

namespace onnx_hier {

struct CheckReport {
  std::string file;  // the model's file name
  const Graph& graph;
  const Tags& tags;
  size_t malformed = 0;  // nodes whose doc_string holds tags that cannot be read
  // What was asked for.
  std::optional<std::vector<Finding>> contamination;
  std::optional<Coverage> coverage;

  size_t CountFound() const;
};

// schemas/check_report.schema.json, with a line for each finding.
absl::Status WriteCheckReportJson(const CheckReport& report, ByteSink& sink);
// Findings by layer pair, then the nodes of each.
absl::Status WriteCheckReportText(const CheckReport& report, ByteSink& sink);
// "m.onnx: 17: cross_layer: /layer.1/fc: expected /layer.0/fc (name, 0.99): /layer.0/fc/Gemm"
absl::Status WriteCheckReportLines(const CheckReport& report, ByteSink& sink);

}  // namespace onnx_hier

#endif  // ONNX_HIER_LIB_REPORT_CHECK_REPORT_H_
