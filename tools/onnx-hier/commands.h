// The commands, each in a file of its own name.
#ifndef ONNX_HIER_TOOLS_COMMANDS_H_
#define ONNX_HIER_TOOLS_COMMANDS_H_

#include "absl/status/statusor.h"
#include "onnx_hier/onnx_hier.h"
#include "tools/onnx-hier/cli.h"

namespace onnx_hier::cli {

// What --module-map says. The error names the file.
absl::StatusOr<AnnotateOptions> ReadAnnotateOptions(const ParsedFlags& flags);

Command TagCommand();
Command TreeCommand();
Command StripCommand();
Command CheckCommand();
Command ExplainCommand();
Command ApplyCommand();

}  // namespace onnx_hier::cli

#endif  // ONNX_HIER_TOOLS_COMMANDS_H_
