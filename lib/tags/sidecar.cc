// SPDX-License-Identifier: Apache-2.0
#include "lib/tags/sidecar.h"

#include <algorithm>
#include <cstddef>
#include <string>
#include <type_traits>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/string_view.h"
#include "absl/types/span.h"
#include "lib/base/pen.h"
#include "lib/base/text_room.h"
#include "lib/onnx/value_type.h"
#include "lib/tags/sidecar_nodes.h"
#include "lib/tags/summary_json.h"
#include "onnx_hier/module_paths.h"
#include "onnx_hier/version.h"
#include "onnx_hier_program/summary.h"
#include "onnx_hier_program/threads.h"

namespace onnx_hier {
namespace {

constexpr size_t kAmpleLine = 512;        // bytes: nearly all nodes have less
constexpr size_t kNodesAtOnce = 1 << 11;  // that a thread puts together

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

// The objects of modules.
class ModuleObjects {
 public:
  struct NoFields {
    static constexpr size_t size() { return 0; }
  };

  // All must outlive this.
  ModuleObjects(const Annotation& annotation, const ModuleTree& modules, const TagTexts& tags)
      : paths_(annotation.paths), modules_(modules), tags_(tags), names_(annotation.paths, '.') {}

  // `begin` is what stands in front: the array's other items. `fields`: what its object has
  // besides; in most documents nothing.
  template <class Fields>
  void Append(ModuleId id, absl::string_view begin, Fields fields, OutgoingText& out) {
    const Module& module = modules_.module(id);
    const absl::string_view tag = tags_[module.path];
    // Without its first dot: the root's is "".
    const absl::string_view name = names_[module.path].substr(2);
    const absl::string_view parent = module.parent.valid() ? tags_[ParentOf(module)] : "null";
    const absl::string_view classes = Classes(id);
    const absl::string_view read_in = module.read_in.valid() ? tags_[module.read_in] : "";
    Pen pen(out.Room(begin.size() + tag.size() + name.size() + parent.size() + classes.size() +
                     read_in.size() + fields.size() + kModuleNumbers * Pen::kLongestNumber +
                     kModuleKeys));
    pen.Put(begin).Put(R"({"path":)").Put(tag).Put(R"(,"qualified_name":")").Put(name);
    pen.Put(R"(,"class":)").Put(classes).Put(R"(,"parent":)").Put(parent);
    pen.Put(R"(,"calls":)").Number(module.calls);
    pen.Put(R"(,"nodes":)").Number(module.nodes);
    pen.Put(R"(,"total_nodes":)").Number(module.total_nodes);
    pen.Put(R"(,"parameters":)").Number(module.parameters);
    pen.Put(R"(,"total_parameters":)").Number(module.total_parameters);
    pen.Put(R"(,"total_parameter_bytes":)").Number(module.total_parameter_bytes);
    if (!read_in.empty()) pen.Put(R"(,"read_in":)").Put(read_in);
    if (module.is_idle) pen.Put(R"(,"state":"no nodes")");
    if constexpr (!std::is_same_v<Fields, NoFields>) pen.Put(fields);
    pen.Put("}");
    out.Take(pen.end());
  }

 private:
  static constexpr size_t kModuleNumbers = 6;
  static constexpr size_t kModuleKeys = 224;

  PathId ParentOf(const Module& module) const { return modules_.module(module.parent).path; }

  // What is known of a module whose class is.
  absl::string_view Classes(ModuleId id) {
    const Module& module = modules_.module(id);
    if (module.class_name.empty() && module.class_path.empty()) return "null";
    classes_.clear();
    if (module.class_name.empty()) {
      classes_ = "null";
    } else {
      AppendJsonString(module.class_name, &classes_);
    }
    if (!module.class_path.empty()) {
      classes_ += R"(,"class_path":)";
      AppendJsonString(module.class_path, &classes_);
    }
    if (module.class_name.empty()) return classes_;
    absl::StrAppend(&classes_, R"(,"level":)", paths_.depth(module.path), R"(,"leaf":)",
                    modules_.is_leaf(id) ? "true" : "false", R"(,"library":)");
    const absl::string_view library = LibraryOf(module.class_name);
    if (library.empty()) {
      classes_ += "null";
    } else {
      AppendJsonString(library, &classes_);
    }
    return classes_;
  }

