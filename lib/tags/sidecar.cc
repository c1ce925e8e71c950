#include "lib/tags/sidecar.h"

#include <string>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "lib/tags/same_placement.h"
#include "lib/tags/summary_json.h"
#include "onnx_hier/explain.h"
#include "onnx_hier/summary.h"
#include "onnx_hier/version.h"

namespace onnx_hier {
namespace {

constexpr size_t kUsualLine = 256;  // bytes of a node

// `text` itself where JSON has it as it is, or else what stands in `buffer` then.
absl::string_view InJson(absl::string_view text, std::string* buffer) {
  if (PlainJsonPrefix(text) == text.size()) return text;
  buffer->clear();
  AppendJsonContents(text, buffer);
  return *buffer;
}

// The objects of nodes. There are as many as nodes: each is put together from a few pieces, of
// which those that many nodes have in common are kept.
class NodeTexts {
 public:
  // All arguments must outlive this.
  NodeTexts(const Graph& graph, const Annotation& annotation, TagTexts& tags)
      : graph_(graph),
        annotation_(annotation),
        tags_(tags),
        same_{&annotation},
        types_(graph.op_count()) {}

  void Append(NodeId id, std::string* out) {
    const Node& node = graph_.node(id);
    const absl::string_view name = InJson(node.name, &name_);
    if (!last_.valid() || !same_(last_, id)) RenderPlacement(id);
    const bool in_main = node.block == graph_.main_block();
    if (!in_main) path_ = graph_.NodePath(id);
    const absl::AlphaNum index(node.index);
    absl::StrAppend(out, R"({"id":")", in_main ? index.Piece() : InJson(path_, &path_in_json_),
                    R"(","name":")", name, TypeText(node.op), OutputName(id, name), placement_);
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

  // What stands between a node's name and that of its output.
  const std::string& TypeText(OpId op) {
    std::string& text = types_[op];
    if (text.empty()) {
      text = R"(","op_type":")";
      AppendJsonContents(graph_.op(op).type, &text);
      text += R"(","output":")";
    }
    return text;
  }

  // Most outputs are named after their node, whose name was looked at before.
  absl::string_view OutputName(NodeId id, absl::string_view name_in_json) {
    const absl::Span<const ValueId> outputs = graph_.outputs(id);
    if (outputs.empty() || !outputs[0].valid()) return "";
    const absl::string_view output = graph_.value(outputs[0]).name;
    const absl::string_view name = graph_.node(id).name;
    const bool is_plain = name_in_json.data() == name.data();
    if (is_plain && absl::StartsWith(output, name)) {
      const absl::string_view rest = output.substr(name.size());
      if (PlainJsonPrefix(rest) == rest.size()) return output;
    }
    return InJson(output, &output_);
  }

  const Graph& graph_;
  const Annotation& annotation_;
  TagTexts& tags_;
  const SamePlacement same_;
  IdVector<OpId, std::string> types_;
  NodeId last_;                                      // whose placement_ it is
  std::string placement_;                            // from the tag to the call
  std::string path_, path_in_json_, name_, output_;  // kept for their memory
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

void AppendModule(const Annotation& annotation, ModuleId id, TagTexts& tags, std::string* out) {
  const Module& module = annotation.modules.module(id);
  absl::StrAppend(out, R"({"path":)", tags[module.path], R"(,"qualified_name":)");
  AppendJsonString(annotation.paths.QualifiedName(module.path), out);
  *out += R"(,"class":)";
  if (module.class_name.empty()) {
    *out += "null";
  } else {
    AppendJsonString(module.class_name, out);
  }
  if (!module.class_path.empty()) {
    *out += R"(,"class_path":)";
    AppendJsonString(module.class_path, out);
  }
  absl::string_view parent = "null";
  if (module.parent.valid()) parent = tags[annotation.modules.module(module.parent).path];
  absl::StrAppend(out, R"(,"parent":)", parent, R"(,"calls":)", module.calls, R"(,"nodes":)",
                  module.nodes, R"(,"total_nodes":)", module.total_nodes);
  absl::StrAppend(out, R"(,"parameters":)", module.parameters, R"(,"total_parameters":)",
                  module.total_parameters, R"(,"total_parameter_bytes":)",
                  module.total_parameter_bytes, "}");
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
  json.BeginArray();
  for (ModuleId id : annotation.modules.ids()) {
    json.NewLine();
    json.Raw("");
    AppendModule(annotation, id, tags, out.text());
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
  for (NodeId id : graph.node_ids()) {
    json.NewLine();
    json.Raw("");
    node_texts.Append(id, out.text());
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
