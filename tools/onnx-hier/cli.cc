// SPDX-License-Identifier: Apache-2.0
#include "tools/onnx-hier/cli.h"

#include <string>
#include <vector>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "tools/cli/terminal.h"
#include "tools/onnx-hier/commands.h"
#include "tools/onnx-hier/completion.h"
#include "tools/onnx-hier/files_read.h"
#include "tools/onnx-hier/help.h"
#include "tools/onnx-hier/mistaken_files.h"
#include "tools/onnx-hier/unknown_command.h"
#include "tools/onnx-hier/version_text.h"

namespace onnx_hier::cli {
namespace {

// Marks errors that point to a command's help; what it holds says nothing.
constexpr char kMisused[] = "misused";

int Refuse(const CommandEntry& entry, absl::string_view text) {
  return Fail(absl::StrCat(entry.name, ": ", text, "; see 'onnx-hier ", entry.name, " --help'"));
}

int RunCommand(const CommandEntry& entry, const std::vector<std::string>& words) {
  const absl::StatusOr<ParsedFlags> flags = ParseFlags(entry.flags, words);
  if (!flags.ok()) {
    // Patterns of modules are words of such a command.
    const bool is_module = absl::StrContains(flags.status().message(), "'--module'") &&
                           absl::StrContains(entry.arguments, "PATTERN");
    return Refuse(entry, is_module ? "unknown option '--module': name modules behind the model"
                                   : flags.status().message());
  }
  if (flags->Has("help")) return PrintOrFail(CommandHelp(entry));
  if (const std::string wrong = MistakenFiles(entry, *flags); !wrong.empty()) {
    return Refuse(entry, wrong);
  }
  ForgetFilesRead();
  const std::unique_ptr<Command> command = entry.make(*flags);
  if (absl::Status status = command->Setup(); !status.ok()) return Refuse(entry, status.message());
  const absl::StatusOr<int> code = command->Run();
  PassOnInterrupt();
  if (code.ok()) return *code;
  if (absl::IsCancelled(code.status())) return Interrupted() ? kFailed : kDone;
  return code.status().GetPayload(kMisused) ? Refuse(entry, code.status().message())
                                            : Fail(code.status().message());
}

// `words` are what follows "help".
int Help(const std::vector<std::string>& words) {
  if (words.empty()) return PrintOrFail(ProgramHelp());
  const bool as_page = words.back() == "--man";
  if (words.size() == 1 && as_page) return PrintOrFail(ManPage());
  for (const CommandEntry& command : Commands()) {
    if (words[0] != command.name) continue;
    if (words.size() == 1) return PrintOrFail(CommandHelp(command));
    if (words.size() == 2 && as_page) return PrintOrFail(CommandManPage(command));
    return Fail("help: name one command");
  }
  const bool is_other = words[0] == "help" || words[0] == "version" || words[0] == "completion";
  return is_other ? PrintOrFail(ProgramHelp()) : Fail(UnknownCommand(words));
}

}  // namespace

absl::Span<const CommandEntry> Commands() {
  static const CommandEntry kCommands[] = {
      TagCommand(),     TreeCommand(),   ExplainCommand(), CheckCommand(),  SelectCommand(),
      ExtractCommand(), SplitCommand(),  FoldCommand(),    UnfoldCommand(), ProfileCommand(),
      CostCommand(),    ReportCommand(), ExportCommand(),  ApplyCommand(),  DiffCommand(),
      WeightsCommand(), StripCommand(),  PlaceCommand(),   ProbeCommand(),  NumericsCommand()};
  return kCommands;
}

absl::Status Misused(absl::string_view wrong) {
  if (wrong.empty()) return absl::OkStatus();
  absl::Status status = absl::InvalidArgumentError(wrong);
  status.SetPayload(kMisused, absl::Cord());
  return status;
}

int Run(int argc, char** argv) {
  OccupyStandardStreams();
  OutliveFailedWrites();
  const std::vector<std::string> words(argv + 1, argv + argc);
  if (words.empty()) {
    Say(ProgramHelp());
    return kFailed;
  }
  const std::string& first = words[0];
  if (first == "--help" || first == "-h" || first == "help")
    return Help({words.begin() + 1, words.end()});
  if (first == "--version" || first == "-V" || first == "version") {
    if (words.size() == 1) return PrintOrFail(VersionText());
    if (words.size() == 2 && words[1] == "--json") return PrintOrFail(VersionJson());
    return Fail(absl::StrCat(first, " goes with --json and nothing else"));
  }
  if (first == "completion") {
    const std::string script = words.size() == 2 ? CompletionFor(words[1]) : "";
    return script.empty() ? Fail("completion: name one shell: bash, zsh or fish")
                          : PrintOrFail(script);
  }
  for (const CommandEntry& command : Commands()) {
    if (first == command.name) return RunCommand(command, {words.begin() + 1, words.end()});
  }
  return Fail(UnknownCommand(words));
}

}  // namespace onnx_hier::cli
