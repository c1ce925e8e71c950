// SPDX-License-Identifier: Apache-2.0
#include "onnx_hier_program/summary.h"

#include <string>

#include "absl/strings/str_cat.h"
#include "lib/base/json_scanner.h"
#include "lib/tags/method_name.h"
#include "lib/tags/summary_json.h"
#include "onnx_hier_program/text.h"

namespace onnx_hier {
namespace {

uint64_t& SureOf(Method method, Summary& summary) {
  if (IsByName(method)) return summary.by_name;
  if (IsTransfer(method)) return summary.from_original;
  if (method == Method::kRule) return summary.by_rule;
  const bool is_tag = method == Method::kSidecar || method == Method::kEarlierTag;
  return is_tag ? summary.from_tags : summary.inferred;
}

uint64_t NumberOf(const JsonScanner& json) { return json.Unsigned().value_or(0); }

void ReadMethods(JsonScanner& json, Summary& summary) {
  while (json.NextKey()) {
    const std::optional<Method> method = MethodNamed(json.text());
    if (!json.Next()) return;
    if (method.has_value()) summary.by_method[static_cast<size_t>(*method)] = NumberOf(json);
    json.Skip();
  }
}

}  // namespace

Summary Summarize(const Annotation& annotation) {
  Summary summary;
  summary.nodes = annotation.assignments.size();
  for (const Assignment& assignment : annotation.assignments) {
    ++summary.by_method[static_cast<size_t>(assignment.method)];
    if (!assignment.primary.valid()) continue;
    ++summary.tagged;
    ++(assignment.confidence < kUnsure ? summary.unsure : SureOf(assignment.method, summary));
  }
  return summary;
}

std::optional<Summary> SummaryOfSidecar(absl::string_view end) {
  constexpr absl::string_view kKey = "\"summary\":";
  const size_t at = end.rfind(kKey);
  if (at == absl::string_view::npos) return std::nullopt;
  JsonScanner json(end.substr(at + kKey.size()));
  if (!json.Next() || json.event() != JsonEvent::kObject) return std::nullopt;
  Summary summary;
  while (json.NextKey()) {
    const std::string key(json.text());
    if (!json.Next()) return std::nullopt;
    if (key == "by_method" && json.event() == JsonEvent::kObject) {
      ReadMethods(json, summary);
      continue;
    }
    if (key == "nodes") summary.nodes = NumberOf(json);
    if (key == "tagged") summary.tagged = NumberOf(json);
    if (key == "unsure") summary.unsure = NumberOf(json);
    json.Skip();
  }
  if (json.error() != JsonError::kNone) return std::nullopt;
  return summary;
}

void AppendSummaryFields(const Summary& summary, JsonText& json) {
  json.Key("nodes").Unsigned(summary.nodes);
  json.Key("tagged").Unsigned(summary.tagged);
  json.Key("unsure").Unsigned(summary.unsure);
  json.Key("coverage").Probability(summary.coverage());
  json.Key("by_method").BeginObject();
  for (size_t i = 0; i < kMethodCount; ++i) {
    if (summary.by_method[i] == 0) continue;
    json.Key(MethodName(static_cast<Method>(i))).Unsigned(summary.by_method[i]);
  }
  json.EndObject();
}

std::string SummaryText(const Summary& summary) {
  std::string text = Counted(summary.nodes, "node");
  if (summary.nodes == 0) return text;
  const char* separator = ": ";
  const auto add = [&](uint64_t count, const char* what) {
    absl::StrAppend(&text, separator, WithThousands(count), what);
    separator = ", ";
  };
  if (summary.from_original > 0) add(summary.from_original, " from the original");
  if (summary.by_rule > 0) add(summary.by_rule, " by rule");
  if (summary.by_name > 0) add(summary.by_name, " by name");
  if (summary.from_tags > 0) add(summary.from_tags, " tagged before");
  if (summary.inferred > 0) add(summary.inferred, " inferred");
  add(summary.unsure, summary.unsure == 1 ? " guess" : " guesses");
  if (summary.tagged < summary.nodes) add(summary.nodes - summary.tagged, " without a tag");
  return text;
}

}  // namespace onnx_hier
