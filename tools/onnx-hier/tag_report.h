// What 'tag' says about the models it was given: a line for people, JSON for programs.
#ifndef ONNX_HIER_TOOLS_TAG_REPORT_H_
#define ONNX_HIER_TOOLS_TAG_REPORT_H_

#include <string>
#include <vector>

#include "absl/status/status.h"
#include "onnx_hier/job_files.h"
#include "onnx_hier/reports.h"

namespace onnx_hier::cli {

struct TagOutcome {
  JobFiles job;
  absl::Status status;
  TagResult result;  // all but its files, which are the job's
};

// "out.onnx: 257 of 257 nodes tagged (240 node_name, 17 locality), 5 named, 3 ms"
std::string SummaryLine(const TagOutcome& outcome);
// schemas/tag_result.schema.json
std::string ResultJson(const std::vector<TagOutcome>& outcomes);

}  // namespace onnx_hier::cli

#endif  // ONNX_HIER_TOOLS_TAG_REPORT_H_
