// SPDX-License-Identifier: Apache-2.0

// The command line: one table of commands, each with one table of flags. Parsing, help, the
// man page and shells' completions are all made from these tables.
#ifndef ONNX_HIER_TOOLS_CLI_H_
#define ONNX_HIER_TOOLS_CLI_H_

#include <memory>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "absl/types/span.h"
#include "tools/cli/flags.h"
#include "tools/cli/help_text.h"
#include "tools/cli/program.h"

namespace onnx_hier::cli {

// A command that is being carried out.
class Command {
 public:
  explicit Command(const ParsedFlags& flags) : flags_(flags) {}
  Command(const Command&) = delete;
  Command& operator=(const Command&) = delete;
  virtual ~Command() = default;

  // Reads what the flags say, and holds them to what goes together. An error is one of usage.
  virtual absl::Status Setup() = 0;
  // Does it, and returns the exit code. The error is told; kCancelled: it was interrupted, or
  // nobody reads its output any more.
  virtual absl::StatusOr<int> Run() = 0;

 protected:
  const ParsedFlags& flags() const { return flags_; }

 private:
  const ParsedFlags& flags_;
};

template <typename SomeCommand>
std::unique_ptr<Command> Make(const ParsedFlags& flags) {
  return std::make_unique<SomeCommand>(flags);
}

// What is known of a command before it is called.
struct CommandEntry {
  const char* name;
  const char* arguments;  // "IN.onnx..."
  const char* summary;    // one line
  const char* description;
  absl::Span<const Flag> flags;
  absl::Span<const Example> examples;
  std::unique_ptr<Command> (*make)(const ParsedFlags& flags);
};

// All commands, in the order in which help lists them.
absl::Span<const CommandEntry> Commands();

// The whole program. Returns its exit code.
int Run(int argc, char** argv);

// That a command was called the wrong way: what is told points to its help. "": it was not.
absl::Status Misused(absl::string_view wrong);

}  // namespace onnx_hier::cli

#endif  // ONNX_HIER_TOOLS_CLI_H_
