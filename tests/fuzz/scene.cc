// SPDX-License-Identifier: Apache-2.0
#include "tests/fuzz/scene.h"

#include <filesystem>
#include <optional>
#include <utility>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "nlohmann/json.hpp"
#include "tests/fuzz/command_beliefs.h"
#include "tests/fuzz/text_mutator.h"
#include "tests/fuzz/wire_mutator.h"

namespace onnx_hier::fuzz {
namespace {

constexpr uint64_t kMostChanges = 6;
constexpr uint64_t kMostTextChanges = 5;
constexpr int kKernels = 40;

// What may be made of a model before it is changed.
const std::vector<std::string> kPreparations[] = {
    {"fold", "--min-nodes", "1"},
    {"fold", "--repeated"},
    {"tag", "--metadata", "--no-sidecar"},
    {"tag", "--name-nodes", "--no-sidecar"},
};

std::string Changed(absl::string_view model, testing::Random& random) {
  return MutatedModel(model, random, kMostChanges, MutateText).value_or(std::string(model));
}

std::string ChangedText(std::string text, testing::Random& random) {
  for (uint64_t left = random.Below(kMostTextChanges); left > 0; --left) MutateText(&text, random);
  return text;
}

template <class T>
const T& AnyOf(const std::vector<T>& items, testing::Random& random) {
  return items[random.Below(items.size())];
}

}  // namespace

CommandResult Scene::Run(const std::vector<std::string>& words) {
  const FolderState before(folder());
  CommandResult result = command_line_.Run(words);
  RequireBelieved(*this, words, result, before);
  return result;
}

void Scene::Set(absl::string_view model, testing::Random& random) {
  for (const auto& entry : std::filesystem::directory_iterator(folder())) {
    std::filesystem::remove_all(entry.path());
  }
  modules_.clear();
  nodes_.clear();
  WriteModel(model, random);
  folder_.Write("other.onnx", random.OneIn(3) ? std::string(model) : Changed(model_, random));
  if (random.OneIn(3)) folder_.Write("w.bin", std::string(64, '\0'));
  Run({"tag", *this / "in.onnx", "--sidecar-only", "--sidecar", *this / "own.json", "-q"});
  std::string sidecar = "{}";
  if (std::filesystem::exists(*this / "own.json")) {
    sidecar = testing::ReadFile(*this / "own.json");
    ReadSidecar(sidecar);
  }
  WriteTexts(std::move(sidecar), random);
}

void Scene::WriteModel(absl::string_view model, testing::Random& random) {
  model_ = std::string(model);
  folder_.Write("in.onnx", model_);
  if (!random.OneIn(4)) return;
  std::vector<std::string> words = kPreparations[random.Below(std::size(kPreparations))];
  words.insert(words.end(), {*this / "in.onnx", "-o", *this / "made.onnx", "-q", "--no-sync"});
  if (Run(words).code == 2) return;
  model_ = Changed(testing::ReadFile(*this / "made.onnx"), random);
  folder_.Write("in.onnx", model_);
  std::filesystem::remove(*this / "made.onnx");
}

void Scene::ReadSidecar(const std::string& text) {
  const nlohmann::json json = nlohmann::json::parse(text, nullptr, false);
  Require(json.is_object(), "a sidecar is JSON");
  for (const nlohmann::json& module : json["modules"]) modules_.push_back(module["path"]);
  for (const nlohmann::json& node : json["nodes"]) {
    nodes_.push_back(node["id"]);
    nodes_.push_back(node["name"]);
  }
}

void Scene::WriteTexts(std::string sidecar, testing::Random& random) {
  folder_.Write("sidecar.json", ChangedText(std::move(sidecar), random));
  folder_.Write("profile", ChangedText(ProfileText(random), random));
  folder_.Write("map.json", ChangedText(ModuleMapText(random), random));
  const std::string rules = RulesText(random);
  folder_.Write("rules.txt", random.OneIn(4) ? ChangedText(rules, random) : rules);
  std::string list = absl::StrCat(*this / "in.onnx", "\n", *this / "other.onnx", "\n");
  if (random.OneIn(2)) list = ChangedText(list, random);
  folder_.Write("list.txt", list);
}

std::string Scene::ProfileText(testing::Random& random) const {
  const bool as_json = random.OneIn(2);
  nlohmann::json events = nlohmann::json::array();
  std::string table = random.OneIn(2) ? "name,time_us\n" : "name;type;realTime (ms)\n";
  for (int i = 0; i < kKernels; ++i) {
    const std::string name = nodes_.empty() || random.OneIn(8) ? "made up" : AnyOf(nodes_, random);
    events.push_back({{"cat", "Node"},
                      {"ph", "X"},
                      {"ts", 100 * i},
                      {"dur", random.Below(1000)},
                      {"name", name + "_kernel_time"},
                      {"args", {{"op_name", "Relu"}, {"node_index", absl::StrCat(i)}}}});
    const bool csv = absl::StartsWith(table, "name,");
    absl::StrAppend(&table, "\"", name, csv ? "\"," : "\";Relu;", random.Below(1000), "\n");
  }
  const auto replace = nlohmann::json::error_handler_t::replace;
  return as_json ? events.dump(-1, ' ', false, replace) : table;
}

std::string Scene::ModuleMapText(testing::Random& random) const {
  nlohmann::json map = {{"", "net.Root"}};
  for (const std::string& module : modules_) {
    std::string name = module.substr(1);
    for (char& c : name) c = c == '/' ? '.' : c;
    map[name] = random.OneIn(2) ? "torch.nn.modules.linear.Linear" : "net.Block";
  }
  return map.dump(-1, ' ', false, nlohmann::json::error_handler_t::replace);
}

std::string Scene::RulesText(testing::Random& random) const {
  const auto one_of = [&random](const std::vector<std::string>& words) {
    return words.empty() || random.OneIn(6) ? std::string("made.up") : AnyOf(words, random);
  };
  std::string text;
  for (size_t i = random.Below(6); i < 6; ++i) {
    const std::string lines[] = {
        absl::StrCat("owner ", one_of(nodes_), " = ", one_of(modules_)),
        absl::StrCat("owner ", one_of(modules_), " = ", one_of(modules_)),
        absl::StrCat("rename ", one_of(modules_), " = ", one_of(modules_)),
        "rename *.* = *.list.*",
        absl::StrCat("boundary ", one_of(modules_)),
        absl::StrCat("major ", one_of(modules_)),
        absl::StrCat("least ", one_of(modules_), " = .9"),
        absl::StrCat("nodes ", one_of(modules_), " <= 3"),
        absl::StrCat("no-op ", one_of(modules_), " Relu"),
        absl::StrCat("precision ", one_of(modules_), " float32"),
        absl::StrCat("unchanged ", one_of(modules_)),
        "coverage >= .9 at .9",
    };
    absl::StrAppend(&text, lines[random.Below(std::size(lines))], "\n");
  }
  return text;
}

}  // namespace onnx_hier::fuzz
