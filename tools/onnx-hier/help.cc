#include "tools/onnx-hier/help.h"

#include <algorithm>

#include "absl/strings/ascii.h"
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_replace.h"
#include "onnx_hier/onnx_hier.h"

namespace onnx_hier::cli {
namespace {

constexpr char kSummary[] = "which module of my model does this ONNX node belong to?";
constexpr char kExitCodes[] =
    "0  done, nothing found\n"
    "1  a check found something, a selection nothing\n"
    "2  it could not be done: wrong usage, an unreadable or damaged file, no room\n";

std::string FlagNames(const Flag& flag) {
  return absl::StrCat(
      flag.letter == 0 ? "    " : absl::StrCat("-", std::string(1, flag.letter), ", "), "--",
      flag.name, flag.value_name == nullptr ? "" : " ",
      flag.value_name == nullptr ? "" : flag.value_name);
}

std::string Padded(std::string text, size_t width) {
  text.resize(std::max(text.size(), width), ' ');
  return text;
}

// Text for roff: no line may start with a control character, no backslash or hyphen is special.
std::string Roff(absl::string_view text) {
  std::string out = absl::StrReplaceAll(text, {{"\\", "\\e"}, {"-", "\\-"}});
  if (absl::StartsWith(out, ".") || absl::StartsWith(out, "'")) out.insert(0, "\\&");
  return out;
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
                  "'onnx-hier --version' the version.\n\nExit codes:\n");
  for (absl::string_view rest = kExitCodes; !rest.empty();) {
    const size_t end = rest.find('\n');
    absl::StrAppend(&text, "  ", rest.substr(0, end), "\n");
    rest.remove_prefix(end + 1);
  }
  return text;
}

std::string CommandHelp(const Command& command) {
  std::string text = absl::StrCat("onnx-hier ", command.name, " - ", command.summary,
                                  "\n\nUsage: onnx-hier ", command.name, " ", command.arguments,
                                  " [OPTION]...\n\n", command.description, "\n\nOptions:\n");
  size_t width = 0;
  for (const Flag& flag : command.flags) width = std::max(width, FlagNames(flag).size());
  for (const Flag& flag : command.flags) {
    absl::StrAppend(&text, "  ", Padded(FlagNames(flag), width + 2), flag.help, "\n");
  }
  absl::StrAppend(&text, "\nExamples:\n");
  for (const Example& example : command.examples) {
    absl::StrAppend(&text, "  ", example.command, "\n      ", example.effect, "\n");
  }
  return text;
}

std::string ManPage() {
  std::string text = absl::StrCat(".TH ONNX\\-HIER 1 \"\" \"onnx\\-hier ", Version(),
                                  "\" \"User Commands\"\n.SH NAME\nonnx\\-hier \\- ",
                                  Roff(kSummary), "\n.SH SYNOPSIS\n");
  for (const Command& command : Commands()) {
    absl::StrAppend(&text, ".B onnx\\-hier ", command.name, "\n", Roff(command.arguments),
                    " [OPTION]...\n.br\n");
  }
  for (const Command& command : Commands()) {
    absl::StrAppend(&text, ".SH ", absl::AsciiStrToUpper(command.name), "\n", Roff(command.summary),
                    ".\n.PP\n", Roff(command.description), "\n");
    for (const Flag& flag : command.flags) {
      absl::StrAppend(&text, ".TP\n.B ", Roff(absl::StripAsciiWhitespace(FlagNames(flag))), "\n",
                      Roff(flag.help), "\n");
    }
    absl::StrAppend(&text, ".PP\nExamples:\n");
    for (const Example& example : command.examples) {
      absl::StrAppend(&text, ".TP\n.B ", Roff(example.command), "\n", Roff(example.effect), "\n");
    }
  }
  absl::StrAppend(&text, ".SH EXIT STATUS\n.nf\n", Roff(kExitCodes), ".fi\n");
  return text;
}

}  // namespace onnx_hier::cli
