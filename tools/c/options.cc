// SPDX-License-Identifier: Apache-2.0
#include "tools/c/options.h"

#include <algorithm>
#include <utility>

#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "absl/strings/str_split.h"
#include "onnx_hier/module_paths.h"
#include "onnx_hier_program/tasks.h"
#include "tools/c/calls.h"

namespace onnx_hier::c {
namespace {

absl::string_view ValueOf(const onnx_hier_option& option) { return {option.value, option.size}; }

}  // namespace

Options::Options(const onnx_hier_option* given, size_t count,
                 std::initializer_list<absl::string_view> known)
    : given_(given), count_(count) {
  for (size_t i = 0; i < count_; ++i) {
    if (std::find(known.begin(), known.end(), given_[i].name) != known.end()) continue;
    status_ = absl::InvalidArgumentError(absl::StrCat(
        "there is no option '", given_[i].name, "' here; known: ", absl::StrJoin(known, ", ")));
    return;
  }
}

const onnx_hier_option* Options::Find(absl::string_view name) const {
  for (size_t i = count_; i > 0; --i) {
    if (name == given_[i - 1].name) return &given_[i - 1];
  }
  return nullptr;
}

void Options::Fail(absl::string_view name, absl::string_view wanted) {
  if (!status_.ok()) return;
  status_ = absl::InvalidArgumentError(
      absl::StrCat(name, " is ", wanted, ", not '", ValueOf(*Find(name)), "'"));
}

std::string Options::Text(absl::string_view name) const {
  const onnx_hier_option* const option = Find(name);
  return option == nullptr ? "" : std::string(ValueOf(*option));
}

std::vector<std::string> Options::Texts(absl::string_view name) const {
  std::vector<std::string> texts;
  for (size_t i = 0; i < count_; ++i) {
    if (name == given_[i].name) texts.emplace_back(ValueOf(given_[i]));
  }
  return texts;
}

std::string Options::Path(absl::string_view name) {
  std::string path = Text(name);
  if (path.find('\0') != std::string::npos) Fail(name, "a path, which holds no null character");
  return path;
}

bool Options::Flag(absl::string_view name, bool usual) {
  const onnx_hier_option* const option = Find(name);
  if (option == nullptr) return usual;
  const absl::string_view value = ValueOf(*option);
  if (value != "0" && value != "1") Fail(name, "1 or 0");
  return value == "1";
}

std::optional<uint64_t> Options::Number(absl::string_view name, uint64_t most) {
  const onnx_hier_option* const option = Find(name);
  if (option == nullptr) return std::nullopt;
  uint64_t number = 0;
  if (!absl::SimpleAtoi(ValueOf(*option), &number) || number > most) {
    Fail(name, absl::StrCat("a number from 0 to ", most));
  }
  return number;
}

std::optional<double> Options::Real(absl::string_view name, double most) {
  const onnx_hier_option* const option = Find(name);
  if (option == nullptr) return std::nullopt;
  double number = 0;
  if (!absl::SimpleAtod(ValueOf(*option), &number) || !(number >= 0 && number <= most)) {
    Fail(name, absl::StrCat("a number from 0 to ", most));
  }
  return number;
}

std::vector<uint32_t> Options::Numbers(absl::string_view name, size_t things) {
  std::vector<uint32_t> numbers;
  const onnx_hier_option* const option = Find(name);
  if (option == nullptr) return numbers;
  for (absl::string_view word : absl::StrSplit(ValueOf(*option), ' ', absl::SkipEmpty())) {
    uint32_t number = 0;
    if (!absl::SimpleAtoi(word, &number) || number >= things) {
      Fail(name, absl::StrCat("numbers below ", things, " with spaces between them"));
      return {};
    }
    numbers.push_back(number);
  }
  return numbers;
}

size_t Options::Word(absl::string_view name, std::initializer_list<absl::string_view> words) {
  const onnx_hier_option* const option = Find(name);
  if (option == nullptr) return 0;
  const auto* const found = std::find(words.begin(), words.end(), ValueOf(*option));
  if (found != words.end()) return static_cast<size_t>(found - words.begin());
  Fail(name, absl::StrJoin(words, ", "));
  return 0;
}

absl::StatusOr<std::vector<ModuleId>> ModulesMeant(const Hierarchy& hierarchy, Options& options) {
  std::vector<uint32_t> numbers = options.Numbers("modules", hierarchy.modules().size());
  if (!options.status().ok()) return options.status();
  if (const std::vector<std::string> patterns = options.Texts("pattern"); !patterns.empty()) {
    const absl::StatusOr<std::vector<ModuleId>> found = FindModules(hierarchy, patterns);
    if (absl::IsNotFound(found.status())) return NoModuleError(found.status().message());
    if (!found.ok()) return found.status();
    for (ModuleId module : *found) numbers.push_back(module.index());
  }
  return std::vector<ModuleId>(numbers.begin(), numbers.end());
}

absl::StatusOr<AnnotateOptions> AnnotateOptionsOf(Options& options) {
  AnnotateOptions annotate;
  annotate.least_containment = static_cast<float>(options.Real("min_confidence", 1).value_or(0));
  const std::string path = options.Path("module_map");
  if (!options.status().ok()) return options.status();
  if (!path.empty()) {
    absl::StatusOr<ModuleMap> map = ReadModuleMap(path);
    if (!map.ok()) return About(path, map.status());
    annotate.module_map = *std::move(map);
  }
  if (const std::vector<std::string> files = options.Texts("checkpoint"); !files.empty()) {
    absl::StatusOr<Checkpoint> checkpoint = Checkpoint::Open(files);
    if (!checkpoint.ok()) return checkpoint.status();
    annotate.checkpoint = std::make_shared<const Checkpoint>(*std::move(checkpoint));
  }
  if (options.Has("rules")) {
    absl::StatusOr<UserRules> rules = ReadUserRules(options.Text("rules"), "rules");
    if (!rules.ok()) return About("rules", rules.status());
    annotate.rules = std::make_shared<const UserRules>(*std::move(rules));
  }
  return annotate;
}

}  // namespace onnx_hier::c
