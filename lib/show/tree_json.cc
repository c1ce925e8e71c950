// SPDX-License-Identifier: Apache-2.0
#include "lib/base/outgoing_text.h"
#include "lib/show/column_json.h"
#include "lib/show/tree_order.h"
#include "lib/tags/sidecar.h"
#include "lib/tags/tag_texts.h"
#include "onnx_hier_program/json_text.h"
#include "onnx_hier_program/reports.h"

namespace onnx_hier {

absl::Status WriteTreeJson(const Graph& graph, const Annotation& annotation,
                           const TreeTextOptions& options, absl::string_view file, ByteSink& sink) {
  OutgoingText out(sink);
  JsonText json(out.text());
  json.BeginDocument("onnx-hier/tree", 1);
  json.NewLine();
  json.Key("model");
  AppendModelJson(graph, annotation, file, json);
  json.NewLine();
  if (!options.columns.empty()) {
    json.Key("measures");
    AppendMeasures(options.columns, json);
    json.NewLine();
  }
  json.Key("modules");
  const TagTexts tags(annotation.paths);
  MeasureFields fields(options.columns);
  AppendModulesJson(
      annotation, annotation.modules, ModulesShown(annotation.modules, options), tags,
      [&](ModuleId id) { return fields.Of(id); }, json, out);
  json.EndObject();
  out.text()->push_back('\n');
  return out.Finish();
}

}  // namespace onnx_hier
