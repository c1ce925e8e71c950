// SPDX-License-Identifier: Apache-2.0
#include "tools/fit-weights/corpus.h"

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <unordered_map>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/string_view.h"
#include "absl/strings/strip.h"
#include "lib/base/hash.h"
#include "lib/owners/features.h"
#include "nlohmann/json.hpp"

namespace onnx_hier::fit {
namespace {

using Json = nlohmann::json;

std::string NodeIdOf(const Json& path) {
  std::string id;
  for (const Json& step : path) {
    if (!id.empty()) id += '/';
    id += step.is_string() ? step.get<std::string>() : step.dump();
  }
  return id;
}

std::vector<std::string> NamesOf(const std::string& module, const Json& truth) {
  const auto aliases = truth.find("aliases");
  if (aliases != truth.end() && aliases->is_array()) {
    for (const Json& group : *aliases) {
      auto names = group.get<std::vector<std::string>>();
      if (std::find(names.begin(), names.end(), module) != names.end()) return names;
    }
  }
  return {module};
}

}  // namespace

std::string FamilyOf(const std::string& stem) {
  // Of models that were made for a corpus, the next word says what they are.
  absl::string_view rest = stem;
  // Each draw is a family.
  if (absl::StartsWith(stem, "drawn_")) return stem.substr(0, stem.find('.'));
  for (const char* made : {"own_", "2_", "3_"}) absl::ConsumePrefix(&rest, made);
  return stem.substr(0, stem.find_first_of("_0123456789", stem.size() - rest.size()));
}

std::vector<std::string> StemsIn(const std::string& folder, const std::string& ending) {
  std::vector<std::string> stems;
  for (const auto& entry : std::filesystem::directory_iterator(folder)) {
    const std::filesystem::path& path = entry.path();
    if (path.extension() != ".onnx") continue;
    const std::string stem = path.stem();
    if (std::filesystem::exists(path.parent_path() / (stem + ending))) stems.push_back(stem);
  }
  std::sort(stems.begin(), stems.end());
  return stems;
}

absl::StatusOr<std::vector<KnownExport>> ReadExports(const std::string& folder) {
  const std::string ending = ".truth.json";
  std::vector<KnownExport> exports;
  for (const std::string& stem : StemsIn(folder, ending)) {
    absl::StatusOr<Model> model = Model::Open(absl::StrCat(folder, "/", stem, ".onnx"));
    if (!model.ok()) return model.status();
    std::ifstream file(absl::StrCat(folder, "/", stem, ending));
    const Json truth = Json::parse(file);
    std::unordered_map<std::string, std::vector<std::string>> owners;
    for (const Json& node : truth.at("nodes")) {
      if (!node.at("module").is_string()) continue;
      std::vector<std::string>& names = owners[NodeIdOf(node.at("path"))];
      names = NamesOf(node.at("module"), truth);
      for (const Json& module : node.value("accept", Json::array())) names.push_back(module);
    }
    KnownExport known{stem, FamilyOf(stem), *std::move(model), {}};
    const Graph& graph = known.model.graph();
    for (NodeId id : graph.node_ids()) {
      known.owners.push_back(std::move(owners[graph.NodePath(id)]));
    }
    exports.push_back(std::move(known));
  }
  return exports;
}

Scene MakeScene(const KnownExport& source, const Setting& setting, uint64_t seed) {
  const auto [percent, run] = setting;
  Scene scene;
  scene.source = &source;
  scene.setting = absl::StrCat(percent, run > 1 ? " in runs" : "");
  const Graph& original = source.model.graph();
  scene.masked = RandomMask(original.node_count(), percent, run,
                            MixHash(HashBytes(source.name), MixHash(seed, percent + 1000 * run)));
  scene.graph = std::make_unique<MaskedGraph>(original, scene.masked);
  scene.readable = std::make_unique<ReadableGraph>(scene.graph->graph());
  const Graph& graph = scene.readable->graph();
  scene.evidence = CollectEvidence(graph, {}, scene.paths);
  scene.analysis = std::make_unique<GraphAnalysis>(graph);
  for (const std::vector<std::string>& names : source.owners) {
    scene.owners.emplace_back();
    for (const std::string& name : names) scene.owners.back().push_back(scene.paths.Parse(name));
  }
  return scene;
}

Verdict Compare(PathId path, const std::vector<PathId>& owners, const ModulePaths& paths,
                bool* cross) {
  *cross = false;
  for (PathId owner : owners) {
    if (path == owner) return Verdict::kExact;
  }
  bool parted = false;
  for (PathId owner : owners) {
    if (paths.Contains(path, owner)) return Verdict::kAncestor;
    if (paths.Contains(owner, path)) return Verdict::kDeeper;
    parted = RelationOf(path, owner, paths) == Relation::kOtherNumber;
  }
  *cross = parted;
  return Verdict::kWrong;
}

}  // namespace onnx_hier::fit
