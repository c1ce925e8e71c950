// SPDX-License-Identifier: Apache-2.0

// Questions about annotated models.
#include <algorithm>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <vector>

#include "absl/algorithm/container.h"
#include "absl/container/flat_hash_map.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "onnx_hier/annotation.h"
#include "onnx_hier/apply.h"
#include "onnx_hier/bytes.h"
#include "onnx_hier/c.h"
#include "onnx_hier/cost.h"
#include "onnx_hier/diff.h"
#include "onnx_hier/exports.h"
#include "onnx_hier/hierarchy.h"
#include "onnx_hier/measures.h"
#include "onnx_hier/module_paths.h"
#include "onnx_hier/numerics.h"
#include "onnx_hier/parts.h"
#include "onnx_hier/profile.h"
#include "onnx_hier/value_files.h"
#include "onnx_hier_program/json_text.h"
#include "onnx_hier_program/numerics_report.h"
#include "onnx_hier_program/reports.h"
#include "onnx_hier_program/tasks.h"
#include "tools/c/ask.h"
#include "tools/c/calls.h"
#include "tools/c/columns.h"
#include "tools/c/handles.h"
#include "tools/c/options.h"

namespace onnx_hier::c {
namespace {

// A list in an object, an item for each of `things`.
template <class Things, class Item>
void List(JsonText& json, absl::string_view key, const Things& things, const Item& item) {
  json.Key(key).BeginArray();
  for (const auto thing : things) item(thing);
  json.EndArray();
}

std::string NumbersJson(const std::vector<uint32_t>& numbers) {
  return absl::StrCat("[", absl::StrJoin(numbers, ","), "]");
}

Answer Facts(Annotated& annotated, Options&) {
  std::string text;
  JsonText json(&text);
  json.BeginObject();
  json.Key("dialect").String(annotated.annotation.dialect);
  json.Key("warnings").ExactStrings(annotated.warnings);
  json.EndObject();
  return text;
}

// Each path's tag, written once.
class WrittenTags {
 public:
  explicit WrittenTags(const ModulePaths& paths) : paths_(paths) {}

  absl::string_view operator[](PathId path) {
    std::string& tag = written_[path.index()];
    if (tag.empty()) AppendExactJsonString(paths_.Tag(path), &tag);
    return tag;
  }

