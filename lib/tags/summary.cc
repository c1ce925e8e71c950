#include "onnx_hier_program/summary.h"

#include "absl/strings/str_cat.h"
#include "lib/tags/summary_json.h"

namespace onnx_hier {

Summary Summarize(const Annotation& annotation) {
  Summary summary;
  summary.nodes = annotation.assignments.size();
  for (const Assignment& assignment : annotation.assignments) {
    if (assignment.primary.valid()) ++summary.tagged;
    if (assignment.primary.valid() && assignment.confidence < kUnsure) ++summary.unsure;
    ++summary.by_method[static_cast<size_t>(assignment.method)];
  }
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

std::string MethodsText(const Summary& summary) {
  std::string text;
  for (size_t i = 0; i < kMethodCount; ++i) {
    if (summary.by_method[i] == 0) continue;
    absl::StrAppend(&text, text.empty() ? "" : ", ", summary.by_method[i], " ",
                    MethodName(static_cast<Method>(i)));
  }
  return text;
}

}  // namespace onnx_hier
