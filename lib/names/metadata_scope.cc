// SPDX-License-Identifier: Apache-2.0
#include "lib/names/metadata_scope.h"

#include <array>
#include <cstdint>
#include <utility>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_split.h"
#include "lib/names/own_metadata.h"
#include "lib/names/python_list.h"
#include "onnx_hier/module_paths.h"

namespace onnx_hier {
namespace {

// Modules that torch makes up where passes left a node without a module stack
// (pytorch/pytorch#155816).
constexpr absl::string_view kPseudoModule = "_empty_nn_module_stack_from_metadata_hook";

// onnxscript's lists hold each module's own name: ['', 'model', 'layers.0', 'mlp']. What goes on
// where paths end is in the last of them.
void MakeCumulative(std::vector<MetadataModule>& modules) {
  for (size_t i = 1; i < modules.size(); ++i) {
    const std::string& around = modules[i - 1].qualified_name;
    if (around.size() > ModulePaths::kLongest) return modules.resize(i);
    std::string& name = modules[i].qualified_name;
    if (around.empty()) continue;
    const std::string prefix = absl::StrCat(around, ".");
    if (!absl::StartsWith(name, prefix)) name.insert(0, prefix);
  }
}

// The two lists, aligned; `operators` entries at their end are no modules.
std::optional<MetadataScope> FromLists(absl::string_view names, absl::string_view classes,
                                       size_t operators) {
  std::vector<std::string> name_list;
  std::vector<std::string> class_list;
  if (!ParsePythonList(names, &name_list) || name_list.size() <= operators) return std::nullopt;
  const bool has_classes =
      ParsePythonList(classes, &class_list) && class_list.size() == name_list.size();
  MetadataScope scope;
  scope.modules.reserve(name_list.size());
  for (size_t i = 0; i + operators < name_list.size(); ++i) {
    if (absl::StrContains(name_list[i], kPseudoModule)) continue;
    scope.modules.push_back({std::move(name_list[i]), has_classes ? std::move(class_list[i]) : ""});
  }
  if (scope.modules.empty()) return std::nullopt;
  return scope;
}

// "<name>: <class>" joined by slashes; the last one is the operator.
std::optional<MetadataScope> FromNamespace(absl::string_view text) {
  MetadataScope scope;
  scope.style = MetadataStyle::kNamespace;
  const std::vector<absl::string_view> parts = absl::StrSplit(text, '/');
  for (size_t i = 0; i + 1 < parts.size(); ++i) {
    const std::vector<absl::string_view> pair = absl::StrSplit(parts[i], absl::MaxSplits(": ", 1));
    // The root may be written without its empty name.
    const bool named = pair.size() == 2;
    if (!named && i > 0) return std::nullopt;
    if (absl::StrContains(pair[0], kPseudoModule)) continue;
    scope.modules.push_back({named ? std::string(pair[0]) : "", std::string(pair.back())});
  }
  if (scope.modules.empty()) return std::nullopt;
  return scope;
}

// None: nothing is written of modules.
std::optional<MetadataTexts> TextsOf(absl::Span<const StringPair> metadata) {
  constexpr struct {
    MetadataStyle style;
    absl::string_view classes;
  } kLists[] = {{MetadataStyle::kTorch, "pkg.torch.onnx.class_hierarchy"},
                {MetadataStyle::kOnnxScript, "pkg.onnxscript.class_hierarchy"}};
  for (const auto& list : kLists) {
    const absl::string_view names = ExportersMetadata(metadata, MetadataKey(list.style));
    if (!names.empty()) return {{list.style, names, ExportersMetadata(metadata, list.classes)}};
  }
  const absl::string_view text =
      ExportersMetadata(metadata, MetadataKey(MetadataStyle::kNamespace));
  if (!absl::StrContains(text, ": ")) return std::nullopt;
  return {{MetadataStyle::kNamespace, text, ""}};
}

std::optional<MetadataScope> ReadTexts(const MetadataTexts& texts) {
  if (texts.style == MetadataStyle::kNamespace) return FromNamespace(texts.names);
  const bool cumulative = texts.style == MetadataStyle::kTorch;
  std::optional<MetadataScope> scope = FromLists(texts.names, texts.classes, cumulative ? 1 : 0);
  if (!scope.has_value()) return scope;
  scope->style = texts.style;
  if (!cumulative) MakeCumulative(scope->modules);
  return scope;
}

// Of what stands in a list, the ends of items and what is escaped.
constexpr std::array<bool, 256> MakeSpecial() {
  std::array<bool, 256> special{};
  special['\''] = special['"'] = special['\\'] = true;
  return special;
}
constexpr std::array<bool, 256> kSpecial = MakeSpecial();

// Of a list whose last item needs no care, "['', 'a', 'linear']", what is before that; else all.
absl::string_view WithoutPlainLast(absl::string_view list) {
  constexpr absl::string_view kBegin = ", '", kEnd = "']";
  if (!absl::EndsWith(list, kEnd)) return list;
  size_t begin = list.size() - kEnd.size();
  while (begin > 0 && !kSpecial[static_cast<uint8_t>(list[begin - 1])]) --begin;
  const absl::string_view before = list.substr(0, begin);
  return absl::EndsWith(before, kBegin) ? before.substr(0, begin - kBegin.size()) : list;
}

// What is before the operator at the end of each text, where that can be told without reading it;
// else all.
MetadataTexts WithoutOperator(const MetadataTexts& texts) {
  switch (texts.style) {
    case MetadataStyle::kTorch:
      return {texts.style, WithoutPlainLast(texts.names), WithoutPlainLast(texts.classes)};
    case MetadataStyle::kNamespace:
      return {texts.style, texts.names.substr(0, texts.names.rfind('/')), ""};
    case MetadataStyle::kOnnxScript:
      break;
  }
  return texts;
}

}  // namespace

absl::string_view MetadataKey(MetadataStyle style) {
  switch (style) {
    case MetadataStyle::kTorch:
      return "pkg.torch.onnx.name_scopes";
    case MetadataStyle::kOnnxScript:
      return "pkg.onnxscript.name_scopes";
    case MetadataStyle::kNamespace:
      break;
  }
  return kNamespaceKey;
}

std::optional<MetadataScope> ReadMetadataScope(absl::Span<const StringPair> metadata) {
  const std::optional<MetadataTexts> texts = TextsOf(metadata);
  return texts.has_value() ? ReadTexts(*texts) : std::nullopt;
}

// Texts that are alike before a plain last item are read alike up to there, or not at all. Where
// what is said begins as it did, the item is short.
bool MetadataReader::Said::IsSame(const MetadataTexts& texts) const {
  if (texts.style != all.style || !absl::StartsWith(texts.names, begin.names) ||
      !absl::StartsWith(texts.classes, begin.classes)) {
    return false;
  }
  const MetadataTexts other = WithoutOperator(texts);
  const auto are_alike = [](absl::string_view a_begin, absl::string_view a,
                            absl::string_view b_begin, absl::string_view b) {
    return a_begin.size() == b_begin.size() &&
           (a_begin.size() == a.size()) == (b_begin.size() == b.size());
  };
  return are_alike(begin.names, all.names, other.names, texts.names) &&
         are_alike(begin.classes, all.classes, other.classes, texts.classes);
}

const std::optional<MetadataScope>& MetadataReader::Read(absl::Span<const StringPair> metadata) {
  const std::optional<MetadataTexts> texts = TextsOf(metadata);
  is_same_ = texts.has_value() && said_.has_value() && said_->IsSame(*texts);
  if (is_same_) return scope_;
  said_.reset();
  scope_.reset();
  if (texts.has_value()) {
    said_ = {*texts, WithoutOperator(*texts)};
    scope_ = ReadTexts(*texts);
  }
  return scope_;
}

MetadataStyles FindStyles(const Graph& graph) {
  MetadataStyles styles;
  if (!graph.has_metadata()) return styles;
  const auto says_more = [&](absl::Span<const StringPair> metadata) {
    // Those of one exporter say nothing new.
    return !styles.torch ||
           FindMetadata(metadata, MetadataKey(MetadataStyle::kOnnxScript)) != nullptr;
  };
  for (NodeId id : graph.node_ids()) {
    if (!says_more(graph.metadata(id))) continue;
    const std::optional<MetadataTexts> texts = TextsOf(graph.metadata(id));
    if (!texts.has_value()) continue;
    bool& has = texts->style == MetadataStyle::kOnnxScript ? styles.onnxscript : styles.torch;
    has = has || ReadTexts(*texts).has_value();
  }
  return styles;
}

bool HasScopesInMetadata(const Graph& graph) {
  if (!graph.has_metadata()) return false;
  for (NodeId id : graph.node_ids()) {
    if (ReadMetadataScope(graph.metadata(id)).has_value()) return true;
  }
  return false;
}

}  // namespace onnx_hier
