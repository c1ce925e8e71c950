// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <iterator>
#include <optional>
#include <string>
#include <utility>

#include "absl/container/flat_hash_map.h"
#include "absl/strings/match.h"
#include "lib/base/parsed_json.h"
#include "lib/names/metadata_scope.h"
#include "lib/names/own_metadata.h"
#include "lib/tags/earlier_tag.h"
#include "lib/tags/method_name.h"
#include "lib/tags/own_text.h"
#include "nlohmann/json.hpp"
#include "onnx_hier/tags.h"

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
  absl::string_view method;  // as our own tags state it; "": another's
};

// Other people's JSON is none of our business: only objects with keys of ours count.
bool LooksLikeTags(absl::string_view doc) {
  return absl::StartsWith(doc, "{") && absl::StrContains(doc, kKeyPrefix);
}

std::string StringAt(const nlohmann::json& json, const char* key) {
  const auto found = json.find(key);
  return found != json.end() && found->is_string() ? found->get<std::string>() : "";
}

// False: it is no list of strings.
bool ReadList(const nlohmann::json& list, Texts& texts) {
  if (!list.is_array()) return false;
  for (const nlohmann::json& item : list) {
    if (!item.is_string()) return false;
    texts.push_back(item.get<std::string>());
  }
  return true;
}

std::optional<double> ReadConfidence(const nlohmann::json& json) {
  const auto found = json.find(kConfidence);
  if (found == json.end() || !found->is_number()) return std::nullopt;
  return std::clamp(found->get<double>(), 0.0, 1.0);
}

// The primary tag first. False: these are no tags.
bool ReadTexts(const nlohmann::json& json, Texts& texts) {
  std::string primary;
  for (const char* key : kSingle) {
    if (primary.empty()) primary = StringAt(json, key);
  }
  Texts all;
  if (json.contains(kList) && !ReadList(json[kList], all)) return false;
  if (primary.empty() && !all.empty()) primary = all[0];
  if (primary.empty()) return true;
  texts.push_back(primary);
  for (std::string& tag : all) {
    if (tag != primary) texts.push_back(std::move(tag));
  }
  return true;
}

// The primary tag first.
Doc DocOf(const OwnText& own) {
  Doc doc;
  doc.kind = DocKind::kTags;
  doc.confidence = own.confidence;
  doc.method = own.method;
  doc.texts.emplace_back(own.path);
  for (absl::string_view tag : own.tags) {
    if (tag != own.path) doc.texts.emplace_back(tag);
  }
  return doc;
}

Doc ReadDoc(absl::string_view text) {
  Doc doc;
  if (!LooksLikeTags(text)) return doc;
  const std::optional<OwnText> own = ReadOwnText(text);
  if (own.has_value() && !own->path.empty()) return DocOf(*own);
  const nlohmann::json json = ParsedJson(text);
  doc.kind = DocKind::kMalformed;
  if (!json.is_object() || !ReadTexts(json, doc.texts)) return doc;
  doc.kind = DocKind::kTags;
  if (!doc.texts.empty()) doc.confidence = ReadConfidence(json);
  return doc;
}

Texts ReadMetadata(absl::Span<const StringPair> metadata) {
  if (const StringPair* own = FindMetadata(metadata, kOwnPathKey)) return {std::string(own->value)};
  if (const absl::string_view tag = TagInMetadata(metadata); !tag.empty()) {
    return {std::string(tag)};
  }
  const std::optional<MetadataScope> scope = ReadMetadataScope(metadata);
  if (!scope.has_value()) return {};
  ModulePaths paths;
  return {paths.Tag(paths.Parse(scope->modules.back().qualified_name))};
}

// Many nodes have the same doc_string: each text is read once.
class DocReader {
 public:
  explicit DocReader(size_t nodes) : tags_(nodes) { tags_.source = TagSource::kDocStrings; }

  void Read(NodeId node, absl::string_view text) {
    if (text.empty()) return;
    // Neighbours mostly share theirs.
    if (text != last_text_) {
      last_ = SeenAt(node, text);
      last_text_ = text;
    }
    if (last_.node != node) tags_.Copy(last_.node, node);
    if (last_.kind == DocKind::kMalformed) malformed_.push_back(node);
    any_ = any_ || last_.kind == DocKind::kTags;
  }

  // Whether there was any tag.
  bool any() const { return any_; }
  const std::vector<NodeId>& malformed() const { return malformed_; }
  Tags TakeTags() { return std::move(tags_); }

 private:
  struct Seen {
    NodeId node;  // the first with that text
    DocKind kind = DocKind::kOther;
  };

  // Takes the node's tags where the text is new.
  const Seen& SeenAt(NodeId node, absl::string_view text) {
    const auto [entry, added] = seen_.emplace(text, Seen{node, DocKind::kOther});
    if (added) {
      const Doc doc = ReadDoc(text);
      entry->second.kind = doc.kind;
      tags_.Set(node, doc.texts);
    }
    return entry->second;
  }

  absl::string_view last_text_;
  Seen last_;  // of last_text_
  Tags tags_;
  std::vector<NodeId> malformed_;
  bool any_ = false;
  absl::flat_hash_map<absl::string_view, Seen> seen_;
};

}  // namespace

ReadTagsResult ReadTags(const Graph& graph) {
  DocReader docs(graph.node_count());
  Tags from_metadata(graph.node_count());
  from_metadata.source = TagSource::kMetadata;
  bool any_metadata = false;
  for (NodeId node : graph.node_ids()) {
    docs.Read(node, graph.doc_string(node));
    if (graph.metadata(node).empty()) continue;
    const Texts texts = ReadMetadata(graph.metadata(node));
    any_metadata = any_metadata || !texts.empty();
    from_metadata.Set(node, texts);
  }
  ReadTagsResult result;
  if (docs.any()) {
    result.tags = docs.TakeTags();
  } else if (any_metadata) {
    result.tags = std::move(from_metadata);
  } else {
    result.tags = Tags(graph.node_count());
  }
  result.malformed = docs.malformed();
  return result;
}

absl::string_view TagInMetadata(absl::Span<const StringPair> metadata) {
  for (absl::string_view key : kMetadataKeys) {
    const absl::string_view tag = ExportersMetadata(metadata, key);
    if (!tag.empty()) return tag;
  }
  return "";
}

std::optional<EarlierTag> ReadEarlierTag(absl::string_view doc_string) {
  Doc doc = ReadDoc(doc_string);
  if (doc.texts.empty()) return std::nullopt;
  EarlierTag tag;
  tag.primary = std::move(doc.texts[0]);
  tag.auxiliary.assign(std::make_move_iterator(doc.texts.begin() + 1),
                       std::make_move_iterator(doc.texts.end()));
  tag.confidence = doc.confidence;
  const Method method = MethodNamed(doc.method).value_or(Method::kNone);
  if (IsTransfer(method)) tag.transferred = method;
  return tag;
}

}  // namespace onnx_hier
