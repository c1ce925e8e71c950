// What 'tag' is to do, worked out from its flags before anything is read or written.
#ifndef ONNX_HIER_TOOLS_TAG_JOBS_H_
#define ONNX_HIER_TOOLS_TAG_JOBS_H_

#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "tools/onnx-hier/flags.h"

namespace onnx_hier::cli {

// What one input becomes.
struct TagJob {
  std::string input;    // "-": standard input
  std::string model;    // "": none; "-": standard output
  std::string sidecar;  // likewise
};

// One job for each input. An error (of usage) if the flags do not go together, or if the output
// of one input would replace another input or its output, under whatever name.
absl::StatusOr<std::vector<TagJob>> PlanTagJobs(const ParsedFlags& flags);

// How many jobs go side by side when --jobs does not say.
uint32_t UsualJobsAtATime(const std::vector<TagJob>& jobs);

}  // namespace onnx_hier::cli

#endif  // ONNX_HIER_TOOLS_TAG_JOBS_H_
