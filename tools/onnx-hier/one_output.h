// SPDX-License-Identifier: Apache-2.0

// What commands have in common that write one model in the place of the one that they read.
#ifndef ONNX_HIER_TOOLS_ONE_OUTPUT_H_
#define ONNX_HIER_TOOLS_ONE_OUTPUT_H_

#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/strings/string_view.h"
#include "onnx_hier/onnx_hier.h"
#include "tools/cli/flags.h"

namespace onnx_hier::cli {

// What is wrong with --output and --in-place for a model read from `input`, or "". `no_model`: a
// flag with which none is written; null: there is none.
std::string CheckOneOutput(const ParsedFlags& flags, const std::string& input,
                           const char* no_model = nullptr);

// Where the model goes: where the flags say, else beside the input, with `suffix`.
std::string OneOutput(const ParsedFlags& flags, const std::string& input, absl::string_view suffix);

// Writes it, with its progress, and adds to the warnings. The error names the output.
absl::Status WriteOneOutput(const ParsedFlags& flags, const std::string& input, const Model& model,
                            const Edits& edits, const std::string& output,
                            std::vector<std::string>& warnings);

}  // namespace onnx_hier::cli

#endif  // ONNX_HIER_TOOLS_ONE_OUTPUT_H_
