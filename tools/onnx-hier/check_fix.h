// SPDX-License-Identifier: Apache-2.0

// 'check --fix': the model again, with wrong tags put right.
#ifndef ONNX_HIER_TOOLS_CHECK_FIX_H_
#define ONNX_HIER_TOOLS_CHECK_FIX_H_

#include <cstddef>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "onnx_hier/check.h"
#include "onnx_hier/onnx_hier.h"
#include "onnx_hier/tags.h"
#include "tools/cli/flags.h"

namespace onnx_hier::cli {

// What is wrong with --fix and the flags that go with it, or "".
std::string CheckFixFlags(const ParsedFlags& flags);

// Whether the output of --fix, if there is one, may be written.
absl::Status CheckFixOutput(const Model& model, const ParsedFlags& flags);

struct FixOutcome {
  size_t left = 0;  // findings
  std::vector<std::string> warnings;
  std::string message;  // for people
};

// Writes the model. The error names the output; kCancelled: interrupted, or nobody reads it.
absl::StatusOr<FixOutcome> Fix(const Model& model, const ParsedFlags& flags, const ModuleMap& map,
                               std::vector<Finding> findings, Tags& tags);

}  // namespace onnx_hier::cli

#endif  // ONNX_HIER_TOOLS_CHECK_FIX_H_