 private:
  const ModulePaths& paths_;
  absl::flat_hash_map<uint32_t, std::string> written_;
};

Answer Modules(Annotated& annotated, Options& options) {
  const Annotation& annotation = annotated.annotation;
  const ModuleTree& modules = options.Flag("all") ? annotation.all_modules() : annotation.modules;
  if (!options.status().ok()) return options.status();
  std::string text;
  JsonText json(&text);
  const auto list = [&](absl::string_view key, const auto& item) {
    List(json, key, modules.ids(), [&](ModuleId id) { item(id, modules.module(id)); });
  };
  const auto count = [&](absl::string_view key, const auto& of) {
    list(key, [&](ModuleId, const Module& m) { json.Unsigned(of(m)); });
  };
  json.BeginObject();
  list("path", [&](ModuleId, const Module& m) { json.ExactString(annotation.paths.Tag(m.path)); });
  list("qualified_name", [&](ModuleId, const Module& m) {
    json.ExactString(annotation.paths.QualifiedName(m.path));
  });
  list("class_name", [&](ModuleId, const Module& m) { json.ExactString(m.class_name); });
  list("parent", [&](ModuleId, const Module& m) {
    if (m.parent.valid()) {
      json.Unsigned(m.parent.index());
    } else {
      json.Null();
    }
  });
  count("calls", [](const Module& m) { return m.calls; });
  count("nodes", [](const Module& m) { return m.nodes; });
  count("total_nodes", [](const Module& m) { return m.total_nodes; });
  count("parameters", [](const Module& m) { return m.parameters; });
  count("total_parameters", [](const Module& m) { return m.total_parameters; });
  count("total_parameter_bytes", [](const Module& m) { return m.total_parameter_bytes; });
  count("level", [&](const Module& m) { return annotation.paths.depth(m.path); });
  list("leaf", [&](ModuleId id, const Module&) { json.Bool(modules.is_leaf(id)); });
  list("library", [&](ModuleId, const Module& m) { json.StringOrNull(LibraryOf(m.class_name)); });
  list("state", [&](ModuleId, const Module& m) { json.StringOrNull(m.is_idle ? "no nodes" : ""); });
  list("read_in", [&](ModuleId, const Module& m) {
    if (m.read_in.valid()) {
      json.ExactString(annotation.paths.Tag(m.read_in));
    } else {
      json.Null();
    }
  });
  json.EndObject();
  return text;
}

Answer Nodes(Annotated& annotated, Options&) {
  const Annotation& annotation = annotated.annotation;
  const Graph& graph = annotated.graph();
  WrittenTags tags(annotation.paths);
  std::string text;
  JsonText json(&text);
  const auto list = [&](absl::string_view key, const auto& item) {
    List(json, key, graph.node_ids(), item);
  };
  json.BeginObject();
  list("id", [&](NodeId id) { json.String(graph.NodePath(id)); });
  list("name", [&](NodeId id) { json.ExactString(graph.node(id).name); });
  list("op_type", [&](NodeId id) { json.ExactString(graph.op(id).type); });
  list("domain", [&](NodeId id) { json.ExactString(graph.op(id).domain); });
  list("module", [&](NodeId id) { json.Raw(tags[annotation.assignments[id].primary]); });
  list("method", [&](NodeId id) { json.String(MethodName(annotation.assignments[id].method)); });
  list("confidence", [&](NodeId id) { json.Probability(annotation.assignments[id].confidence); });
  list("containment", [&](NodeId id) { json.Probability(annotation.assignments[id].containment); });
  list("call", [&](NodeId id) { json.Unsigned(annotation.assignments[id].call); });
  list("by_call", [&](NodeId id) { json.Bool(annotation.assignments[id].is_by_call); });
  list("outputs", [&](NodeId id) {
    json.BeginArray();
    for (ValueId output : graph.outputs(id)) {
      json.ExactString(output.valid() ? graph.value(output).name : "");
    }
    json.EndArray();
  });
  json.Key("auxiliary").BeginArray();
  for (NodeId id : graph.node_ids()) {
    const absl::Span<const PathId> paths = annotation.auxiliary_of(id);
    if (paths.empty()) continue;
    json.BeginArray();
    json.Unsigned(id.index());
    json.BeginArray();
    for (PathId path : paths) json.Raw(tags[path]);
    json.EndArray();
    json.EndArray();
  }
  json.EndArray();
  json.EndObject();
  return text;
}

Answer Parameters(Annotated& annotated, Options&) {
  const Annotation& annotation = annotated.annotation;
  const Graph& graph = annotated.graph();
  std::string text;
  JsonText json(&text);
  const auto list = [&](absl::string_view key, const auto& item) {
    List(json, key, annotation.parameters, item);
  };
  json.BeginObject();
  list("name", [&](const OwnedParameter& p) { json.ExactString(graph.value(p.value).name); });
  list("module", [&](const OwnedParameter& p) { json.ExactString(annotation.paths.Tag(p.owner)); });
  list("data_type",
       [&](const OwnedParameter& p) { json.Number(graph.tensor(p.tensor).data_type); });
  list("shape", [&](const OwnedParameter& p) {
    json.BeginArray();
    for (int64_t size : graph.dims(p.tensor)) json.Number(size);
    json.EndArray();
  });
  list("elements",
       [&](const OwnedParameter& p) { json.Unsigned(graph.tensor(p.tensor).elements); });
  list("bytes", [&](const OwnedParameter& p) { json.Unsigned(graph.tensor(p.tensor).bytes); });
  json.EndObject();
  return text;
}

Answer Find(Annotated& annotated, Options& options) {
  const absl::StatusOr<std::vector<ModuleId>> modules = ModulesMeant(annotated.hierarchy, options);
  if (!modules.ok()) return modules.status();
  std::vector<uint32_t> numbers;
  for (ModuleId module : *modules) numbers.push_back(module.index());
  return NumbersJson(numbers);
}

// Each once, and in the order of all.
template <class Id>
std::vector<uint32_t> InOrder(const std::vector<absl::Span<const Id>>& spans) {
  std::vector<uint32_t> numbers;
  for (absl::Span<const Id> span : spans) {
    for (Id id : span) numbers.push_back(id.index());
  }
  std::sort(numbers.begin(), numbers.end());
  numbers.erase(std::unique(numbers.begin(), numbers.end()), numbers.end());
  return numbers;
}

Answer NodesOf(Annotated& annotated, Options& options) {
  const Hierarchy& hierarchy = annotated.hierarchy;
  const bool own = options.Flag("own");
  const absl::StatusOr<std::vector<ModuleId>> modules = ModulesMeant(hierarchy, options);
  if (!modules.ok()) return modules.status();
  std::vector<absl::Span<const NodeId>> spans;
  for (ModuleId module : *modules) {
    spans.push_back(own ? hierarchy.OwnNodes(module) : hierarchy.Nodes(module));
  }
  return NumbersJson(InOrder(spans));
}

Answer ParametersOf(Annotated& annotated, Options& options) {
  const Hierarchy& hierarchy = annotated.hierarchy;
  const bool own = options.Flag("own");
  const absl::StatusOr<std::vector<ModuleId>> modules = ModulesMeant(hierarchy, options);
  if (!modules.ok()) return modules.status();
  std::vector<absl::Span<const ValueId>> spans;
  for (ModuleId module : *modules) {
    spans.push_back(own ? hierarchy.OwnParameters(module) : hierarchy.Parameters(module));
  }
  const std::vector<uint32_t> values = InOrder(spans);
  const std::vector<OwnedParameter>& parameters = annotated.annotation.parameters;
  std::vector<uint32_t> numbers;
  for (size_t i = 0; i < parameters.size(); ++i) {
    if (std::binary_search(values.begin(), values.end(), parameters[i].value.index())) {
      numbers.push_back(static_cast<uint32_t>(i));
    }
  }
  return NumbersJson(numbers);
}

enum class NamesOf : uint8_t { kNodes, kIds, kInputs, kOutputs, kAllValues };

void AppendNames(const Graph& graph, const std::vector<NodeId>& nodes, NamesOf what,
                 JsonText& json) {
  if (what == NamesOf::kNodes) {
    List(json, "names", nodes, [&](NodeId id) { json.ExactString(graph.node(id).name); });
    return;
  }
  if (what == NamesOf::kIds) {
    List(json, "names", nodes, [&](NodeId id) { json.String(graph.NodePath(id)); });
    return;
  }
  const SelectedValues values = ValuesOf(graph, nodes);
  List(json, "names",
       what == NamesOf::kInputs    ? values.inputs
       : what == NamesOf::kOutputs ? values.outputs
                                   : values.all,
       [&](ValueId id) { json.ExactString(graph.value(id).name); });
}

Answer SelectNodes(Annotated& annotated, Options& options) {
  const Graph& graph = annotated.graph();
  SelectOptions request = {options.Texts("pattern"), options.Flag("own"), options.Texts("op_type"),
                           std::nullopt};
  if (const auto below = options.Real("below", 1)) request.below = static_cast<float>(*below);
  const auto what =
      static_cast<NamesOf>(options.Word("as", {"names", "ids", "inputs", "outputs", "all"}));
  if (!options.status().ok()) return options.status();
  const absl::StatusOr<Selection> selection = Select(annotated.hierarchy, request);
  if (!selection.ok()) return About(annotated.held->name, selection.status());
  if (!selection->unmet.empty()) {
    return NoModuleError(NoSuchModule(annotated.hierarchy, selection->unmet.front()));
  }
  std::vector<std::string> unknown = request.op_types;
  unknown.erase(std::remove_if(unknown.begin(), unknown.end(),
                               [&](const std::string& type) { return graph.HasOperator(type); }),
                unknown.end());
  std::string text;
  JsonText json(&text);
  json.BeginObject();
  json.Key("nodes").Unsigned(selection->nodes.size());
  AppendNames(graph, selection->nodes, what, json);
  json.Key("unknown_operators").ExactStrings(unknown);
  json.EndObject();
  return text;
}

Answer ExplainNodes(Annotated& annotated, Options& options) {
  const std::vector<uint32_t> numbers = options.Numbers("nodes", annotated.graph().node_count());
  if (!options.status().ok()) return options.status();
  const std::vector<NodeId> nodes(numbers.begin(), numbers.end());
  const Explanations why = Explain(annotated.held->model, nodes, annotated.options);
  return ExplainJson(annotated.graph(), why, FileName(annotated.held->name));
}

// Which modules, and how many levels of them.
absl::StatusOr<TreeTextOptions> RowsAsked(const Hierarchy& hierarchy, Options& options) {
  TreeTextOptions rows;
  rows.depth = static_cast<uint32_t>(options.Number("depth").value_or(rows.depth));
  const absl::StatusOr<std::vector<ModuleId>> modules = ModulesMeant(hierarchy, options);
  if (!modules.ok()) return modules.status();
  rows.modules = WithoutInner(hierarchy, *modules);
  return rows;
}

Answer DrawTreeOf(const Annotated& annotated, const Annotation& annotation,
                  const Hierarchy& hierarchy, Options& options) {
  enum Form : uint8_t { kText, kMarkdown, kCsv, kJson };
  const auto form = static_cast<Form>(options.Word("as", {"text", "markdown", "csv", "json"}));
  absl::StatusOr<TreeTextOptions> draw = RowsAsked(hierarchy, options);
  if (!draw.ok()) return draw.status();
  AskedColumns columns(annotated.held->model, hierarchy);
  // JSON has figures of its own for the usual ones.
  absl::Status status =
      FillColumns(annotated, hierarchy, options,
                  form == kJson ? std::vector<std::string>() : UsualColumns(), columns);
  if (!status.ok()) return status;
  draw->columns = columns.shown();
  draw->sort_by = columns.sort_by();
  const std::string file = FileName(annotated.held->name);
  StringSink sink;
  if (form == kText) status = WriteTreeText(annotation, *draw, sink);
  if (form == kMarkdown) status = WriteTreeMarkdown(annotation, *draw, file, sink);
  if (form == kCsv) status = WriteTreeCsv(annotation, *draw, sink);
  if (form == kJson) status = WriteTreeJson(annotated.graph(), annotation, *draw, file, sink);
  if (!status.ok()) return status;
  return sink.text();
}

// Of one branch or body alone, where that is asked for.
template <class Show>
Answer ShowIn(const Annotated& annotated, Options& options, const Show& show) {
  const std::string graph = options.Text("in");
  if (graph.empty()) return show(annotated, annotated.annotation, annotated.hierarchy, options);
  const absl::StatusOr<Annotation> inside =
      AnnotationIn(annotated.graph(), annotated.annotation, graph);
  if (!inside.ok()) return About(annotated.held->name, inside.status());
  const Hierarchy hierarchy(annotated.graph(), *inside);
  return show(annotated, *inside, hierarchy, options);
}

Answer DrawTree(Annotated& annotated, Options& options) {
  return ShowIn(annotated, options, DrawTreeOf);
}

// Of one column: of a profile or table, else by its name.
Answer MeasureColumn(Annotated& annotated, Options& options) {
  const std::string id = options.Text("column");
  if (options.Path("profile").empty() == id.empty()) {
    return absl::InvalidArgumentError("a measure is a column's, or a profile's: give one of them");
  }
  AskedColumns columns(annotated.held->model, annotated.hierarchy);
  const absl::Status status =
      FillColumns(annotated, annotated.hierarchy, options,
                  id.empty() ? std::vector<std::string>() : std::vector{id}, columns);
  if (!status.ok()) return status;
  return ColumnJson(*columns.shown().front(), annotated.annotation.modules);
}

// `comparison`: with what another model has, or null.
Answer WriteReport(const Annotated& annotated, const PageComparison* comparison, Options& options) {
  AskedColumns columns(annotated.held->model, annotated.hierarchy);
  absl::Status status = FillColumns(annotated, annotated.hierarchy, options, {}, columns);
  if (!status.ok()) return status;
  PageReport report = {.hierarchy = annotated.hierarchy, .file = FileName(annotated.held->name)};
  report.columns = columns.BesidesUsual();
  if (columns.profile() != nullptr) report.times.emplace(columns.profile()->timed());
  if (comparison != nullptr) report.comparison.emplace(*comparison);
  StringSink sink;
  status = WritePage(annotated.held->model, report, sink);
  if (!status.ok()) return status;
  return sink.text();
}

Answer Report(Annotated& annotated, Options& options) {
  return WriteReport(annotated, nullptr, options);
}

Answer ShowProfileOf(const Annotated& annotated, const Annotation&, const Hierarchy& hierarchy,
                     Options& options) {
  const std::string form = options.Has("as") ? options.Text("as") : "json";
  const std::optional<ProfileFormat> format = ProfileFormatNamed(form);
  if (!format) {
    return absl::InvalidArgumentError(absl::StrCat(
        "'as' is table, markdown, csv, json, folded, speedscope or trace, not '", form, "'"));
  }
  const std::string compare = options.Path("compare");
  const absl::StatusOr<TreeTextOptions> rows = RowsAsked(hierarchy, options);
  if (!rows.ok()) return rows.status();
  AskedColumns columns(annotated.held->model, hierarchy);
  absl::Status status = FillColumns(annotated, hierarchy, options, {}, columns);
  if (!status.ok()) return status;
  const OpenedProfile* const profile = columns.profile();
  if (profile == nullptr) return absl::InvalidArgumentError("name the profile");
  const Measure& measure = profile->profile.measure;
  if (!HasColumns(*format) && measure.unit != MeasureUnit::kNanoseconds) {
    return absl::InvalidArgumentError(
        absl::StrCat(form, " shows times, and the table has '", measure.title, "'"));
  }
  ProfileReport report = {FileName(annotated.held->name), hierarchy, profile->timed(), std::nullopt,
                          rows->depth};
  report.modules = rows->modules;
  report.sort_by = columns.sort_by();
  report.columns = columns.BesidesProfile();
  std::optional<OpenedProfile> other;
  if (!compare.empty()) {
    if (!HasColumns(*format)) {
      return absl::InvalidArgumentError(absl::StrCat("profiles cannot be compared as ", form));
    }
    absl::StatusOr<OpenedProfile> read = ReadProfileAt(annotated, hierarchy, compare, options);
    if (!read.ok()) return read.status();
    other = *std::move(read);
    status = CheckComparable(*profile, *other);
    if (!status.ok()) return status;
    report.other.emplace(other->timed());
  }
  StringSink sink;
  status = WriteProfile(report, *format, sink);
  if (!status.ok()) return status;
  return sink.text();
}

Answer ShowProfile(Annotated& annotated, Options& options) {
  return ShowIn(annotated, options, ShowProfileOf);
}

Answer Export(Annotated& annotated, Options& options) {
  const std::string form = options.Has("as") ? options.Text("as") : "model-explorer";
  const std::optional<ExportFormat> format = ExportFormatNamed(form);
  if (!format) {
    return absl::InvalidArgumentError(
        absl::StrCat("'as' is model-explorer, graphml or dot, not '", form, "'"));
  }
  const absl::StatusOr<TreeTextOptions> rows = RowsAsked(annotated.hierarchy, options);
  if (!rows.ok()) return rows.status();
  AskedColumns columns(annotated.held->model, annotated.hierarchy);
  if (absl::Status status = FillColumns(annotated, annotated.hierarchy, options, {}, columns);
      !status.ok())
    return status;
  const Document document =
      ExportOf(annotated.held->model, annotated.hierarchy, *format,
               {.depth = rows->depth, .modules = rows->modules, .columns = columns.BesidesUsual()});
  StringSink sink;
  if (absl::Status status = document.WriteTo(sink); !status.ok()) return status;
  return sink.text();
}

const Question<Annotated> kQuestions[] = {
    {"facts", {}, &Facts},
    {"nodes", {}, &Nodes},
    {"modules", {"all"}, &Modules},
    {"parameters", {}, &Parameters},
    {"find", {"modules", "pattern"}, &Find},
    {"nodes_of", {"modules", "pattern", "own"}, &NodesOf},
    {"parameters_of", {"modules", "pattern", "own"}, &ParametersOf},
    {"select", {"pattern", "op_type", "own", "below", "as"}, &SelectNodes},
    {"explain", {"nodes"}, &ExplainNodes},
    {"tree",
     {"as", "depth", "modules", "pattern", "columns", "sort", "profile", "key", "value", "adds",
      "shape", "dim", "device", "in"},
     &DrawTree},
    {"measure",
     {"column", "profile", "key", "value", "adds", "shape", "dim", "device"},
     &MeasureColumn},
    {"report", {"columns", "profile", "key", "value", "adds", "shape", "dim", "device"}, &Report},
    {"profile",
     {"as", "profile", "compare", "depth", "modules", "pattern", "columns", "sort", "key", "value",
      "adds", "shape", "dim", "device", "in"},
     &ShowProfile},
    {"export",
     {"as", "depth", "modules", "pattern", "columns", "profile", "key", "value", "adds", "shape",
      "dim", "device"},
     &Export},
};

absl::Status Diff(onnx_hier_call& call, const Annotated& a, const Annotated& b, Options& options) {
  DiffOptions request;
  request.structure = options.Flag("structure", true);
  request.weights = options.Flag("weights", true);
  request.depth = static_cast<uint32_t>(options.Number("depth").value_or(request.depth));
  const bool is_page = options.Word("as", {"json", "page"}) > 0;
  if (!options.status().ok()) return options.status();
  const LockedModels locked(*a.held, *b.held);
  const absl::StatusOr<ModelDiff> diff =
      Compare(a.held->model, a.hierarchy, b.held->model, b.hierarchy, request);
  if (!diff.ok()) return About(a.held->name, diff.status());
  if (is_page) {
    const PageComparison comparison = {FileName(b.held->name), b.annotation, *diff};
    Answer page = WriteReport(a, &comparison, options);
    if (!page.ok()) return page.status();
    call.text = *std::move(page);
    return absl::OkStatus();
  }
  call.text = DiffReportJson({a.held->name, b.held->name, a.annotation, b.annotation, *diff});
  return absl::OkStatus();
}

// "": null.
absl::StatusOr<std::optional<ValueFiles>> ValuesAt(const std::string& path) {
  if (path.empty()) return std::optional<ValueFiles>();
  absl::StatusOr<ValueFiles> files = ValueFiles::Open(path);
  if (!files.ok()) return files.status();
  return std::optional<ValueFiles>(*std::move(files));
}

absl::Status CompareRuns(onnx_hier_call& call, Annotated& a, const Annotated& b, Options& options) {
  const std::string a_path = options.Path("a_values");
  const std::string b_path = options.Path("b_values");
  const std::string isolated_path = options.Path("isolated");
  const std::string form = options.Text("suggest");
  const std::string precision = options.Text("precision");
  constexpr double kMostDecibels = 1e6;
  const std::optional<double> least = options.Real("least", kMostDecibels);
  const uint32_t depth =
      static_cast<uint32_t>(options.Number("depth").value_or(NumericsReport::kAll));
  absl::StatusOr<std::vector<ModuleId>> modules = ModulesMeant(a.hierarchy, options);
  if (!modules.ok()) return modules.status();
  const LockedModels locked(*a.held, *b.held);
  std::vector<std::string> warnings;
  const absl::StatusOr<ValuePairs> pairs = PairValues(a.held->model, b.held->model, &warnings);
  if (!pairs.ok()) return About(b.held->name, pairs.status());
  const absl::StatusOr<Cutter*> cutter = CutterOf(a);
  if (!cutter.ok()) return About(a.held->name, cutter.status());
  absl::StatusOr<std::optional<ValueFiles>> files[] = {ValuesAt(a_path), ValuesAt(b_path),
                                                       ValuesAt(isolated_path)};
  for (const auto& one : files) {
    if (!one.ok()) return one.status();
  }
  if (!files[0]->has_value() || !files[1]->has_value()) {
    return absl::InvalidArgumentError("name the values of both models: a_values, b_values");
  }
  const absl::StatusOr<Numerics> numerics =
      CompareNumerics(**cutter, {a.hierarchy, *pairs, b.graph()}, **files[0], **files[1],
                      files[2]->has_value() ? &**files[2] : nullptr);
  if (!numerics.ok()) return numerics.status();
  NumericsReport report = {.original = a.held->name,
                           .other = b.held->name,
                           .hierarchy = a.hierarchy,
                           .other_graph = b.graph(),
                           .pairs = *pairs,
                           .numerics = *numerics,
                           .depth = depth,
                           .modules = *std::move(modules)};
  if (!form.empty()) {
    const absl::Status status = AddSuggestion(form, precision, least, report);
    if (!status.ok()) return About(a.held->name, status);
  }
  call.text = NumericsJson(report);
  return absl::OkStatus();
}

}  // namespace
}  // namespace onnx_hier::c

