// The command line: one table of commands, each with one table of flags. Parsing, help and the
// man page are all made from these tables.
#ifndef ONNX_HIER_TOOLS_CLI_H_
#define ONNX_HIER_TOOLS_CLI_H_

#include <functional>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/strings/string_view.h"
#include "absl/types/span.h"
#include "onnx_hier/byte_sink.h"
#include "tools/onnx-hier/flags.h"

namespace onnx_hier::cli {

enum ExitCode { kDone = 0, kFound = 1, kFailed = 2 };

struct Example {
  const char* command;
  const char* effect;
};

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

// "onnx-hier: TEXT" on standard error, one line whatever names it quotes; returns kFailed.
int Fail(absl::string_view text);
// The same for something that is no failure.
void Warn(absl::string_view text);
// Standard output; Fail() with the reason if that cannot be written.
int PrintOrFail(absl::string_view text);
// The same for what `write` puts into a sink.
int PrintOrFail(const std::function<absl::Status(ByteSink&)>& write);
// The same for a command that was called the wrong way; points to its help.
int UsageError(absl::string_view command, absl::string_view text);

}  // namespace onnx_hier::cli

#endif  // ONNX_HIER_TOOLS_CLI_H_
