// SPDX-License-Identifier: Apache-2.0
#include "tools/onnx-hier/unknown_command.h"

#include <algorithm>
#include <filesystem>
#include <system_error>
#include <vector>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "onnx_hier_program/text.h"
#include "tools/onnx-hier/cli.h"

namespace onnx_hier::cli {
namespace {

// What other programs call what a command here does.
struct OtherWord {
  absl::string_view typed;
  absl::string_view meant;
};
constexpr OtherWord kOtherWords[] = {
    {"-?", "--help"},       {"-v", "--version"},   {"annotate", "tag"},
    {"compare", "diff"},    {"cut", "split"},      {"dot", "export"},
    {"find", "select"},     {"html", "report"},    {"info", "tree"},
    {"inline", "unfold"},   {"label", "tag"},      {"lint", "check"},
    {"list", "tree"},       {"ls", "tree"},        {"nodes", "select"},
    {"partition", "split"}, {"repair", "check"},   {"show", "tree"},
    {"stat", "tree"},       {"stats", "tree"},     {"submodel", "extract"},
    {"summary", "tree"},    {"time", "profile"},   {"transfer", "apply"},
    {"untag", "strip"},     {"validate", "check"}, {"verify", "onnx-hier-verify"},
    {"view", "report"},     {"why", "explain"},
};

bool IsCommand(absl::string_view word) {
  return std::any_of(Commands().begin(), Commands().end(),
                     [word](const CommandEntry& command) { return word == command.name; });
}

// The command that was probably meant, or "".
absl::string_view Meant(absl::string_view typed) {
  for (const OtherWord& other : kOtherWords) {
    if (typed == other.typed) return other.meant;
  }
  std::vector<absl::string_view> names = {"--help", "--version", "completion", "help"};
  for (const CommandEntry& command : Commands()) names.push_back(command.name);
  return Closest(typed, names);
}

std::string ToDoWithFile(absl::Span<const std::string> words) {
  if (words.size() > 1 && IsCommand(words[1])) {
    return absl::StrCat("'", words[0], "' stands before the command: say 'onnx-hier ", words[1],
                        " ", words[0], "'");
  }
  return absl::StrCat("'", words[0],
                      "' names a file: say what to do with it, as in 'onnx-hier tree ", words[0],
                      "'; 'onnx-hier --help' lists the commands");
}

}  // namespace

std::string UnknownCommand(absl::Span<const std::string> words) {
  const std::string& typed = words[0];
  const absl::string_view meant = Meant(typed);
  std::error_code error;  // what cannot be asked for is no file
  if (absl::EndsWith(typed, ".onnx") ||
      (meant.empty() && std::filesystem::is_regular_file(typed, error))) {
    return ToDoWithFile(words);
  }
  if (absl::StartsWith(typed, "-")) {
    const auto command = std::find_if(words.begin(), words.end(), IsCommand);
    if (command != words.end()) {
      return absl::StrCat("'", typed, "' stands before the command: say 'onnx-hier ", *command,
                          " ... ", typed, "'");
    }
  }
  return absl::StrCat("there is no command '", typed, "'",
                      meant.empty() ? "" : absl::StrCat(" (did you mean '", meant, "'?)"),
                      "; see 'onnx-hier --help'");
}

}  // namespace onnx_hier::cli
