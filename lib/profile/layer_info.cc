// SPDX-License-Identifier: Apache-2.0
#include <string>
#include <utility>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "absl/strings/str_split.h"
#include "absl/strings/strip.h"
#include "lib/base/parsed_json.h"
#include "nlohmann/json.hpp"
#include "onnx_hier/profile.h"

namespace onnx_hier {
namespace {

using Json = nlohmann::json;

// "[ONNX Layer: /fc/MatMul]\x1e[ONNX Layer: /fc/Add]"
std::vector<std::string> NodesIn(absl::string_view metadata) {
  std::vector<std::string> nodes;
  for (absl::string_view part : absl::StrSplit(metadata, '\x1e')) {
    if (!absl::ConsumePrefix(&part, "[ONNX Layer: ") || !absl::ConsumeSuffix(&part, "]")) continue;
    nodes.emplace_back(part);
  }
  return nodes;
}

const std::string* TextAt(const Json& object, const char* key) {
  const auto found = object.find(key);
  return found == object.end() ? nullptr : found->get_ptr<const std::string*>();
}

}  // namespace

absl::Status AddLayerInfo(absl::string_view text, Profile& profile) {
  const Json json = ParsedJson(text);
  const auto layers = json.is_object() ? json.find("Layers") : json.end();
  if (!json.is_object() || layers == json.end() || !layers->is_array()) {
    return absl::InvalidArgumentError("is no layer information of TensorRT: it has no \"Layers\"");
  }
  absl::flat_hash_map<std::string, std::vector<std::string>> nodes;
  for (const Json& layer : *layers) {
    const std::string* name = layer.is_object() ? TextAt(layer, "Name") : nullptr;
    const std::string* metadata = layer.is_object() ? TextAt(layer, "Metadata") : nullptr;
    if (name != nullptr && metadata != nullptr) nodes[*name] = NodesIn(*metadata);
  }
  if (nodes.empty()) {
    return absl::InvalidArgumentError(
        "says nothing of nodes: build the engine with --profilingVerbosity=detailed");
  }
  for (Kernel& kernel : profile.kernels) {
    const auto found = nodes.find(kernel.name);
    if (found != nodes.end()) kernel.nodes = found->second;
  }
  return absl::OkStatus();
}

}  // namespace onnx_hier
