// SPDX-License-Identifier: Apache-2.0

// Doubtful owners, asked about on a terminal; the answers become rules in a file.
#ifndef ONNX_HIER_TOOLS_REVIEW_MODEL_H_
#define ONNX_HIER_TOOLS_REVIEW_MODEL_H_

#include <string>

#include "absl/status/statusor.h"
#include "onnx_hier/onnx_hier.h"
#include "tools/cli/flags.h"

namespace onnx_hier::cli {

// Asks, where both standard input and output are a terminal and no JSON is wanted; else prints the
// questions as JSON. Rules are read from --rules, or from IN.rules where that is there, and answers
// are added to it, each one as it is given. Gives the exit code: 1 if there are questions left.
absl::StatusOr<int> ReviewModel(const std::string& path, const ParsedFlags& flags,
                                AnnotateOptions options);

}  // namespace onnx_hier::cli

#endif  // ONNX_HIER_TOOLS_REVIEW_MODEL_H_
