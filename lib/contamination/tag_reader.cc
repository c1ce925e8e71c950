#include "lib/contamination/tag_reader.h"

#include <algorithm>
#include <optional>
#include <string>
#include <utility>

#include "absl/container/flat_hash_map.h"
#include "absl/strings/match.h"
#include "lib/scope/metadata_scope.h"
#include "nlohmann/json.hpp"

namespace onnx_hier {
namespace {

using Texts = std::vector<std::string>;

constexpr char kList[] = "hierarchy_tags";
constexpr char kConfidence[] = "hierarchy_confidence";
constexpr absl::string_view kKeyPrefix = "hierarchy_";
constexpr const char* kSingle[] = {"hierarchy_path", "hierarchy_tag"};
constexpr absl::string_view kMetadataKeys[] = {"hierarchy_path", "hierarchy_tag",
                                               "winml.hierarchy.tag"};

enum class DocKind { kOther, kMalformed, kTags };

struct Doc {
  DocKind kind = DocKind::kOther;
  Texts texts;
  std::optional<double> confidence;
};

// Other people's JSON is none of our business: only objects with keys of ours count.
bool LooksLikeTags(absl::string_view doc) {
  return absl::StartsWith(doc, "{") && absl::StrContains(doc, kKeyPrefix);
}

std::string StringAt(const nlohmann::json& json, const char* key) {
  const auto found = json.find(key);
  return found != json.end() && found->is_string() ? found->get<std::string>() : "";
}

Doc ReadDoc(absl::string_view text) {
  Doc doc;
  if (!LooksLikeTags(text)) return doc;
  const nlohmann::json json = nlohmann::json::parse(text.begin(), text.end(), nullptr, false);
  doc.kind = DocKind::kMalformed;
  if (!json.is_object()) return doc;
  std::string primary;
  for (const char* key : kSingle) {
    if (primary.empty()) primary = StringAt(json, key);
  }
  Texts all;
  if (const auto list = json.find(kList); list != json.end()) {
    if (!list->is_array()) return doc;
    for (const nlohmann::json& item : *list) {
      if (!item.is_string()) return doc;
      all.push_back(item.get<std::string>());
    }
  }
  if (primary.empty() && !all.empty()) primary = all[0];
  doc.kind = DocKind::kTags;
  if (primary.empty()) return doc;
  const auto confidence = json.find(kConfidence);
  if (confidence != json.end() && confidence->is_number()) {
    doc.confidence = std::clamp(confidence->get<double>(), 0.0, 1.0);
  }
  doc.texts.push_back(primary);
  for (std::string& tag : all) {
    if (tag != primary) doc.texts.push_back(std::move(tag));
  }
  return doc;
}

Texts ReadMetadata(absl::Span<const StringPair> metadata) {
  for (const StringPair& pair : metadata) {
    for (absl::string_view key : kMetadataKeys) {
      if (pair.key == key && !pair.value.empty()) return {std::string(pair.value)};
    }
  }
  const std::optional<MetadataScope> scope = ReadMetadataScope(metadata);
  if (!scope.has_value()) return {};
  ModulePaths paths;
  return {paths.Tag(paths.Parse(scope->modules.back().qualified_name))};
}

}  // namespace

ReadTagsResult ReadTags(const Graph& graph) {
  ReadTagsResult result;
  Tags from_docs(graph.node_count());
  Tags from_metadata(graph.node_count());
  absl::flat_hash_map<absl::string_view, std::pair<NodeId, DocKind>> seen;
  bool any_doc = false;
  bool any_metadata = false;
  for (NodeId node : graph.node_ids()) {
    const absl::string_view text = graph.node(node).doc_string;
    if (!text.empty()) {
      const auto [entry, added] = seen.emplace(text, std::make_pair(node, DocKind::kOther));
      if (added) {
        const Doc doc = ReadDoc(text);
        entry->second.second = doc.kind;
        from_docs.Set(node, doc.texts);
      } else {
        from_docs.Copy(entry->second.first, node);
      }
      if (entry->second.second == DocKind::kMalformed) result.malformed.push_back(node);
      any_doc = any_doc || entry->second.second == DocKind::kTags;
    }
    if (graph.node(node).metadata.size() > 0) {
      const Texts texts = ReadMetadata(graph.metadata(node));
      any_metadata = any_metadata || !texts.empty();
      from_metadata.Set(node, texts);
    }
  }
  from_docs.source = TagSource::kDocStrings;
  from_metadata.source = TagSource::kMetadata;
  if (any_doc) {
    result.tags = std::move(from_docs);
  } else if (any_metadata) {
    result.tags = std::move(from_metadata);
  } else {
    result.tags = Tags(graph.node_count());
  }
  return result;
}

std::optional<EarlierTag> ReadEarlierTag(absl::string_view doc_string) {
  Doc doc = ReadDoc(doc_string);
  if (doc.texts.empty()) return std::nullopt;
  return EarlierTag{std::move(doc.texts[0]), doc.confidence};
}

}  // namespace onnx_hier