  const ModulePaths& paths_;
  const ModuleTree& modules_;
  const TagTexts& tags_;
  const TagTexts names_;
  std::string classes_;  // kept for its memory
};

// The objects of parameters.
class ParameterObjects {
 public:
  // All must outlive this.
  ParameterObjects(const Graph& graph, const Annotation& annotation, const TagTexts& tags)
      : graph_(graph), names_(annotation.parameter_names.get()), tags_(tags) {}

  // `begin` is what stands in front: the array's other items.
  void Append(const OwnedParameter& parameter, absl::string_view begin, OutgoingText& out) {
    const Value& value = graph_.value(parameter.value);
    const Tensor& tensor = graph_.tensor(parameter.tensor);
    const absl::string_view name = InJson(value.name, &name_);
    const absl::string_view elsewhere = NameElsewhere(value);
    const absl::string_view maker = Maker(value);
    const absl::string_view module = tags_[parameter.owner];
    const std::string type = TypeText(TensorType(tensor.data_type));
    const absl::Span<const int64_t> dims = graph_.dims(parameter.tensor);
    Pen pen(out.Room(begin.size() + name.size() + elsewhere.size() + maker.size() + module.size() +
                     type.size() + (dims.size() + 1) * (Pen::kLongestNumber + 1) + kParameterKeys));
    pen.Put(begin).Put(R"({"name":")").Put(name).Put("\"").Put(elsewhere).Put(maker);
    pen.Put(R"(,"module":)").Put(module).Put(R"(,"type":")").Put(type).Put(R"(","shape":[)");
    for (size_t i = 0; i < dims.size(); ++i) {
      if (i > 0) pen.Put(",");
      pen.Number(dims[i]);
    }
    pen.Put(R"(],"bytes":)").Number(tensor.bytes).Put("}");
    out.Take(pen.end());
  }

 private:
  static constexpr size_t kParameterKeys = 96;

  // The node that makes it, with its key; "" where none does.
  absl::string_view Maker(const Value& value) {
    if (!value.producer.valid()) return "";
    maker_ = R"(,"node":)";
    AppendJsonString(graph_.NodePath(value.producer), &maker_);
    return maker_;
  }

  // In a checkpoint, with its key; "" where nothing is known of that.
  absl::string_view NameElsewhere(const Value& value) {
    if (names_ == nullptr) return "";
    const auto found = names_->of.find(value.name);
    if (found == names_->of.end()) return "";
    elsewhere_ = R"(,"checkpoint_name":)";
    AppendJsonString(found->second.name, &elsewhere_);
    return elsewhere_;
  }

  const Graph& graph_;
  const ParameterNames* const names_;
  const TagTexts& tags_;
  std::string name_, elsewhere_, maker_;  // kept for their memory
};

// Of an array whose items are written by pointer, each on a line of its own.
absl::string_view BeginOfItem(bool is_first) { return is_first ? "\n" : ",\n"; }

void AppendParametersJson(const SidecarContents& contents, const TagTexts& tags, JsonText& json,
                          OutgoingText& out) {
  json.BeginArray();
  ParameterObjects objects(contents.graph, contents.annotation, tags);
  const std::vector<OwnedParameter>& parameters = contents.annotation.parameters;
  for (size_t i = 0; i < parameters.size(); ++i) {
    objects.Append(parameters[i], BeginOfItem(i == 0), out);
  }
  json.NewLine();
  json.EndArray();
}

// The objects of nodes, so many at once.
void AppendNodesJson(const SidecarContents& contents, const TagTexts& tags, JsonText& json,
                     OutgoingText& out) {
  json.BeginArray();
  const auto make = [&](size_t begin, size_t end) {
    TextRoom text((end - begin) * kAmpleLine);
    NodeObjects objects(contents, tags);
    for (size_t i = begin; i < end; ++i) objects.Append(NodeId(i), BeginOfItem(i == 0), text);
    return text;
  };
  RunInOrder<TextRoom>(contents.graph.node_count(), kNodesAtOnce, contents.threads, make,
                       [&](const TextRoom& text) { out.Put(text.text()); });
  json.NewLine();
  json.EndArray();
}

}  // namespace

