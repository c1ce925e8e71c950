// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <map>
#include <string>
#include <tuple>
#include <vector>

#include "absl/container/flat_hash_set.h"
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "absl/strings/string_view.h"
#include "lib/files/file_place.h"
#include "lib/names/parameter_name.h"
#include "onnx_hier/checkpoint.h"
#include "onnx_hier/graph.h"
#include "onnx_hier/weights.h"

namespace onnx_hier {
namespace {

// Of one whose place is not surer, the name is none to go by.
constexpr double kLeastProbability = 0.5;

// What names begin with in the model and in the checkpoint, and are alike behind.
struct NameFronts {
  std::string model;
  std::string checkpoint;
  bool operator<(const NameFronts& other) const {
    return std::tie(model, checkpoint) < std::tie(other.model, other.checkpoint);
  }
};

NameFronts FrontsOf(absl::string_view in_model, absl::string_view in_checkpoint) {
  size_t alike = 0;  // behind the last dot before which they differ
  size_t length = 0;
  while (length < std::min(in_model.size(), in_checkpoint.size()) &&
         in_model[in_model.size() - 1 - length] ==
             in_checkpoint[in_checkpoint.size() - 1 - length]) {
    ++length;
    const auto ends = [length](absl::string_view name) {
      return length == name.size() || name[name.size() - 1 - length] == '.';
    };
    if (ends(in_model) && ends(in_checkpoint)) alike = length;
  }
  return {std::string(in_model.substr(0, in_model.size() - alike)),
          std::string(in_checkpoint.substr(0, in_checkpoint.size() - alike))};
}

// Those of most weights that have a name of their own.
NameFronts UsualFronts(const Graph& graph, const Checkpoint& checkpoint,
                       const WeightMatches& matches) {
  std::map<NameFronts, size_t> votes;
  for (const WeightMatch& match : matches.matches) {
    const absl::string_view name = graph.value(match.value).name;
    if (match.tensors.size() != 1 || match.is_tie || OwnerInParameterName(name).empty()) continue;
    ++votes[FrontsOf(name, checkpoint.tensors()[match.tensors[0]].name)];
  }
  NameFronts usual;
  size_t most = 0;
  for (const auto& [fronts, count] : votes) {
    if (count <= most) continue;
    most = count;
    usual = fronts;
  }
  return usual;
}

}  // namespace

std::vector<std::string> TensorNamesIn(const Model& model, const Checkpoint& checkpoint,
                                       const WeightMatches& matches) {
  const NameFronts fronts = UsualFronts(model.graph(), checkpoint, matches);
  std::vector<std::string> names;
  names.reserve(checkpoint.tensors().size());
  for (const CheckpointTensor& tensor : checkpoint.tensors()) {
    const bool begins_so = absl::StartsWith(tensor.name, fronts.checkpoint);
    names.push_back(begins_so
                        ? absl::StrCat(fronts.model, tensor.name.substr(fronts.checkpoint.size()))
                        : tensor.name);
  }
  return names;
}

ParameterNames NamesOf(const Model& model, const Checkpoint& checkpoint,
                       const WeightMatches& matches) {
  const Graph& graph = model.graph();
  const std::vector<std::string> all = TensorNamesIn(model, checkpoint, matches);
  ParameterNames names;
  for (const Checkpoint::File& file : checkpoint.files()) {
    names.files.push_back(
        {FileNameOf(file.path), std::string(file.format), file.size, file.header_hash});
  }
  absl::flat_hash_set<std::string> modules;
  for (const std::string& name : all) {
    std::string module = name;
    for (size_t dot = module.rfind('.'); dot != std::string::npos && dot > 0;) {
      module.resize(dot);
      if (!modules.insert(module).second) break;
      names.modules.push_back(module);
      dot = module.rfind('.');
    }
  }
  for (const WeightMatch& match : matches.matches) {
    const absl::string_view name = graph.value(match.value).name;
    if (match.is_tie || match.probability < kLeastProbability || name.empty()) continue;
    if (!OwnerInParameterName(name).empty()) continue;
    const std::string given = absl::StrJoin(
        match.tensors, "__",
        [&](std::string* text, uint32_t tensor) { absl::StrAppend(text, all[tensor]); });
    names.of[name] = {given, static_cast<float>(match.probability)};
  }
  return names;
}

}  // namespace onnx_hier