namespace c = onnx_hier::c;

int onnx_hier_ask(onnx_hier_call* call, onnx_hier_annotation* annotation, const char* question,
                  const onnx_hier_option* options, size_t count) {
  return c::Run(call, [=] {
    c::Annotated& annotated = *annotation->annotated;
    return c::Ask(*call, "an annotation", annotated, annotated.held->mutex, c::kQuestions, question,
                  options, count);
  });
}

int onnx_hier_diff(onnx_hier_call* call, onnx_hier_annotation* a, onnx_hier_annotation* b,
                   const onnx_hier_option* options, size_t count) {
  return c::Run(call, [=] {
    c::Options given(options, count,
                     {"as", "structure", "weights", "depth", "columns", "profile", "key", "value",
                      "adds", "shape", "dim", "device"});
    if (!given.status().ok()) return given.status();
    return c::Diff(*call, *a->annotated, *b->annotated, given);
  });
}

int onnx_hier_numerics(onnx_hier_call* call, onnx_hier_annotation* a, onnx_hier_annotation* b,
                       const onnx_hier_option* options, size_t count) {
  return c::Run(call, [=] {
    c::Options given(options, count,
                     {"a_values", "b_values", "isolated", "depth", "modules", "pattern", "suggest",
                      "precision", "least"});
    if (!given.status().ok()) return given.status();
    return c::CompareRuns(*call, *a->annotated, *b->annotated, given);
  });
}
