#include "lib/report/doc_string.h"

#include <cstring>
#include <utility>

#include "absl/strings/escaping.h"
#include "absl/strings/match.h"
#include "lib/base/utf8.h"
#include "lib/report/json_text.h"
#include "nlohmann/json.hpp"

namespace onnx_hier {
namespace {

// Only our own texts carry all of these; earlier tools' stop before the confidence.
constexpr const char* kOwnKeys[] = {"hierarchy_tags", "hierarchy_path", "hierarchy_count",
                                    "hierarchy_method", "hierarchy_confidence"};
constexpr char kDocString[] = "doc_string";
constexpr char kDocStringBase64[] = "doc_string_base64";
// What each of our texts starts with; saves parsing all others.
constexpr absl::string_view kStart = "{\"hierarchy_tags\":[";

}  // namespace

OriginalDoc ReadOriginalDoc(absl::string_view doc_string) {
  OriginalDoc original;
  if (!absl::StartsWith(doc_string, kStart)) return original;
  const nlohmann::json json =
      nlohmann::json::parse(doc_string.begin(), doc_string.end(), nullptr, false);
  if (!json.is_object()) return original;
  for (const char* key : kOwnKeys) {
    if (!json.contains(key)) return original;
  }
  original.written_by_us = true;
  if (const auto text = json.find(kDocString); text != json.end() && text->is_string()) {
    original.present = true;
    original.text = text->get<std::string>();
  }
  if (const auto text = json.find(kDocStringBase64); text != json.end() && text->is_string()) {
    original.present = absl::Base64Unescape(text->get<std::string>(), &original.text);
  }
  return original;
}

DocStringWriter::DocStringWriter(const Annotation& annotation)
    : annotation_(annotation), called_again_(annotation.paths.size(), 0) {
  for (ModuleId id : annotation.modules.ids()) {
    const Module& module = annotation.modules.module(id);
    called_again_[module.path] = module.calls > 1 ? 1 : 0;
  }
}

absl::string_view DocStringWriter::Text(NodeId node, std::optional<absl::string_view> original) {
  const absl::string_view shared = SharedText(node);
  if (!original.has_value()) return shared;
  texts_.emplace_back(shared.substr(0, shared.size() - 1));  // without the closing brace
  std::string& text = texts_.back();
  text += ",\"";
  if (IsUtf8(*original)) {
    text += kDocString;
    text += "\":";
    AppendJsonString(*original, &text);
  } else {
    text += kDocStringBase64;
    text += "\":\"";
    text += absl::Base64Escape(*original);
    text += '"';
  }
  text += '}';
  return text;
}

absl::string_view DocStringWriter::SharedText(NodeId node) {
  const Assignment& assignment = annotation_.assignments[node];
  const absl::Span<const PathId> auxiliary = annotation_.auxiliary_of(node);
  std::string key;
  const auto add = [&key](const void* bytes, size_t size) {
    key.append(static_cast<const char*>(bytes), size);
  };
  add(&assignment.primary, sizeof(PathId));
  add(&assignment.method, sizeof(Method));
  add(&assignment.confidence, sizeof(float));
  if (assignment.call != 0) add(&assignment.call, sizeof(uint32_t));
  if (!auxiliary.empty()) {
    key.push_back('\0');
    add(auxiliary.data(), auxiliary.size() * sizeof(PathId));
  }
  absl::string_view& text = shared_[key];
  if (text.data() == nullptr) {
    texts_.push_back(Render(node));
    text = texts_.back();
  }
  return text;
}

std::string DocStringWriter::Render(NodeId node) const {
  const Assignment& assignment = annotation_.assignments[node];
  const absl::Span<const PathId> auxiliary = annotation_.auxiliary_of(node);
  const std::string tag = annotation_.paths.Tag(assignment.primary);
  std::string out;
  JsonText json(&out);
  json.BeginObject();
  json.Key("hierarchy_tags").BeginArray();
  json.String(tag);
  for (PathId path : auxiliary) json.String(annotation_.paths.Tag(path));
  json.EndArray();
  json.Key("hierarchy_path").String(tag);
  json.Key("hierarchy_count").Unsigned(1 + auxiliary.size());
  json.Key("hierarchy_method").String(MethodName(assignment.method));
  json.Key("hierarchy_confidence").Probability(assignment.confidence);
  if (called_again_[assignment.primary] != 0) json.Key("hierarchy_call").Unsigned(assignment.call);
  json.EndObject();
  return out;
}

}  // namespace onnx_hier
