// SPDX-License-Identifier: Apache-2.0

// 'apply' with the model that the other one was made from in the sidecar's place.
#ifndef ONNX_HIER_TOOLS_APPLY_ORIGINAL_H_
#define ONNX_HIER_TOOLS_APPLY_ORIGINAL_H_

#include <string>

#include "absl/status/statusor.h"
#include "tools/cli/flags.h"

namespace onnx_hier::cli {

// Whether a file is a model, not a sidecar: by its name, else by its first byte.
bool IsModelFile(const std::string& path);

// What is wrong with the flags that say where the sidecar goes, or "". `output`: of the model.
std::string CheckSidecarFlags(const ParsedFlags& flags, const std::string& output);

// `output`: where the model goes; "" for nowhere. The arguments are the original and the model.
absl::StatusOr<int> ApplyOriginal(const ParsedFlags& flags, const std::string& output);

}  // namespace onnx_hier::cli

#endif  // ONNX_HIER_TOOLS_APPLY_ORIGINAL_H_
