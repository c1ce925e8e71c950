// SPDX-License-Identifier: Apache-2.0
#include "lib/tags/doc_string.h"

#include <utility>

#include "absl/strings/escaping.h"
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "lib/base/parsed_json.h"
#include "lib/base/pen.h"
#include "lib/base/utf8.h"
#include "lib/tags/own_text.h"
#include "nlohmann/json.hpp"
#include "onnx_hier_program/json_text.h"

namespace onnx_hier {
namespace {

// Only our own texts carry all of these; earlier tools' stop before the confidence.
constexpr const char* kOwnKeys[] = {"hierarchy_path", "hierarchy_method", "hierarchy_confidence",
                                    "hierarchy_tags", "hierarchy_count"};
constexpr char kDocString[] = "doc_string";
constexpr char kName[] = "name";
constexpr char kDocStringBase64[] = "doc_string_base64";
// What our texts start with, and what those of our earlier versions did; saves parsing all others.
constexpr absl::string_view kStart = "{\"hierarchy_path\":";
constexpr absl::string_view kEarlierStart = "{\"hierarchy_tags\":[";
// Keys, brackets and the count.
constexpr size_t kTextBesidesTags = 80;

OriginalDoc OriginalOf(OwnText own) {
  OriginalDoc original;
  original.written_by_us = true;
  original.name = own.name;
  if (own.is_base64) {
    original.present = absl::Base64Unescape(own.original, &original.text);
  } else {
    original.present = own.has_original;
    original.text = std::move(own.original);
  }
  return original;
}

}  // namespace

OriginalDoc ReadOriginalDoc(absl::string_view doc_string) {
  OriginalDoc original;
  if (!absl::StartsWith(doc_string, kStart) && !absl::StartsWith(doc_string, kEarlierStart)) {
    return original;
  }
  if (std::optional<OwnText> own = ReadOwnText(doc_string)) return OriginalOf(*std::move(own));
  const nlohmann::json json = ParsedJson(doc_string);
  if (!json.is_object()) return original;
  for (const char* key : kOwnKeys) {
    if (!json.contains(key)) return original;
  }
  original.written_by_us = true;
  if (const auto name = json.find(kName); name != json.end()) {
    if (name->is_null()) original.name = NameBefore::kNone;
    const std::string text = name->is_string() ? name->get<std::string>() : "none";
    if (text.empty()) original.name = NameBefore::kEmpty;
    if (text == "shared") original.name = NameBefore::kShared;
  }
  if (const auto text = json.find(kDocString); text != json.end() && text->is_string()) {
    original.present = true;
    original.text = text->get<std::string>();
  }
  if (const auto text = json.find(kDocStringBase64); text != json.end() && text->is_string()) {
    original.present = absl::Base64Unescape(text->get<std::string>(), &original.text);
  }
  return original;
}

DocStringWriter::DocStringWriter(const Annotation& annotation, const TagTexts& tags)
    : annotation_(annotation),
      tags_(tags),
      same_{&annotation},
      shared_{Shared(0, same_, same_), Shared(0, same_, same_), Shared(0, same_, same_),
              Shared(0, same_, same_)} {}

absl::string_view DocStringWriter::Text(NodeId node, std::optional<absl::string_view> original,
                                        NameBefore name) {
  const absl::string_view shared = SharedText(node, name);
  if (!original.has_value()) return shared;
  text_.assign(shared.data(), shared.size() - 1);  // without the closing brace
  text_ += ",\"";
  if (IsUtf8(*original)) {
    text_ += kDocString;
    text_ += "\":";
    AppendJsonString(*original, &text_);
  } else {
    text_ += kDocStringBase64;
    text_ += "\":\"";
    text_ += absl::Base64Escape(*original);
    text_ += '"';
  }
  text_ += '}';
  return texts_.Add(text_);
}

absl::string_view DocStringWriter::SharedText(NodeId node, NameBefore name) {
  if (last_.valid() && last_name_ == name && same_(last_, node)) return last_text_;
  absl::string_view& text = shared_[static_cast<size_t>(name)][node];
  if (text.data() == nullptr) text = Render(node, name);
  last_ = node;
  last_name_ = name;
  return last_text_ = text;
}

absl::string_view DocStringWriter::Render(NodeId node, NameBefore name) {
  const Assignment& assignment = annotation_.assignments[node];
  const absl::string_view tag = tags_[assignment.primary];
  const absl::string_view standing = Standing(assignment);
  auxiliary_.clear();
  for (PathId path : annotation_.auxiliary_of(node)) {
    absl::StrAppend(&auxiliary_, ",", tags_[path]);
  }
  more_.clear();
  const Module& module = annotation_.modules.module(annotation_.modules.Find(assignment.primary));
  if (module.calls > 1) absl::StrAppend(&more_, R"(,"hierarchy_call":)", assignment.call);
  if (!module.class_path.empty()) {
    more_ += R"(,"hierarchy_class_path":)";
    AppendJsonString(module.class_path, &more_);
  }
  absl::StrAppend(&more_, MarkOf(name));
  text_.resize(kTextBesidesTags + 2 * tag.size() + standing.size() + auxiliary_.size() +
               more_.size());
  Pen pen(text_.data());
  pen.Put(kStart).Put(tag).Put(standing).Put(R"(,"hierarchy_tags":[)").Put(tag).Put(auxiliary_);
  pen.Put(R"(],"hierarchy_count":)").Number(1 + assignment.auxiliary.size()).Put(more_).Put('}');
  return texts_.Add({text_.data(), static_cast<size_t>(pen.end() - text_.data())});
}

// Most texts have what the one before had.
absl::string_view DocStringWriter::Standing(const Assignment& assignment) {
  if (standing_.empty() || standing_of_.method != assignment.method ||
      standing_of_.confidence != assignment.confidence) {
    standing_.clear();
    absl::StrAppend(&standing_, R"(,"hierarchy_method":")", MethodName(assignment.method),
                    R"(","hierarchy_confidence":)");
    AppendProbability(assignment.confidence, &standing_);
    standing_of_ = assignment;
  }
  return standing_;
}

}  // namespace onnx_hier
