// SPDX-License-Identifier: Apache-2.0
#include "lib/base/outgoing_text.h"
#include "lib/tags/sidecar.h"
#include "lib/tags/tag_texts.h"
#include "onnx_hier_program/json_text.h"
#include "onnx_hier_program/reports.h"

namespace onnx_hier {

absl::Status WriteTreeJson(const Graph& graph, const Annotation& annotation, absl::string_view file,
                           ByteSink& sink) {
  OutgoingText out(sink);
  JsonText json(out.text());
  json.BeginDocument("onnx-hier/tree", 1);
  json.NewLine();
  json.Key("model");
  AppendModelJson(graph, annotation, file, json);
  json.NewLine();
  json.Key("modules");
  const TagTexts tags(annotation.paths);
  AppendModulesJson(annotation, annotation.modules, tags, json, out);
  json.EndObject();
  out.text()->push_back('\n');
  return out.Finish();
}

}  // namespace onnx_hier
