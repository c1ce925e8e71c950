#include "tools/onnx-hier/cli.h"

#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "tools/cli/terminal.h"
#include "tools/onnx-hier/commands.h"
#include "tools/onnx-hier/completion.h"
#include "tools/onnx-hier/help.h"
#include "tools/onnx-hier/version_text.h"

namespace onnx_hier::cli {
namespace {

int RunCommand(const Command& command, const std::vector<std::string>& words) {
  const absl::StatusOr<ParsedFlags> flags = ParseFlags(command.flags, words);
  if (!flags.ok()) return UsageError(command.name, flags.status().message());
  if (flags->Has("help")) return PrintOrFail(CommandHelp(command));
  const int code = command.run(*flags);
  PassOnInterrupt();
  return code;
}

}  // namespace

absl::Span<const Command> Commands() {
  static const Command kCommands[] = {
      TagCommand(),     TreeCommand(),   ExplainCommand(), CheckCommand(),  SelectCommand(),
      ExtractCommand(), SplitCommand(),  FoldCommand(),    UnfoldCommand(), ProfileCommand(),
      ReportCommand(),  ExportCommand(), ApplyCommand(),   DiffCommand(),   StripCommand()};
  return kCommands;
}

int UsageError(absl::string_view command, absl::string_view text) {
  return Fail(absl::StrCat(command, ": ", text, "; see 'onnx-hier ", command, " --help'"));
}

int Run(int argc, char** argv) {
  OccupyStandardStreams();
  CatchInterrupts();
  const std::vector<std::string> words(argv + 1, argv + argc);
  if (words.empty()) {
    Say(ProgramHelp());
    return kFailed;
  }
  const std::string& first = words[0];
  if (first == "--help" || first == "-h" || first == "help") {
    if (words.size() == 1) return PrintOrFail(ProgramHelp());
    if (words.size() == 2 && words[1] == "--man") return PrintOrFail(ManPage());
  }
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
  for (const Command& command : Commands()) {
    if (first == "help" && words.size() > 1 && words[1] == command.name) {
      if (words.size() == 2) return PrintOrFail(CommandHelp(command));
      if (words.size() == 3 && words[2] == "--man") return PrintOrFail(CommandManPage(command));
    }
    if (first == command.name) return RunCommand(command, {words.begin() + 1, words.end()});
  }
  std::vector<absl::string_view> names;
  for (const Command& command : Commands()) names.push_back(command.name);
  const absl::string_view meant = Closest(first, names);
  return Fail(absl::StrCat("there is no command '", first, "'",
                           meant.empty() ? "" : absl::StrCat(" (did you mean '", meant, "'?)"),
                           "; see 'onnx-hier --help'"));
}

}  // namespace onnx_hier::cli
