// SPDX-License-Identifier: Apache-2.0

// What 'tag' is to do, worked out from its flags before anything is read or written.
#ifndef ONNX_HIER_TOOLS_TAG_JOBS_H_
#define ONNX_HIER_TOOLS_TAG_JOBS_H_

#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/types/span.h"
#include "onnx_hier_program/job_files.h"
#include "tools/cli/flags.h"

namespace onnx_hier::cli {

// What is wrong with how the flags go together, or "".
std::string CheckTagFlags(const ParsedFlags& flags);

// One job for each input, its data files still unknown; "" for `model` where none is written. An
// error if CheckJobFiles() finds one, or FolderFor().
absl::StatusOr<std::vector<JobFiles>> PlanTagJobs(const ParsedFlags& flags,
                                                  absl::Span<const std::string> inputs);

// What else than models a call of 'tag' reads.
std::vector<TextFile> TagTexts(const ParsedFlags& flags);

}  // namespace onnx_hier::cli

#endif  // ONNX_HIER_TOOLS_TAG_JOBS_H_
