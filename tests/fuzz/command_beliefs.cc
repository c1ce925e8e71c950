// SPDX-License-Identifier: Apache-2.0
#include "tests/fuzz/command_beliefs.h"

#include <algorithm>
#include <filesystem>

#include "absl/strings/escaping.h"
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "absl/strings/str_split.h"
#include "nlohmann/json.hpp"
#include "onnx_hier_program/text.h"
#include "tests/fuzz/scene.h"
#include "tests/support/temp_folder.h"
#include "tools/cli/program.h"

namespace onnx_hier::fuzz {
namespace {

// Under the sanitizers, of models of at most some hundred kilobytes.
constexpr double kMostSeconds = 20;
// SECURITY.md: whatever the counts of nodes and modules are.
constexpr uint64_t kMostTimes = 1500;
constexpr uint64_t kMostTimesBase = 1 << 20;
constexpr size_t kShown = 600;

bool Has(const std::vector<std::string>& words, absl::string_view word) {
  return std::find(words.begin(), words.end(), word) != words.end();
}

// Each line may go to a terminal.
bool IsSafe(absl::string_view text) {
  for (absl::string_view line : absl::StrSplit(text, '\n')) {
    if (SafeForTerminal(line) != line) return false;
  }
  return true;
}

bool IsJson(absl::string_view text) { return nlohmann::json::accept(text.begin(), text.end()); }

bool AreJsonLines(absl::string_view text) {
  const std::vector<absl::string_view> lines = absl::StrSplit(text, '\n', absl::SkipEmpty());
  return std::all_of(lines.begin(), lines.end(), IsJson);
}

bool PrintsJson(const std::vector<std::string>& words) {
  const bool is_graph = words[0] == "export" && !Has(words, "graphml") && !Has(words, "dot");
  const bool is_shapes = words[0] == "cost" && Has(words, "--values");
  return Has(words, "--json") || Has(words, "json") || Has(words, "trace") || is_graph || is_shapes;
}

// What is wrong with standard output; "" if nothing is.
std::string WrongOutput(const std::vector<std::string>& words, const CommandResult& result) {
  if (Has(words, "--json-lines")) return AreJsonLines(result.out) ? "" : "prints lines of JSON";
  if (PrintsJson(words)) {
    const bool nothing = result.out.empty() && result.code != cli::kDone;
    return nothing || IsJson(result.out) ? "" : "prints JSON";
  }
  // Names for other programs stand in a list as they are.
  if (words[0] == "select" || Has(words, "--olive")) return "";
  return IsSafe(result.out) ? "" : "prints nothing that steers a terminal";
}

// With many models each that fails has its line, and the others their outputs.
bool IsOfMany(const std::vector<std::string>& words) {
  return Has(words, "--files-from") || (words[0] == "tag" && Has(words, "--output-dir"));
}

// Lists what does not match before it fails.
bool TellsMore(const std::vector<std::string>& words) {
  return IsOfMany(words) ||
         (words[0] == "apply" && (Has(words, "--strict") || Has(words, "--verbose")));
}

std::string WrongError(const std::vector<std::string>& words, const CommandResult& result) {
  if (!IsSafe(result.err)) return "says nothing that steers a terminal";
  if (result.code != cli::kFailed || TellsMore(words)) return "";
  const std::vector<absl::string_view> lines = absl::StrSplit(result.err, '\n', absl::SkipEmpty());
  const auto errors = std::count_if(lines.begin(), lines.end(), [](absl::string_view line) {
    return !absl::StartsWith(line, "onnx-hier: warning: ");
  });
  return errors == 1 ? "" : "says one line when it fails";
}

// Whether a file is one of the outputs that the words name, or in a folder that they name.
bool IsNamed(const std::vector<std::string>& words, const std::string& path) {
  return std::any_of(words.begin() + 1, words.end(), [&path](const std::string& word) {
    return path == word || (absl::StartsWith(path, word) && path[word.size()] == '/');
  });
}

std::string WrongFiles(const std::vector<std::string>& words, const CommandResult& result,
                       const FolderState& before, const FolderState& after) {
  for (const auto& [path, contents] : before.files()) {
    const auto found = after.files().find(path);
    if (found == after.files().end()) return absl::StrCat("leaves ", path, " where it is");
    if (found->second != contents) return absl::StrCat("leaves ", path, " as it was");
  }
  for (const auto& [path, contents] : after.files()) {
    if (before.files().contains(path)) continue;
    if (!IsNamed(words, path)) return absl::StrCat("writes no ", path);
    if (result.code == cli::kFailed && !IsOfMany(words))
      return absl::StrCat("writes no ", path, " when it fails");
  }
  const uint64_t read = before.bytes();
  const uint64_t written = after.bytes() - read + result.out.size();
  if (written > kMostTimes * read + kMostTimesBase) return "writes a bounded number of bytes";
  return "";
}

}  // namespace

FolderState::FolderState(const std::string& folder) {
  for (const auto& entry : std::filesystem::recursive_directory_iterator(folder)) {
    if (!entry.is_regular_file()) continue;
    files_[entry.path().string()] = testing::ReadFile(entry.path().string());
  }
}

uint64_t FolderState::bytes() const {
  uint64_t sum = 0;
  for (const auto& [path, contents] : files_) sum += contents.size();
  return sum;
}

void RequireBelieved(Scene& scene, const std::vector<std::string>& words,
                     const CommandResult& result, const FolderState& before) {
  const auto require = [&](const std::string& wrong) {
    Require(
        wrong.empty(),
        absl::StrCat(wrong, "\n  ", absl::CHexEscape(absl::StrJoin(words, " ")), "\n  exit code ",
                     result.code, "\n  out: ", absl::CHexEscape(result.out.substr(0, kShown)),
                     "\n  err: ", absl::CHexEscape(result.err.substr(0, kShown))));
  };
  require(result.code >= cli::kDone && result.code <= cli::kFailed ? "" : "ends with 0, 1 or 2");
  require(WrongOutput(words, result));
  require(WrongError(words, result));
  require(result.seconds <= kMostSeconds ? "" : absl::StrCat("takes no ", result.seconds, " s"));
  require(WrongFiles(words, result, before, FolderState(scene.folder())));
}

}  // namespace onnx_hier::fuzz
