// SPDX-License-Identifier: Apache-2.0
#include "lib/names/flattened_names.h"

#include <algorithm>
#include <array>
#include <cstddef>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/strip.h"
#include "lib/graph/weight.h"
#include "lib/names/number.h"

namespace onnx_hier {
namespace {

// Fewer can be called so by chance.
constexpr size_t kFewestFlattened = 8;

// Words of a module's name, and different beginnings for each name: real ones have 20 and 2.
constexpr size_t kMostWords = 64;
constexpr size_t kMostPrefixes = 8;

// What PyTorch's modules call their parameters, with their own underscores.
constexpr std::array<absl::string_view, 12> kParameters = {
    "weight",   "bias",     "running_mean",   "running_var",
    "gamma",    "beta",     "in_proj_weight", "in_proj_bias",
    "weight_g", "weight_v", "weight_scale",   "weight_zero_point"};

bool IsTensorOfModule(const Graph& graph, TensorId id) {
  return graph.tensor(id).block.valid() && IsWeight(graph.tensor(id));
}

absl::string_view WithoutKind(absl::string_view name) {
  for (absl::string_view kind : {"p_", "b_", "c_"}) {
    if (absl::StartsWith(name, kind)) return name.substr(kind.size());
  }
  return name;
}

}  // namespace

FlattenedNames::FlattenedNames(const Graph& graph) {
  std::vector<absl::string_view> names;
  size_t of_export = 0;
  for (TensorId id : graph.tensor_ids()) {
    if (!IsTensorOfModule(graph, id)) continue;
    const absl::string_view name = graph.tensor(id).name;
    if (name.find_first_of("./:") != absl::string_view::npos) return;
    names.push_back(name);
    of_export += WithoutKind(name).size() < name.size() ? 1 : 0;
  }
  is_export_ = of_export * 2 > names.size();
  prefixes_.push_back({});
  size_t count = 0;
  for (absl::string_view name : names) {
    const Split split = SplitName(name);
    if (split.parameter.empty()) continue;
    ++count;
    Add(split);
    // What begins alike shares its words: names that do not are no modules'.
    if (prefixes_.size() > kMostPrefixes * names.size()) return;
  }
  any_ = count >= kFewestFlattened && count * 4 > names.size() && (has_lists_ || is_export_);
}

FlattenedNames::Split FlattenedNames::SplitName(absl::string_view name) const {
  Split split;
  absl::string_view module = is_export_ ? WithoutKind(name) : name;
  absl::string_view parameter;
  for (absl::string_view known : kParameters) {
    if (known.size() > parameter.size() && absl::EndsWith(module, known)) parameter = known;
  }
  if (parameter.empty() || !absl::ConsumeSuffix(&module, parameter) ||
      !absl::ConsumeSuffix(&module, "_")) {
    return split;
  }
  while (!module.empty()) {
    if (split.words.size() == kMostWords) return split;
    // Underscores in front, or several, are of the word behind them.
    const size_t begin = std::min(module.find_first_not_of('_'), module.size());
    const size_t end = std::min(module.find('_', begin), module.size());
    split.words.push_back(module.substr(0, end));
    module.remove_prefix(std::min(end + 1, module.size()));
  }
  if (!split.words.empty()) split.parameter = parameter;
  return split;
}

void FlattenedNames::Add(const Split& split) {
  PrefixId at(0);
  for (absl::string_view word : split.words) {
    const auto [next, is_new] = next_.try_emplace({at, word}, prefixes_.next_id());
    if (is_new) {
      Prefix& prefix = prefixes_[at];
      ++prefix.parts;
      has_lists_ = has_lists_ || (prefix.has_numbers && IsNumber(word));
      prefix.has_numbers = prefix.has_numbers || IsNumber(word);
      prefixes_.push_back({});
    }
    at = next->second;
  }
  prefixes_[at].has_parameters = true;
}

absl::string_view FlattenedNames::Of(absl::string_view name, std::string& text) const {
  const Split split = SplitName(name);
  if (split.parameter.empty()) return name;
  PrefixId at(0);
  std::string dotted;
  for (size_t i = 0; i < split.words.size(); ++i) {
    const auto next = next_.find({at, split.words[i]});
    if (next == next_.end()) return name;
    at = next->second;
    const Prefix& prefix = prefixes_[at];
    const bool is_last = i + 1 == split.words.size();
    const bool is_number = IsNumber(split.words[i]) || (!is_last && IsNumber(split.words[i + 1]));
    const bool ends = is_last || is_number || (prefix.parts > 1 && !prefix.has_parameters);
    absl::StrAppend(&dotted, split.words[i], ends ? "." : "_");
  }
  return text = absl::StrCat(dotted, split.parameter);
}

}  // namespace onnx_hier
