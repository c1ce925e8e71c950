#include "absl/strings/str_format.h"
#include "lib/base/json_text.h"
#include "lib/tags/summary_json.h"
#include "onnx_hier/reports.h"
#include "onnx_hier/safe_text.h"

namespace onnx_hier {
namespace {

void AppendResult(const TagResult& result, JsonText& json) {
  const auto text_or_null = [&json](const char* key, const std::string& text) {
    json.Key(key);
    if (text.empty()) {
      json.Null();
    } else {
      json.String(text);
    }
  };
  const bool good = result.error.empty();
  json.NewLine();
  json.BeginObject();
  json.Key("input").String(result.input);
  text_or_null("output", good ? result.output : "");
  text_or_null("sidecar", good ? result.sidecar : "");
  json.Key("status").String(good ? "ok" : "error");
  text_or_null("error", SafeForTerminal(result.error));
  json.Key("warnings").BeginArray();
  for (const std::string& warning : result.warnings) json.String(SafeForTerminal(warning));
  json.EndArray();
  if (good) {
    AppendSummaryFields(result.summary, json);
  } else {
    json.Key("nodes").Unsigned(0);
    json.Key("tagged").Unsigned(0);
    json.Key("coverage").Probability(0);
    json.Key("by_method").BeginObject();
    json.EndObject();
  }
  if (good && result.named.has_value()) json.Key("named").Unsigned(*result.named);
  json.Key("milliseconds").Raw(absl::StrFormat("%.1f", result.milliseconds));
  json.EndObject();
}

}  // namespace

std::string TagResultsJson(absl::Span<const TagResult> results) {
  std::string text;
  JsonText json(&text);
  json.BeginDocument("onnx-hier/tag-result", 1);
  json.Key("files").BeginArray();
  for (const TagResult& result : results) AppendResult(result, json);
  json.NewLine();
  json.EndArray();
  json.EndObject();
  text += '\n';
  return text;
}

}  // namespace onnx_hier
