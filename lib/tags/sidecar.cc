#include "lib/tags/sidecar.h"

#include <charconv>
#include <cstring>
#include <string>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "lib/tags/same_placement.h"
#include "lib/tags/summary_json.h"
#include "lib/types/value_type.h"
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
  NodeTexts(const SidecarContents& contents, TagTexts& tags)
      : graph_(contents.graph),
        annotation_(contents.annotation),
        names_(contents.names),
        values_(contents.values),
        tags_(tags),
        same_{&annotation_},
        types_(graph_.op_count()) {}

  // `begin` is what stands in front: the array's other items.
  void Append(NodeId id, absl::string_view begin, OutgoingText& out) {
    const Node& node = graph_.node(id);
    if (!last_.valid() || !same_(last_, id)) RenderPlacement(id);
    char index[kLongestIndex];
    absl::string_view path(index, WriteIndex(node.index, index));
    if (node.block != graph_.main_block())
      path = InJson(path_ = graph_.NodePath(id), &path_in_json_);
    const absl::string_view given = names_[id];
    const absl::string_view name = given.empty() ? InJson(node.name, &name_) : given;
    const absl::string_view type = TypeText(node.op);
    const absl::string_view output = OutputName(id, name);
    const absl::string_view more = More(id);
    char* at = out.Room(begin.size() + path.size() + name.size() + type.size() + output.size() +
                        placement_.size() + more.size() + kKeys);
    at = Put(begin, at);
    at = Put(R"({"id":")", at);
    at = Put(path, at);
    at = Put(R"(","name":")", at);
    at = Put(name, at);
    at = Put(type, at);
    at = Put(output, at);
    at = Put(placement_, at);
    at = Put(more, at);
    *at++ = '}';
    out.Take(at);
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

  static constexpr size_t kLongestIndex = 10;
  static constexpr size_t kKeys = 32;  // the keys of a node and its path, and the brackets

  static char* Put(absl::string_view piece, char* at) {
    if (!piece.empty()) std::memcpy(at, piece.data(), piece.size());
    return at + piece.size();
  }

  static size_t WriteIndex(uint32_t number, char* text) {
    return static_cast<size_t>(std::to_chars(text, text + kLongestIndex, number).ptr - text);
  }

  // With its keys; "" where there is none.
  absl::string_view More(NodeId id) {
    const std::string reason = ReasonText(graph_, annotation_, id);
    if (reason.empty() && values_ == nullptr) return "";
    more_.clear();
    if (!reason.empty()) {
      more_ = R"(,"reason":)";
      AppendJsonString(reason, &more_);
    }
    if (values_ != nullptr) {
      more_ += ',';
      values_->AppendTo(id, &more_);
    }
    return more_;
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
  const GivenNames& names_;
  const NodeValues* const values_;
  TagTexts& tags_;
  const SamePlacement same_;
  IdVector<OpId, std::string> types_;
  NodeId last_;                                             // whose placement_ it is
  std::string placement_;                                   // from the tag to the call
  std::string path_, path_in_json_, name_, output_, more_;  // kept for their memory
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

void AppendParameter(const Graph& graph, const OwnedParameter& parameter, TagTexts& tags,
                     std::string* out) {
  const Value& value = graph.value(parameter.value);
  const Tensor& tensor = graph.tensor(parameter.tensor);
  *out += R"({"name":)";
  AppendJsonString(value.name, out);
  if (value.producer.valid()) {
    *out += R"(,"node":)";
    AppendJsonString(graph.NodePath(value.producer), out);
  }
  absl::StrAppend(out, R"(,"module":)", tags[parameter.owner], R"(,"type":")",
                  TypeText(TensorType(tensor.data_type)), R"(","shape":[)",
                  absl::StrJoin(graph.dims(parameter.tensor), ","), R"(],"bytes":)", tensor.bytes,
                  "}");
}

void AppendParametersJson(const SidecarContents& contents, TagTexts& tags, JsonText& json,
                          OutgoingText& out) {
  json.BeginArray();
  for (const OwnedParameter& parameter : contents.annotation.parameters) {
    json.NewLine();
    json.Raw("");
    AppendParameter(contents.graph, parameter, tags, out.text());
    out.Pass();
  }
  json.NewLine();
  json.EndArray();
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

absl::Status WriteSidecarJson(const SidecarContents& contents, absl::string_view file,
                              ByteSink& sink) {
  const Graph& graph = contents.graph;
  const Annotation& annotation = contents.annotation;
  OutgoingText out(sink, graph.node_count() * kUsualLine);
  JsonText json(out.text());
  json.BeginDocument("onnx-hier/sidecar", kSidecarVersion);
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
  json.Key("parameters");
  AppendParametersJson(contents, tags, json, out);
  json.NewLine();
  json.Key("nodes").BeginArray();
  NodeTexts node_texts(contents, tags);
  for (NodeId id : graph.node_ids()) node_texts.Append(id, id.index() == 0 ? "\n" : ",\n", out);
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
