// SPDX-License-Identifier: Apache-2.0

// Completions of the command line for shells, made from the table of commands.
#ifndef ONNX_HIER_TOOLS_COMPLETION_H_
#define ONNX_HIER_TOOLS_COMPLETION_H_

#include <string>

#include "absl/strings/string_view.h"

namespace onnx_hier::cli {

// A script for "bash", "zsh" or "fish"; "" for another shell.
std::string CompletionFor(absl::string_view shell);

}  // namespace onnx_hier::cli

#endif  // ONNX_HIER_TOOLS_COMPLETION_H_