void NodeValues::AppendTo(NodeId node, std::string* out) const {
  JsonText json(out);
  json.Key("inputs");
  AppendNames(graph_.inputs(node), json);
  json.Key("outputs");
  AppendNames(graph_.outputs(node), json);
  json.Key("types").BeginArray();
  for (ValueId value : graph_.outputs(node)) {
    const absl::string_view type = value.valid() ? types_.type(value) : absl::string_view();
    json.StringOrNull(type.empty() ? std::string() : TypeText(type));
  }
  json.EndArray();
  json.Key("shapes").BeginArray();
  for (ValueId value : graph_.outputs(node)) {
    AppendShape(value.valid() ? shape_of_(value) : std::nullopt, json);
  }
  json.EndArray();
}

void NodeValues::AppendNames(absl::Span<const ValueId> values, JsonText& json) const {
  json.BeginArray();
  for (ValueId value : values) {
    json.String(value.valid() ? graph_.value(value).name : absl::string_view());
  }
  json.EndArray();
}

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

void AppendModulesJson(const Annotation& annotation, const ModuleTree& modules,
                       const TagTexts& tags, JsonText& json, OutgoingText& out) {
  json.BeginArray();
  ModuleObjects objects(annotation, modules, tags);
  for (ModuleId id : modules.ids()) {
    objects.Append(id, BeginOfItem(id == modules.root()), ModuleObjects::NoFields(), out);
  }
  json.NewLine();
  json.EndArray();
}

void AppendModulesJson(const Annotation& annotation, const ModuleTree& modules,
                       absl::Span<const ModuleId> shown, const TagTexts& tags, ModuleFields fields,
                       JsonText& json, OutgoingText& out) {
  json.BeginArray();
  ModuleObjects objects(annotation, modules, tags);
  for (ModuleId id : shown) objects.Append(id, BeginOfItem(id == shown.front()), fields(id), out);
  json.NewLine();
  json.EndArray();
}

void AppendCheckpointJson(const ParameterNames& names, JsonText& json) {
  json.Key("checkpoint").BeginArray();
  for (const ParameterNames::File& file : names.files) {
    json.BeginObject();
    json.Key("file").String(file.name);
    json.Key("format").String(file.format);
    json.Key("bytes").Unsigned(file.bytes);
    json.Key("header").String(absl::StrCat(absl::Hex(file.header_hash, absl::kZeroPad16)));
    json.EndObject();
  }
  json.EndArray();
}

absl::Status WriteSidecarJson(const SidecarContents& contents, absl::string_view file,
                              ByteSink& sink) {
  const Graph& graph = contents.graph;
  const Annotation& annotation = contents.annotation;
  OutgoingText out(sink);
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
  if (annotation.parameter_names != nullptr) {
    AppendCheckpointJson(*annotation.parameter_names, json);
    json.NewLine();
  }
  if (!contents.measures.empty()) {
    json.Key("measures").Raw(contents.measures);
    json.NewLine();
  }
  json.Key("modules");
  TagTexts tags(annotation.paths);
  if (contents.threads > 1) tags.RenderAll();
  const ModuleTree& modules = annotation.all_modules();
  if (contents.fields) {
    std::vector<ModuleId> all;
    for (ModuleId id : modules.ids()) all.push_back(id);
    AppendModulesJson(annotation, modules, all, tags, contents.fields, json, out);
  } else {
    AppendModulesJson(annotation, modules, tags, json, out);
  }
  json.NewLine();
  json.Key("parameters");
  AppendParametersJson(contents, tags, json, out);
  json.NewLine();
  json.Key("nodes");
  AppendNodesJson(contents, tags, json, out);
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
