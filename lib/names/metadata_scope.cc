// SPDX-License-Identifier: Apache-2.0
#include "lib/names/metadata_scope.h"

#include <algorithm>
#include <iterator>

#include "absl/strings/match.h"
#include "lib/names/dialects/dialects.h"
#include "lib/names/own_metadata.h"

namespace onnx_hier {
namespace {

// The first one that is there counts.
constexpr const MetadataFormat* kFormats[] = {&kTorchLists, &kOnnxscriptLists, &kTorchNamespace};

// What of a node's metadata names its modules; without a format: nothing does.
struct Found {
  const MetadataFormat* format = nullptr;
  MetadataTexts texts;
};

Found FindTexts(absl::Span<const StringPair> metadata) {
  for (const MetadataFormat* format : kFormats) {
    const absl::string_view names = ExportersMetadata(metadata, format->key);
    if (names.empty()) continue;
    if (!format->mark.empty() && !absl::StrContains(names, format->mark)) continue;
    const bool has_classes = !format->classes_key.empty();
    return {format,
            {names,
             has_classes ? ExportersMetadata(metadata, format->classes_key) : absl::string_view()}};
  }
  return {};
}

std::optional<MetadataScope> ReadTexts(const Found& found) {
  if (found.format == nullptr) return std::nullopt;
  MetadataScope scope = {found.format, found.format->read(found.texts)};
  if (scope.modules.empty()) return std::nullopt;
  return scope;
}

MetadataTexts WithoutOperator(const MetadataFormat& format, const MetadataTexts& texts) {
  return {format.without_operator(texts.names), format.without_operator(texts.classes)};
}

}  // namespace

std::optional<MetadataScope> ReadMetadataScope(absl::Span<const StringPair> metadata) {
  return ReadTexts(FindTexts(metadata));
}

// Texts that are alike before a plain last item are read alike up to there, or not at all. Where
// what is said begins as it did, the item is short.
bool MetadataReader::Said::IsSame(const MetadataFormat& other_format,
                                  const MetadataTexts& texts) const {
  if (&other_format != format || !absl::StartsWith(texts.names, begin.names) ||
      !absl::StartsWith(texts.classes, begin.classes)) {
    return false;
  }
  const MetadataTexts other = WithoutOperator(other_format, texts);
  const auto are_alike = [](absl::string_view a_begin, absl::string_view a,
                            absl::string_view b_begin, absl::string_view b) {
    return a_begin.size() == b_begin.size() &&
           (a_begin.size() == a.size()) == (b_begin.size() == b.size());
  };
  return are_alike(begin.names, all.names, other.names, texts.names) &&
         are_alike(begin.classes, all.classes, other.classes, texts.classes);
}

const std::optional<MetadataScope>& MetadataReader::Read(absl::Span<const StringPair> metadata) {
  const Found found = FindTexts(metadata);
  is_same_ =
      found.format != nullptr && said_.has_value() && said_->IsSame(*found.format, found.texts);
  if (is_same_) return scope_;
  said_.reset();
  scope_ = ReadTexts(found);
  if (found.format != nullptr) {
    said_ = {found.format, found.texts, WithoutOperator(*found.format, found.texts)};
  }
  return scope_;
}

MetadataDialects FindMetadataDialects(const Graph& graph) {
  MetadataDialects dialects;
  if (!graph.has_metadata()) return dialects;
  // Those of dialects that were not found yet.
  std::vector<const MetadataFormat*> sought(std::begin(kFormats), std::end(kFormats));
  for (NodeId id : graph.node_ids()) {
    const absl::Span<const StringPair> metadata = graph.metadata(id);
    const auto is_there = [&](const MetadataFormat* format) {
      return FindMetadata(metadata, format->key) != nullptr;
    };
    if (std::none_of(sought.begin(), sought.end(), is_there)) continue;
    const Found found = FindTexts(metadata);
    if (std::find(sought.begin(), sought.end(), found.format) == sought.end()) continue;
    if (!ReadTexts(found).has_value()) continue;
    dialects.push_back(found.format->dialect);
    std::erase_if(sought, [&](const MetadataFormat* format) {
      return format->dialect == found.format->dialect;
    });
  }
  return dialects;
}

bool HasScopesInMetadata(const Graph& graph) {
  if (!graph.has_metadata()) return false;
  for (NodeId id : graph.node_ids()) {
    if (ReadMetadataScope(graph.metadata(id)).has_value()) return true;
  }
  return false;
}

}  // namespace onnx_hier
