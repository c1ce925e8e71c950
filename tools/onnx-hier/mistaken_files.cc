// SPDX-License-Identifier: Apache-2.0
#include "tools/onnx-hier/mistaken_files.h"

#include <algorithm>
#include <filesystem>
#include <system_error>
#include <vector>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"

namespace onnx_hier::cli {
namespace {

struct Kind {
  absl::string_view ending;
  absl::string_view what;
};
constexpr Kind kKinds[] = {
    {".onnx", "a model"},  {".json", "JSON"},     {".html", "a page"},     {".htm", "a page"},
    {".dot", "Graphviz"},  {".gv", "Graphviz"},   {".graphml", "GraphML"}, {".csv", "a table"},
    {".svg", "a picture"}, {".png", "a picture"}, {".pdf", "a picture"},   {".txt", "text"},
};

// "" for what may be anything.
absl::string_view KindOf(absl::string_view file) {
  for (const Kind& kind : kKinds) {
    if (absl::EndsWithIgnoreCase(file, kind.ending)) return kind.what;
  }
  return "";
}

bool IsFile(const std::string& path) {
  std::error_code error;  // what cannot be asked for is none
  return std::filesystem::is_regular_file(path, error);
}

// What is read and written in one call is told of as that, whatever it is called.
bool IsNamedElsewhere(const CommandEntry& command, const ParsedFlags& flags, const Flag& flag) {
  namespace fs = std::filesystem;
  const std::string file = flags.Value(flag.name);
  const auto is_same = [&file](const std::string& other) {
    std::error_code error;  // what is not there can be the same by its name alone
    return fs::equivalent(file, other, error) ||
           fs::path(file).lexically_normal() == fs::path(other).lexically_normal();
  };
  const std::vector<std::string>& words = flags.arguments();
  if (std::any_of(words.begin(), words.end(), is_same)) return true;
  return std::any_of(command.flags.begin(), command.flags.end(), [&](const Flag& other) {
    return other.name != flag.name && is_same(flags.Value(other.name));
  });
}

// Of commands that take one model and then something else.
std::string MisplacedModel(const CommandEntry& command, const std::vector<std::string>& words) {
  if (!absl::StartsWith(command.arguments, "IN.onnx ") || words.size() < 2) return "";
  if (words[0] == "-" || absl::EndsWith(words[0], ".onnx") || IsFile(words[0])) return "";
  const auto model = std::find_if(words.begin(), words.end(), [](const std::string& word) {
    return absl::EndsWith(word, ".onnx") && IsFile(word);
  });
  if (model == words.end()) return "";
  return absl::StrCat("the model comes first: 'onnx-hier ", command.name, " ", *model, " ",
                      words[0], "'");
}

// Of commands that take models only.
std::string MisplacedWord(const CommandEntry& command, const std::vector<std::string>& words) {
  const absl::string_view arguments = command.arguments;
  if ((arguments != "IN.onnx" && arguments != "IN.onnx...") || words.size() != 2) return "";
  const std::string& word = words[1];
  if (!absl::EndsWith(words[0], ".onnx") || absl::EndsWith(word, ".onnx") || word == "-") return "";
  const auto belongs_to = [&](absl::string_view flag, absl::string_view what) -> std::string {
    const auto is_flag = [flag](const Flag& each) { return each.name == flag; };
    if (std::none_of(command.flags.begin(), command.flags.end(), is_flag)) return "";
    return absl::StrCat("'", word, "' is ", what, "; a ", flag, " is given so: 'onnx-hier ",
                        command.name, " ", words[0], " --", flag, " ", word, "'");
  };
  const absl::string_view kind = KindOf(word);
  if (IsFile(word)) {
    return kind == "JSON" || kind == "a table" ? belongs_to("profile", "no model") : "";
  }
  const bool may_be_module = kind.empty() && word.find_first_of("*?[:\\") == std::string::npos;
  return may_be_module && !std::filesystem::exists(word) ? belongs_to("module", "no file") : "";
}

}  // namespace

std::string WrongEnding(absl::string_view flag, absl::string_view file, absl::string_view ending) {
  const absl::string_view kind = KindOf(file);
  const absl::string_view wanted = KindOf(ending);
  if (kind.empty() || kind == wanted) return "";
  return absl::StrCat("--", flag, " writes ", wanted, ", and '", file, "' ends as ", kind,
                      " does: end it in '", ending, "'");
}

std::string MistakenFiles(const CommandEntry& command, const ParsedFlags& flags) {
  if (std::string wrong = MisplacedModel(command, flags.arguments()); !wrong.empty()) return wrong;
  if (std::string wrong = MisplacedWord(command, flags.arguments()); !wrong.empty()) return wrong;
  for (const Flag& flag : command.flags) {
    if (flag.ending == nullptr) continue;
    const std::string file = flags.Value(flag.name);
    std::string wrong = WrongEnding(flag.name, file, flag.ending);
    if (wrong.empty() || IsNamedElsewhere(command, flags, flag)) continue;
    for (const Flag& other : command.flags) {
      if (other.ending == nullptr || KindOf(other.ending) != KindOf(file)) continue;
      absl::StrAppend(&wrong, "; --", other.name, " writes ", KindOf(other.ending));
    }
    return wrong;
  }
  return "";
}

}  // namespace onnx_hier::cli
