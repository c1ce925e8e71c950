#include "lib/tags/sidecar.h"

#include <string>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "absl/strings/str_cat.h"
#include "lib/tags/same_placement.h"
#include "lib/tags/summary_json.h"
#include "onnx_hier/explain.h"
#include "onnx_hier/summary.h"
#include "onnx_hier/version.h"

namespace onnx_hier {
namespace {

constexpr size_t kUsualLine = 256;  // bytes of a node

// The objects of nodes. There are as many as nodes: keys and brackets between two values are one
// piece each, a third of the time of putting them together by JsonText.
class NodeTexts {
 public:
  // All arguments must outlive this.
  NodeTexts(const Graph& graph, const Annotation& annotation, TagTexts& tags)
      : graph_(graph), annotation_(annotation), tags_(tags), same_{&annotation} {}

  void Append(NodeId id, std::string* out) {
    const absl::Span<const ValueId> outputs = graph_.outputs(id);
    *out += R"({"id":")";
    AppendJsonContents(graph_.NodePath(id), out);
    *out += R"(","name":")";
    AppendJsonContents(graph_.node(id).name, out);
    *out += R"(","op_type":")";
    AppendJsonContents(graph_.op(id).type, out);
    *out += R"(","output":")";
    if (!outputs.empty() && outputs[0].valid()) {
      AppendJsonContents(graph_.value(outputs[0]).name, out);
    }
    if (!last_.valid() || !same_(last_, id)) RenderPlacement(id);
    *out += placement_;
    if (const std::string reason = ReasonText(graph_, annotation_, id); !reason.empty()) {
      *out += R"(,"reason":")";
      AppendJsonContents(reason, out);
      *out += '"';
    }
    *out += '}';
  }

 private:
  void RenderPlacement(NodeId id) {
    const Assignment& assignment = annotation_.assignments[id];
    placement_ = absl::StrCat(R"(","tag":)", tags_[assignment.primary], R"(,"auxiliary":[)");
    for (PathId path : annotation_.auxiliary_of(id)) {
      if (placement_.back() != '[') placement_ += ',';
      placement_ += tags_[path];
    }
    absl::StrAppend(&placement_, R"(],"method":")", MethodName(assignment.method),
                    R"(","confidence":)");
    AppendProbability(assignment.confidence, &placement_);
    absl::StrAppend(&placement_, R"(,"containment":)");
    AppendProbability(assignment.containment, &placement_);
    absl::StrAppend(&placement_, R"(,"call":)", assignment.call);
    last_ = id;
  }

  const Graph& graph_;
  const Annotation& annotation_;
  TagTexts& tags_;
  const SamePlacement same_;
  NodeId last_;            // whose placement_ it is
  std::string placement_;  // from the tag to the call
};

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

void AppendModulesJson(const Annotation& annotation, TagTexts& tags, JsonText& json,
                       OutgoingText& out) {
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
    out.Pass();
  }
  json.NewLine();
  json.EndArray();
}

absl::Status WriteSidecarJson(const Graph& graph, const Annotation& annotation,
                              absl::string_view file, ByteSink& sink) {
  OutgoingText out(sink, graph.node_count() * kUsualLine);
  JsonText json(out.text());
  json.BeginDocument("onnx-hier/sidecar", 1);
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
  AppendModulesJson(annotation, tags, json, out);
  json.NewLine();
  json.Key("nodes").BeginArray();
  NodeTexts node_texts(graph, annotation, tags);
  std::string line;
  for (NodeId id : graph.node_ids()) {
    line.clear();
    node_texts.Append(id, &line);
    json.NewLine();
    json.Raw(line);
    out.Pass();
  }
  json.NewLine();
  json.EndArray();
  json.NewLine();
  json.Key("summary").BeginObject();
  AppendSummaryFields(Summarize(annotation), json);
  json.Key("contamination").BeginObject();
  json.Key("found").Unsigned(annotation.contamination.found);
  json.Key("resolved").Unsigned(annotation.contamination.resolved());
  json.Key("unresolved").Unsigned(annotation.contamination.unresolved);
  json.EndObject();
  json.EndObject();
  json.EndObject();
  out.text()->push_back('\n');
  return out.Finish();
}

}  // namespace onnx_hier
