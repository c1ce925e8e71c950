#include "tools/onnx-hier/help.h"

#include "absl/strings/str_cat.h"
#include "tools/cli/help_text.h"

namespace onnx_hier::cli {
namespace {

constexpr char kSummary[] = "which module of my model does this ONNX node belong to?";
constexpr char kExitCodes[] =
    "0  done, nothing found\n"
    "1  a check found something, a selection nothing\n"
    "2  it could not be done: wrong usage, an unreadable or damaged file, no room\n";

HelpPage PageOf(const Command& command) {
  return {absl::StrCat("onnx-hier ", command.name),
          command.arguments,
          command.summary,
          command.description,
          command.flags,
          command.examples};
}

}  // namespace

std::string ProgramHelp() {
  std::string text =
      absl::StrCat("onnx-hier - ", kSummary, "\n\nUsage: onnx-hier COMMAND ...\n\n", "Commands:\n");
  for (const Command& command : Commands()) {
    absl::StrAppend(&text, "  ", Padded(command.name, 9), command.summary, "\n");
  }
  absl::StrAppend(&text,
                  "\n'onnx-hier COMMAND --help' shows a command's options and examples; "
                  "'onnx-hier --version' the version.\n"
                  "'onnx-hier completion SHELL' prints completions for bash, zsh or fish.\n\n"
                  "Exit codes:\n",
                  Indented(kExitCodes));
  return text;
}

std::string CommandHelp(const Command& command) { return HelpText(PageOf(command)); }

std::string ManPage() {
  std::string text = absl::StrCat(ManHead("onnx-hier", kSummary), ".B ", Roff("onnx-hier"),
                                  "\nCOMMAND ...\n.SH COMMANDS\nEach has a page of its own.\n");
  for (const Command& command : Commands()) {
    absl::StrAppend(&text, ".TP\n.BR ", Roff(absl::StrCat("onnx-hier-", command.name)), " (1)\n",
                    Roff(command.summary), "\n");
  }
  return text + ManExitStatus(kExitCodes);
}

std::string CommandManPage(const Command& command) {
  const HelpPage page = PageOf(command);
  return absl::StrCat(ManHead(absl::StrCat("onnx-hier-", command.name), command.summary),
                      ManSynopsis(page), ".SH DESCRIPTION\n", Roff(command.description),
                      "\n.SH OPTIONS\n", ManOptions(page), ManExitStatus(kExitCodes),
                      ".SH SEE ALSO\n.BR ", Roff("onnx-hier"), " (1)\n");
}

}  // namespace onnx_hier::cli
