// SPDX-License-Identifier: Apache-2.0
#include "tests/fuzz/judging.h"

#include <algorithm>
#include <utility>

#include "nlohmann/json.hpp"
#include "onnx_hier/bytes.h"
#include "onnx_hier/check.h"
#include "onnx_hier_program/reports.h"
#include "onnx_hier_program/text.h"
#include "tests/fuzz/fuzz.h"

namespace onnx_hier::fuzz {
namespace {

void CheckFindings(const Graph& graph, const Tags& tags, const std::vector<Finding>& findings) {
  for (size_t i = 0; i < findings.size(); ++i) {
    const Finding& finding = findings[i];
    Require(finding.node.valid() && finding.node.index() < graph.node_count() &&
                (i == 0 || findings[i - 1].node < finding.node),
            "findings come in graph order, one a node");
    Require(finding.expected.valid() && finding.expected.index() < tags.paths().size(),
            "a finding says what is right");
    Require(finding.expected != finding.actual, "what is right is not what was found");
    Require(finding.confidence >= 0 && finding.confidence <= 1, "a confidence is a probability");
  }
}

std::string Written(absl::Status (*write)(const CheckReport&, ByteSink&),
                    const CheckReport& report) {
  StringSink sink;
  Require(write(report, sink).ok(), "a report is written");
  return sink.text();
}

void CheckReports(const CheckReport& report) {
  Require(nlohmann::json::accept(Written(WriteCheckReportJson, report)), "the report is JSON");
  for (const auto write : {WriteCheckReportText, WriteCheckReportLines}) {
    std::string one_line = Written(write, report);
    std::replace(one_line.begin(), one_line.end(), '\n', ' ');
    RequireSame(SafeForTerminal(one_line), one_line, "a report for people is safe to print");
  }
}

}  // namespace

void Judge(const Graph& graph, const ModuleMap& classes, const std::vector<NodeId>& malformed,
           const std::vector<std::string>& sidecar_problems, Tags tags) {
  CheckReport report = {"m.onnx", graph, tags, {}, {}};
  report.contamination = FindContamination(graph, classes, tags);
  report.coverage = FindGaps(graph, classes, Annotation(), tags, malformed, sidecar_problems);
  CheckFindings(graph, tags, *report.contamination);
  CheckReports(report);

  std::vector<Finding> again = FindContamination(graph, classes, tags);
  Require(again.size() == report.contamination->size(), "a second check finds as much");
  const Repairs repairs = Repair(graph, classes, std::move(again), tags);
  CheckFindings(graph, tags, repairs.done);
  for (const Finding& done : repairs.done) {
    Require(tags[done.node].primary == done.expected, "a repaired tag is the expected one");
  }
}

}  // namespace onnx_hier::fuzz
