// SPDX-License-Identifier: Apache-2.0

// Files on the command line that are probably taken for others.
#ifndef ONNX_HIER_TOOLS_MISTAKEN_FILES_H_
#define ONNX_HIER_TOOLS_MISTAKEN_FILES_H_

#include <string>

#include "absl/strings/string_view.h"
#include "tools/onnx-hier/cli.h"

namespace onnx_hier::cli {

// What is wrong, or "": a model that does not come first, or a file to write whose name ends as
// files of another kind do.
std::string MistakenFiles(const CommandEntry& command, const ParsedFlags& flags);

// What is wrong with the name of a file that is to be one of those that end in `ending`, or "".
std::string WrongEnding(absl::string_view flag, absl::string_view file, absl::string_view ending);

}  // namespace onnx_hier::cli

#endif  // ONNX_HIER_TOOLS_MISTAKEN_FILES_H_
