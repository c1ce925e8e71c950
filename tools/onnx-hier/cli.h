// SPDX-License-Identifier: Apache-2.0

// The command line: one table of commands, each with one table of flags. Parsing, help, the
// man page and shells' completions are all made from these tables.
#ifndef ONNX_HIER_TOOLS_CLI_H_
#define ONNX_HIER_TOOLS_CLI_H_

#include "absl/strings/string_view.h"
#include "absl/types/span.h"
#include "tools/cli/flags.h"
#include "tools/cli/help_text.h"
#include "tools/cli/program.h"

namespace onnx_hier::cli {

struct Command {
  const char* name;
  const char* arguments;  // "IN.onnx..."
  const char* summary;    // one line
  const char* description;
  absl::Span<const Flag> flags;
  absl::Span<const Example> examples;
  int (*run)(const ParsedFlags& flags);
};

// All commands, in the order in which help lists them.
absl::Span<const Command> Commands();

// The whole program. Returns its exit code.
int Run(int argc, char** argv);

// Fail() for a command that was called the wrong way; points to its help.
int UsageError(absl::string_view command, absl::string_view text);

}  // namespace onnx_hier::cli

#endif  // ONNX_HIER_TOOLS_CLI_H_
