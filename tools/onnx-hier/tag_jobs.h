// What 'tag' is to do, worked out from its flags before anything is read or written.
#ifndef ONNX_HIER_TOOLS_TAG_JOBS_H_
#define ONNX_HIER_TOOLS_TAG_JOBS_H_

#include <cstdint>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "onnx_hier/job_files.h"
#include "tools/cli/flags.h"

namespace onnx_hier::cli {

// One job for each input, its data files still unknown; "" for `model` where none is written. An
// error (of usage) if the flags do not go together, or if CheckJobFiles() finds one.
absl::StatusOr<std::vector<JobFiles>> PlanTagJobs(const ParsedFlags& flags);

// What else than models a call of 'tag' reads.
std::vector<TextFile> TagTexts(const ParsedFlags& flags);

// How many jobs go side by side when --jobs does not say.
uint32_t UsualJobsAtATime(const std::vector<JobFiles>& jobs);

}  // namespace onnx_hier::cli

#endif  // ONNX_HIER_TOOLS_TAG_JOBS_H_
