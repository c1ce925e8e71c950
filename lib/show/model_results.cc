// SPDX-License-Identifier: Apache-2.0
#include "onnx_hier_program/model_results.h"

#include <algorithm>
#include <utility>

#include "absl/strings/str_format.h"
#include "lib/tags/summary_json.h"
#include "onnx_hier_program/json_text.h"
#include "onnx_hier_program/text.h"

namespace onnx_hier {
namespace {

constexpr const char* StatusName(ResultStatus status) {
  switch (status) {
    case ResultStatus::kOk:
      return "ok";
    case ResultStatus::kFound:
      return "found";
    case ResultStatus::kSkipped:
      return "skipped";
    case ResultStatus::kError:
      return "error";
  }
  return "";
}

// An output that a failed model did not get is not named.
void AppendOutput(const char* key, const std::string& path, const ModelResult& result,
                  JsonText& json) {
  json.Key(key).StringOrNull(result.status == ResultStatus::kError ? "" : path);
}

void AppendStatus(const ModelResult& result, JsonText& json) {
  json.Key("status").String(StatusName(result.status));
  json.Key("error").StringOrNull(SafeForTerminal(result.error));
  json.Key("warnings").BeginArray();
  for (const std::string& warning : result.warnings) json.String(SafeForTerminal(warning));
  json.EndArray();
}

void AppendMilliseconds(double milliseconds, JsonText& json) {
  json.Key("milliseconds").Raw(absl::StrFormat("%.1f", milliseconds));
}

void AppendTagResult(const TagResult& result, JsonText& json) {
  json.BeginObject();
  json.Key("input").String(result.input);
  AppendOutput("output", result.output, result, json);
  AppendOutput("sidecar", result.sidecar, result, json);
  AppendStatus(result, json);
  // Of one that was skipped, as an earlier run had it.
  if (result.status == ResultStatus::kOk || result.summary.nodes > 0) {
    AppendSummaryFields(result.summary, json);
  } else {
    json.Key("nodes").Unsigned(0);
    json.Key("tagged").Unsigned(0);
    json.Key("coverage").Probability(0);
    json.Key("by_method").BeginObject();
    json.EndObject();
  }
  if (result.status == ResultStatus::kOk && result.named.has_value()) {
    json.Key("named").Unsigned(*result.named);
  }
  AppendMilliseconds(result.milliseconds, json);
  json.EndObject();
}

// Documents break lines between values only.
std::string OneLine(std::string json) {
  json.erase(std::remove(json.begin(), json.end(), '\n'), json.end());
  json += '\n';
  return json;
}

}  // namespace

std::string TagResultsJson(absl::Span<const TagResult> results) {
  std::string text;
  JsonText json(&text);
  json.BeginDocument("onnx-hier/tag-result", 1);
  json.Key("files").BeginArray();
  for (const TagResult& result : results) {
    json.NewLine();
    AppendTagResult(result, json);
  }
  json.NewLine();
  json.EndArray();
  json.EndObject();
  text += '\n';
  return text;
}

std::string TagResultLine(const TagResult& result) {
  std::string text;
  JsonText json(&text);
  AppendTagResult(result, json);
  return OneLine(std::move(text));
}

std::string StripResultLine(const StripResult& result) {
  std::string text;
  JsonText json(&text);
  json.BeginObject();
  json.Key("input").String(result.input);
  AppendOutput("output", result.output, result, json);
  AppendStatus(result, json);
  json.Key("nodes").Unsigned(result.nodes);
  json.Key("stripped").Unsigned(result.stripped);
  AppendMilliseconds(result.milliseconds, json);
  json.EndObject();
  return OneLine(std::move(text));
}

std::string ResultLine(const ModelResult& result, absl::string_view key,
                       absl::string_view document) {
  std::string text;
  JsonText json(&text);
  json.BeginObject();
  json.Key("input").String(result.input);
  AppendStatus(result, json);
  AppendMilliseconds(result.milliseconds, json);
  json.Key(key);
  if (document.empty()) {
    json.Null();
  } else {
    json.Raw(document);
  }
  json.EndObject();
  return OneLine(std::move(text));
}

std::string ResultCountsLine(const ResultCounts& counts) {
  std::string text;
  JsonText json(&text);
  json.BeginDocument("onnx-hier/result-lines", 1);
  json.Key("models").Unsigned(counts.models());
  json.Key("ok").Unsigned(counts.ok);
  json.Key("found").Unsigned(counts.found);
  json.Key("skipped").Unsigned(counts.skipped);
  json.Key("failed").Unsigned(counts.failed);
  AppendMilliseconds(counts.milliseconds, json);
  json.EndObject();
  return OneLine(std::move(text));
}

}  // namespace onnx_hier
