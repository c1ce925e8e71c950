#include "tools/onnx-hier/tag_report.h"

#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "lib/base/json_text.h"
#include "lib/base/safe_text.h"
#include "tools/onnx-hier/write_flags.h"

namespace onnx_hier::cli {
namespace {

void AppendOutcome(const TagOutcome& outcome, JsonText& json) {
  const auto text_or_null = [&json](const char* key, const std::string& text) {
    json.Key(key);
    if (text.empty()) {
      json.Null();
    } else {
      json.String(text);
    }
  };
  const bool good = outcome.status.ok();
  json.NewLine();
  json.BeginObject();
  json.Key("input").String(outcome.job.input);
  text_or_null("output", good ? outcome.job.model : "");
  text_or_null("sidecar", good ? outcome.job.sidecar : "");
  json.Key("status").String(good ? "ok" : "error");
  text_or_null("error", SafeForTerminal(outcome.error));
  json.Key("warnings").BeginArray();
  for (const std::string& warning : outcome.warnings) json.String(SafeForTerminal(warning));
  json.EndArray();
  if (good) {
    AppendSummaryFields(outcome.summary, json);
  } else {
    json.Key("nodes").Unsigned(0);
    json.Key("tagged").Unsigned(0);
    json.Key("coverage").Probability(0);
    json.Key("by_method").BeginObject();
    json.EndObject();
  }
  json.Key("milliseconds").Raw(absl::StrFormat("%.1f", outcome.milliseconds));
  json.EndObject();
}

}  // namespace

std::string SummaryLine(const TagOutcome& outcome) {
  const Summary& summary = outcome.summary;
  const std::string methods = MethodsText(summary);
  return absl::StrFormat(
      "%s: %d of %d nodes tagged%s, %.0f ms",
      outcome.job.model.empty() ? InputName(outcome.job.input) : OutputName(outcome.job.model),
      summary.tagged, summary.nodes, methods.empty() ? "" : absl::StrCat(" (", methods, ")"),
      outcome.milliseconds);
}

std::string ResultJson(const std::vector<TagOutcome>& outcomes) {
  std::string text;
  JsonText json(&text);
  json.BeginObject();
  json.Key("schema").String("onnx-hier/tag-result");
  json.Key("schema_version").Unsigned(1);
  json.Key("files").BeginArray();
  for (const TagOutcome& outcome : outcomes) AppendOutcome(outcome, json);
  json.NewLine();
  json.EndArray();
  json.EndObject();
  text += '\n';
  return text;
}

}  // namespace onnx_hier::cli
