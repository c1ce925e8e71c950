#include "lib/report/sidecar.h"

#include <algorithm>
#include <string>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "absl/strings/str_cat.h"
#include "lib/base/status_macros.h"
#include "lib/report/summary.h"
#include "onnx_hier/explain.h"
#include "onnx_hier/version.h"

namespace onnx_hier {
namespace {

constexpr size_t kFlushAt = 1 << 20;
constexpr size_t kUsualLine = 256;  // bytes of a node

// Appends a node's object. There are as many as nodes: keys and brackets between two values are one
// piece each, a third of the time of putting them together by JsonText.
void AppendNode(const Graph& graph, const Annotation& annotation, NodeId id, TagTexts& tags,
                std::string* out) {
  const Assignment& assignment = annotation.assignments[id];
  const absl::Span<const ValueId> outputs = graph.outputs(id);
  *out += R"({"id":")";
  AppendJsonContents(graph.NodePath(id), out);
  *out += R"(","name":")";
  AppendJsonContents(graph.node(id).name, out);
  *out += R"(","op_type":")";
  AppendJsonContents(graph.op(id).type, out);
  *out += R"(","output":")";
  if (!outputs.empty() && outputs[0].valid()) {
    AppendJsonContents(graph.value(outputs[0]).name, out);
  }
  *out += R"(","tag":)";
  *out += tags[assignment.primary];
  *out += R"(,"auxiliary":[)";
  for (PathId path : annotation.auxiliary_of(id)) {
    if (out->back() != '[') *out += ',';
    *out += tags[path];
  }
  *out += R"(],"method":")";
  out->append(MethodName(assignment.method).data(), MethodName(assignment.method).size());
  *out += R"(","confidence":)";
  AppendProbability(assignment.confidence, out);
  *out += R"(,"call":)";
  absl::StrAppend(out, assignment.call);
  if (const std::string reason = ReasonText(graph, annotation, id); !reason.empty()) {
    *out += R"(,"reason":")";
    AppendJsonContents(reason, out);
    *out += '"';
  }
  *out += '}';
}

// A domain that is imported twice counts with its last version, as in a protobuf map.
void AppendOpsetImports(const std::vector<OpsetImport>& imports, JsonText& json) {
  absl::flat_hash_map<absl::string_view, int64_t> last;
  for (const OpsetImport& opset : imports) last[opset.domain] = opset.version;
  json.BeginObject();
  for (const OpsetImport& opset : imports) {
    const auto found = last.find(opset.domain);
    if (found == last.end()) continue;
    json.Key(opset.domain).Number(found->second);
    last.erase(found);
  }
  json.EndObject();
}

}  // namespace

void AppendModelJson(const Graph& graph, const Annotation& annotation, absl::string_view file,
                     JsonText& json) {
  const ModelInfo& info = graph.info();
  json.BeginObject();
  json.Key("file").String(file);
  json.Key("graph_name").String(graph.block(graph.main_block()).name);
  json.Key("producer_name").String(info.producer_name);
  json.Key("producer_version").String(info.producer_version);
  json.Key("ir_version").Number(info.ir_version);
  json.Key("opset_import");
  AppendOpsetImports(info.opset_imports, json);
  json.Key("dialect").String(annotation.dialect);
  json.EndObject();
}

void AppendModulesJson(const Annotation& annotation, TagTexts& tags, JsonText& json) {
  const ModulePaths& paths = annotation.paths;
  json.BeginArray();
  for (ModuleId id : annotation.modules.ids()) {
    const Module& module = annotation.modules.module(id);
    json.NewLine();
    json.BeginObject();
    json.Key("path").Raw(tags[module.path]);
    json.Key("qualified_name").String(paths.QualifiedName(module.path));
    json.Key("class");
    if (module.class_name.empty()) {
      json.Null();
    } else {
      json.String(module.class_name);
    }
    if (!module.class_path.empty()) json.Key("class_path").String(module.class_path);
    json.Key("parent");
    if (module.parent.valid()) {
      json.Raw(tags[annotation.modules.module(module.parent).path]);
    } else {
      json.Null();
    }
    json.Key("calls").Unsigned(module.calls);
    json.Key("nodes").Unsigned(module.nodes);
    json.Key("total_nodes").Unsigned(module.total_nodes);
    json.Key("parameters").Unsigned(module.parameters);
    json.Key("total_parameters").Unsigned(module.total_parameters);
    json.Key("total_parameter_bytes").Unsigned(module.total_parameter_bytes);
    json.EndObject();
  }
  json.NewLine();
  json.EndArray();
}

absl::Status WriteSidecarJson(const Graph& graph, const Annotation& annotation,
                              absl::string_view file, ByteSink& sink) {
  std::string text;
  text.reserve(std::min(kFlushAt + kFlushAt / 8, graph.node_count() * kUsualLine));
  JsonText json(&text);
  json.BeginObject();
  json.Key("schema").String("onnx-hier/sidecar");
  json.Key("schema_version").Unsigned(1);
  json.NewLine();
  json.Key("generator").BeginObject();
  json.Key("name").String("onnx-hier");
  json.Key("version").String(kVersion);
  json.EndObject();
  json.NewLine();
  json.Key("model");
  AppendModelJson(graph, annotation, file, json);
  json.NewLine();
  json.Key("modules");
  TagTexts tags(annotation.paths);
  AppendModulesJson(annotation, tags, json);
  json.NewLine();
  json.Key("nodes").BeginArray();
  std::string line;
  for (NodeId id : graph.node_ids()) {
    line.clear();
    AppendNode(graph, annotation, id, tags, &line);
    json.NewLine();
    json.Raw(line);
    if (text.size() < kFlushAt) continue;
    OH_RETURN_IF_ERROR(sink.Append(text));
    text.clear();
  }
  json.NewLine();
  json.EndArray();
  json.NewLine();
  json.Key("summary").BeginObject();
  const Summary summary = Summarize(annotation);
  const size_t repaired = summary.by_method[static_cast<size_t>(Method::kRepaired)];
  AppendSummaryFields(summary, json);
  json.Key("contamination").BeginObject();
  json.Key("found").Unsigned(repaired);
  json.Key("resolved").Unsigned(repaired);
  json.Key("unresolved").Unsigned(0);
  json.EndObject();
  json.EndObject();
  json.EndObject();
  text.push_back('\n');
  return sink.Append(text);
}

}  // namespace onnx_hier
