// SPDX-License-Identifier: Apache-2.0

// What to say to somebody whose first word is no command.
#ifndef ONNX_HIER_TOOLS_UNKNOWN_COMMAND_H_
#define ONNX_HIER_TOOLS_UNKNOWN_COMMAND_H_

#include <string>

#include "absl/types/span.h"

namespace onnx_hier::cli {

// "there is no command 'stat' (did you mean 'tree'?); see ..." of the program's `words`, of which
// there is one at least.
std::string UnknownCommand(absl::Span<const std::string> words);

}  // namespace onnx_hier::cli

#endif  // ONNX_HIER_TOOLS_UNKNOWN_COMMAND_H_
