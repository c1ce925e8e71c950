// SPDX-License-Identifier: Apache-2.0
#include "tools/cli/help_text.h"

#include <algorithm>

#include "absl/strings/ascii.h"
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_replace.h"
#include "onnx_hier/version.h"

namespace onnx_hier::cli {
namespace {

std::string FlagNames(const Flag& flag) {
  return absl::StrCat(
      flag.letter == 0 ? "    " : absl::StrCat("-", std::string(1, flag.letter), ", "), "--",
      flag.name, flag.value_name == nullptr ? "" : " ",
      flag.value_name == nullptr ? "" : flag.value_name,
      flag.words == nullptr ? "" : absl::StrCat("[=", flag.words, "]"));
}

}  // namespace

std::string Padded(std::string text, size_t width) {
  text.resize(std::max(text.size(), width), ' ');
  return text;
}

std::string Indented(absl::string_view lines) {
  std::string text;
  while (!lines.empty()) {
    const size_t end = lines.find('\n');
    absl::StrAppend(&text, "  ", lines.substr(0, end), "\n");
    lines.remove_prefix(end + 1);
  }
  return text;
}

std::string HelpText(const HelpPage& page) {
  std::string text =
      absl::StrCat(page.name, " - ", page.summary, "\n\nUsage: ", page.name, " ", page.arguments,
                   " [OPTION]...\n\n", page.description, "\n\nOptions:\n");
  size_t width = 0;
  for (const Flag& flag : page.flags) width = std::max(width, FlagNames(flag).size());
  for (const Flag& flag : page.flags) {
    absl::StrAppend(&text, "  ", Padded(FlagNames(flag), width + 2), flag.help, "\n");
  }
  absl::StrAppend(&text, "\nExamples:\n");
  for (const Example& example : page.examples) {
    absl::StrAppend(&text, "  ", example.command, "\n      ", example.effect, "\n");
  }
  return text;
}

std::string Roff(absl::string_view text) {
  std::string out = absl::StrReplaceAll(
      text, {{"\\", "\\e"}, {"-", "\\-"}, {"\n.", "\n\\&."}, {"\n'", "\n\\&'"}});
  if (absl::StartsWith(out, ".") || absl::StartsWith(out, "'")) out.insert(0, "\\&");
  return out;
}

std::string ManHead(absl::string_view program, absl::string_view summary) {
  return absl::StrCat(".TH ", Roff(absl::AsciiStrToUpper(program)), " 1 \"\" \"", Roff("onnx-hier"),
                      " ", kVersion, "\" \"User Commands\"\n.SH NAME\n", Roff(program), " \\- ",
                      Roff(summary), "\n.SH SYNOPSIS\n");
}

std::string ManSynopsis(const HelpPage& page) {
  return absl::StrCat(".B ", Roff(page.name), "\n", Roff(page.arguments), " [OPTION]...\n.br\n");
}

std::string ManOptions(const HelpPage& page) {
  std::string text;
  for (const Flag& flag : page.flags) {
    absl::StrAppend(&text, ".TP\n.B ", Roff(absl::StripAsciiWhitespace(FlagNames(flag))), "\n",
                    Roff(flag.help), "\n");
  }
  absl::StrAppend(&text, ".PP\nExamples:\n");
  for (const Example& example : page.examples) {
    absl::StrAppend(&text, ".TP\n.B ", Roff(example.command), "\n", Roff(example.effect), "\n");
  }
  return text;
}

std::string ManExitStatus(absl::string_view lines) {
  return absl::StrCat(".SH EXIT STATUS\n.nf\n", Roff(lines), ".fi\n");
}

}  // namespace onnx_hier::cli
