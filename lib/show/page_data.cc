// SPDX-License-Identifier: Apache-2.0
#include "lib/show/page_data.h"

#include <algorithm>

#include "absl/container/flat_hash_map.h"
#include "absl/status/status.h"
#include "absl/strings/ascii.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "absl/strings/str_replace.h"
#include "absl/strings/string_view.h"
#include "absl/strings/strip.h"
#include "lib/show/amount_figures.h"
#include "lib/show/diff_words.h"
#include "lib/show/page_names.h"
#include "lib/show/tree_rows.h"
#include "onnx_hier/bytes.h"
#include "onnx_hier/version.h"
#include "onnx_hier_program/summary.h"

namespace onnx_hier {
namespace {

// JSON on its way into a script element of an HTML page, which a "<" in it could end.
// In JSON the sign stands in texts only, where it may be spelled by its number.
class ScriptSink : public ByteSink {
 public:
  // `sink` must outlive this.
  explicit ScriptSink(ByteSink& sink) : sink_(sink) {}

  absl::Status Append(absl::string_view json) override {
    if (json.find('<') == absl::string_view::npos) return sink_.Append(json);
    return sink_.Append(absl::StrReplaceAll(json, {{"<", "\\u003c"}}));
  }

 private:
  ByteSink& sink_;
};

// Kernels without a place that are shown one by one, the most expensive ones.
constexpr size_t kMostKernels = 200;

// Of a column of words.
constexpr size_t kPageWords = 12;

// A module whose nodes are left out.
constexpr int64_t kLeftOut = -1;

// Of a figure that is not known.
constexpr int64_t kNone = -1;

// Of what 'diff' says: a page that says more is read by nobody.
constexpr size_t kMostChangesText = size_t{64} << 10;

int64_t Signed(uint64_t number) {
  return static_cast<int64_t>(std::min(number, uint64_t{1} << 62));
}

// What a column's modules have, as JSON, in the tree's order.
std::string AmountsText(const Column& column, const ModuleTree& modules, Amount Figure::*amount) {
  return absl::StrCat("[",
                      absl::StrJoin(modules.ids(), ",",
                                    [&](std::string* out, ModuleId id) {
                                      out->append(PlainNumber(column.figure(id).*amount));
                                    }),
                      "]");
}

// What its path has behind that of the module around it: "/encoder", ".0"; "/" for the root.
std::string LastStep(const Annotation& annotation, ModuleId id) {
  const ModuleId parent = annotation.modules.module(id).parent;
  const size_t around =
      parent.valid() && parent != annotation.modules.root() ? annotation.Tag(parent).size() : 0;
  return annotation.Tag(id).substr(around);
}

// A line for each item: rows of JSON that is there already.
void AppendRows(absl::string_view key, const DistinctTexts& rows, JsonText& json,
                OutgoingText& out) {
  json.NewLine();
  json.Key(key).BeginArray();
  for (const std::string& row : rows.texts()) {
    json.Raw(row);
    out.Pass();
  }
  json.EndArray();
}

// Names that follow each other mostly begin alike: of each text the number of characters that it
// has in common with the one before it, and the rest.
void AppendTexts(absl::string_view key, const DistinctTexts& texts, JsonText& json,
                 OutgoingText& out) {
  json.NewLine();
  json.Key(key).BeginArray();
  absl::string_view before;
  for (absl::string_view text : texts.texts()) {
    size_t common = 0;
    // What is not ASCII would have to be counted as JavaScript does.
    while (common < std::min(text.size(), before.size()) && text[common] == before[common] &&
           absl::ascii_isascii(static_cast<unsigned char>(text[common]))) {
      ++common;
    }
    json.Unsigned(common);
    json.String(text.substr(common));
    out.Pass();
    before = text;
  }
  json.EndArray();
}

template <class Names>
void AppendNames(absl::string_view key, const Names& names, JsonText& json) {
  json.Key(key).BeginArray();
  for (absl::string_view name : names) json.String(name);
  json.EndArray();
}

std::string ProducerText(const ModelInfo& info) {
  return info.producer_version.empty()
             ? ShownText(info.producer_name)
             : ShownText(absl::StrCat(info.producer_name, " ", info.producer_version));
}

// "17, com.microsoft 1"
std::string OpsetsText(const ModelInfo& info) {
  return ShownText(
      absl::StrJoin(info.opset_imports, ", ", [](std::string* out, const OpsetImport& opset) {
        absl::StrAppend(out, opset.domain, opset.domain.empty() ? "" : " ", opset.version);
      }));
}

// A tag without that of what was compared; of what is not in that, as it is.
std::string Below(absl::string_view root, absl::string_view tag) {
  if (root == "/" || !absl::ConsumePrefix(&tag, root)) return std::string(tag);
  return absl::StrCat("//", tag);
}

// Where it is now, and what only one of the two has.
std::string DetailsText(const ModuleDiff& diff, const ModulePaths& other) {
  std::vector<std::string> lines = DetailLines(diff);
  if (diff.moved) lines.insert(lines.begin(), absl::StrCat("now ", other.Tag(diff.b)));
  return absl::StrJoin(lines, "; ");
}

}  // namespace

PageData::PageData(const PageReport& report, PageFile file)
    : report_(report),
      file_(std::move(file)),
      annotation_(report.hierarchy.annotation()),
      contents_(report.hierarchy, file_.types, file_.shapes, file_.attributes) {
  AddModules();
  AddContents();
  AddMeasures();
  if (report_.comparison) AddComparison(*report_.comparison);
  if (report_.other_times) {
    numbers_.emplace_back("otherTimes", AmountsText(report_.other_times->placed.amounts,
                                                    annotation_.modules, &Figure::total));
  }
}

void PageData::AddModules() {
  Numbers step, depth, class_name, calls, nodes, parameters, total_parameters, total_bytes;
  const TreeTextOptions options;
  const TreeRows rows(annotation_, options);
  for (ModuleId id : annotation_.modules.ids()) {
    const Module& module = annotation_.modules.module(id);
    step.push_back(contents_.AddText(LastStep(annotation_, id)));
    depth.push_back(module.parent.valid() ? depth[module.parent.index()] + 1 : 0);
    class_name.push_back(contents_.AddText(module.class_name));
    calls.push_back(module.calls);
    nodes.push_back(Signed(module.nodes));
    parameters.push_back(Signed(module.parameters));
    total_parameters.push_back(Signed(module.total_parameters));
    total_bytes.push_back(Signed(module.total_parameter_bytes));
  }
  modules_.emplace_back("alike", rows.AlikeNeighbours());
  modules_.emplace_back("step", std::move(step));
  modules_.emplace_back("depth", std::move(depth));
  modules_.emplace_back("class", std::move(class_name));
  modules_.emplace_back("calls", std::move(calls));
  modules_.emplace_back("nodes", std::move(nodes));
  modules_.emplace_back("parameters", std::move(parameters));
  modules_.emplace_back("totalParameters", std::move(total_parameters));
  modules_.emplace_back("totalBytes", std::move(total_bytes));
}

void PageData::AddContents() {
  const Hierarchy& hierarchy = report_.hierarchy;
  Numbers first, nodes, tensors, tensor_count;
  const size_t before = contents_.bytes();
  for (ModuleId id : annotation_.modules.ids()) {
    const absl::Span<const NodeId> own = hierarchy.OwnNodes(id);
    const bool is_left_out = contents_.bytes() - before >= report_.most_node_bytes;
    if (is_left_out) left_out_ += own.size();
    first.push_back(own.empty() ? 0 : hierarchy.graph().node(own.front()).index);
    nodes.push_back(is_left_out ? kLeftOut : int64_t{contents_.AddNodes(id)});
    tensor_count.push_back(static_cast<int64_t>(hierarchy.OwnParameters(id).size()));
    tensors.push_back(is_left_out ? kLeftOut : int64_t{contents_.AddParameters(id)});
  }
  modules_.emplace_back("firstNode", std::move(first));
  modules_.emplace_back("ownNodes", std::move(nodes));
  modules_.emplace_back("parameterCount", std::move(tensor_count));
  modules_.emplace_back("ownParameters", std::move(tensors));
}

// The n-th column is "measure<n>", and "own<n>" without what is inside.
void PageData::AddMeasures() {
  for (size_t i = 0; i < report_.columns.size(); ++i) {
    const Column& column = *report_.columns[i];
    const std::string name = absl::StrCat("measure", i);
    if (column.measure().unit == MeasureUnit::kWords) {
      Numbers words;
      for (ModuleId id : annotation_.modules.ids()) {
        words.push_back(contents_.AddText(WordsText(column.WordsOf(id), kPageWords)));
      }
      modules_.emplace_back(name, std::move(words));
      continue;
    }
    Numbers own, total;
    bool is_whole = true;
    for (ModuleId id : annotation_.modules.ids()) {
      const Figure& figure = column.figure(id);
      is_whole = is_whole && figure.own.is_whole() && figure.total.is_whole();
      own.push_back(Signed(figure.own.whole()));
      total.push_back(Signed(figure.total.whole()));
    }
    if (is_whole) {
      modules_.emplace_back(absl::StrCat("own", i), std::move(own));
      modules_.emplace_back(name, std::move(total));
    } else {
      const ModuleTree& modules = annotation_.modules;
      numbers_.emplace_back(absl::StrCat("own", i), AmountsText(column, modules, &Figure::own));
      numbers_.emplace_back(name, AmountsText(column, modules, &Figure::total));
    }
  }
}

// What a module's counterpart has is known of those that changed, and of those around them that are
// called the same there; kNone: of no other.
void PageData::AddComparison(const PageComparison& comparison) {
  const ModelDiff& diff = comparison.diff;
  const Annotation& other = comparison.other;
  absl::flat_hash_map<std::string, ModuleId> others;
  if (diff.renumbered.empty()) {
    const std::string root = other.paths.Tag(diff.root_b);
    for (ModuleId id : other.modules.ids()) others.emplace(Below(root, other.Tag(id)), id);
  }
  const std::string own_root = annotation_.paths.Tag(diff.root_a);
  Numbers change, details, nodes, parameters, bytes;
  ModuleId module = annotation_.modules.root();
  for (const ModuleDiff* of_module : ChangesByModule(diff, annotation_)) {
    const bool is_changed = of_module != nullptr;
    change.push_back(contents_.AddText(is_changed ? ChangesText(*of_module) : ""));
    details.push_back(contents_.AddText(is_changed ? DetailsText(*of_module, other.paths) : ""));
    ModuleId there;
    if (is_changed && of_module->b.valid()) {
      there = other.modules.Find(of_module->b);
    } else if (const auto found = others.find(Below(own_root, annotation_.Tag(module)));
               !is_changed && found != others.end()) {
      there = found->second;
    }
    const bool is_known = there.valid();
    const Module& figures = other.modules.module(is_known ? there : other.modules.root());
    nodes.push_back(is_known ? Signed(figures.total_nodes) : kNone);
    parameters.push_back(is_known ? Signed(figures.total_parameters) : kNone);
    bytes.push_back(is_known ? Signed(figures.total_parameter_bytes) : kNone);
    module = ModuleId(module.index() + 1);
  }
  modules_.emplace_back("change", std::move(change));
  modules_.emplace_back("changeDetails", std::move(details));
  modules_.emplace_back("nodesThere", std::move(nodes));
  modules_.emplace_back("parametersThere", std::move(parameters));
  modules_.emplace_back("bytesThere", std::move(bytes));
}

absl::Status PageData::Write(ByteSink& sink) const {
  ScriptSink script(sink);
  OutgoingText out(script);
  JsonText json(out.text());
  json.BeginObject();
  AppendFacts(json);
  AppendMeasures(json);
  if (report_.times) AppendProfile(*report_.times, json);
  if (report_.other_times) json.Key("otherProfile").String(ShownText(report_.other_times->file));
  if (report_.comparison) AppendComparison(*report_.comparison, json);
  if (!report_.questions.empty()) {
    json.NewLine();
    json.Key("review").Raw(report_.questions);
  }
  json.NewLine();
  AppendNames("nodeColumns", PageContents::kNodeColumnNames, json);
  AppendNames("parameterColumns", PageContents::kParameterColumnNames, json);
  for (size_t i = 0; i < PageContents::kTextLists; ++i) {
    const auto list = static_cast<PageContents::TextList>(i);
    AppendTexts(PageContents::kTextListNames[i], contents_.texts(list), json, out);
  }
  AppendRows("columns", contents_.columns(), json, out);
  AppendRows("contents", contents_.contents(), json, out);
  json.NewLine();
  json.Key("modules").BeginObject();
  for (const auto& [name, column] : modules_) {
    json.NewLine();
    json.Key(name).Raw(ColumnText(column));
    out.Pass();
  }
  for (const auto& [name, column] : numbers_) {
    json.NewLine();
    json.Key(name).Raw(column);
    out.Pass();
  }
  json.EndObject();
  json.EndObject();
  return out.Finish();
}

void PageData::AppendFacts(JsonText& json) const {
  const ModelInfo& info = report_.hierarchy.graph().info();
  const Summary summary = Summarize(annotation_);
  json.Key("generator").String(absl::StrCat("onnx-hier ", kVersion));
  json.Key("file").String(ShownText(file_.name.empty() ? "standard input" : file_.name));
  json.Key("fileBytes").Unsigned(file_.bytes);
  json.Key("dialect").String(ShownText(annotation_.dialect));
  json.Key("producer").String(ProducerText(info));
  json.Key("opsets").String(OpsetsText(info));
  json.Key("irVersion").Number(info.ir_version);
  json.Key("moduleCount").Unsigned(annotation_.modules.size());
  json.Key("nodeCount").Unsigned(summary.nodes);
  json.Key("tagged").Unsigned(summary.tagged);
  json.Key("unsure").Unsigned(summary.unsure);
  json.Key("leftOut").Unsigned(left_out_);
  const Graph& graph = report_.hierarchy.graph();
  AppendValues("inputs", graph.inputs(graph.main_block()), json);
  AppendValues("outputs", graph.outputs(graph.main_block()), json);
}

// Of the model: each with its name, its type, and the node that makes it.
void PageData::AppendValues(absl::string_view key, absl::Span<const ValueId> values,
                            JsonText& json) const {
  json.Key(key).BeginArray();
  for (ValueId value : values) {
    if (!value.valid()) continue;  // a damaged file's
    json.BeginArray();
    json.String(ShownText(report_.hierarchy.graph().value(value).name));
    json.String(contents_.TypeOf(value));
    json.String(contents_.MakerOf(value));
    json.EndArray();
  }
  json.EndArray();
}

void PageData::AppendMeasures(JsonText& json) const {
  json.NewLine();
  json.Key("measures").BeginArray();
  for (const Column* column : report_.columns) {
    const Measure& measure = column->measure();
    json.BeginObject();
    json.Key("id").String(measure.id);
    json.Key("title").String(ShownText(measure.title));
    json.Key("unit").String(UnitName(measure.unit));
    json.Key("adds").String(AddsName(measure.adds));
    json.Key("total").Raw(PlainNumber(column->whole()));
    json.EndObject();
  }
  json.EndArray();
}

void PageData::AppendProfile(const TimedProfile& timed, JsonText& json) {
  const Profile& profile = timed.profile;
  const Column& column = timed.placed.amounts;
  std::vector<const Kernel*> unplaced;
  for (size_t i = 0; i < profile.kernels.size(); ++i) {
    if (!timed.placed.places[i].module.valid()) unplaced.push_back(&profile.kernels[i]);
  }
  const size_t shown = std::min(unplaced.size(), kMostKernels);
  std::stable_sort(unplaced.begin(), unplaced.end(),
                   [](const Kernel* a, const Kernel* b) { return b->amount < a->amount; });
  json.NewLine();
  json.Key("profile").BeginObject();
  json.Key("file").String(ShownText(timed.file));
  json.Key("kind").String(ProfileKindName(profile.kind));
  json.Key("measure").String(profile.measure.id);
  json.Key("runs").Unsigned(profile.runs);
  json.Key("summed").Bool(profile.is_summed);
  json.Key("total").Raw(PlainNumber(column.whole()));
  json.Key("unplaced").Raw(PlainNumber(column.unplaced().total));
  json.Key("unplacedKernels").Unsigned(unplaced.size());
  json.Key("kernels").BeginArray();
  for (size_t i = 0; i < shown; ++i) {
    json.BeginArray();
    json.String(ShownText(unplaced[i]->name));
    json.Raw(PlainNumber(unplaced[i]->amount));
    json.EndArray();
  }
  json.EndArray();
  json.EndObject();
}

void PageData::AppendComparison(const PageComparison& comparison, JsonText& json) const {
  json.NewLine();
  json.Key("comparison").BeginObject();
  json.Key("file").String(ShownText(comparison.file));
  json.Key("same").Unsigned(comparison.diff.same);
  json.Key("changed").Unsigned(comparison.diff.changed.size());
  std::string text =
      DiffReportText({file_.name, comparison.file, annotation_, comparison.other, comparison.diff});
  if (text.size() > kMostChangesText) {
    text.resize(text.rfind('\n', kMostChangesText) + 1);
    text += "...\n";
  }
  json.Key("text").String(text);
  json.EndObject();
}

}  // namespace onnx_hier
