// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <string>
#include <utility>
#include <vector>

#include "absl/functional/function_ref.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "absl/strings/str_join.h"
#include "onnx_hier/hierarchy.h"
#include "onnx_hier/onnx_hier.h"
#include "onnx_hier_program/list_form.h"
#include "onnx_hier_program/module_plan.h"
#include "onnx_hier_program/reports.h"
#include "onnx_hier_program/tasks.h"
#include "onnx_hier_program/text.h"
#include "tools/onnx-hier/columns.h"
#include "tools/onnx-hier/commands.h"
#include "tools/onnx-hier/cost_flags.h"
#include "tools/onnx-hier/meant_nodes.h"
#include "tools/onnx-hier/one_input.h"
#include "tools/onnx-hier/write_flags.h"

namespace onnx_hier::cli {
namespace {

constexpr Flag kFlags[] = {
    OneOf(
        {"format", 0, "F",
         "lines, nul, csv, json, regex, ids (places in the file, as in the sidecar), or that of a "
         "tool, "
         "see above (default: lines)"},
        "lines nul csv json regex ids"),
    {"op", 0, "TYPE,...", "only nodes of these operators"},
    {"not", 0, "PATTERN", "without the nodes of these modules; may be given several times",
     /*repeatable=*/true},
    {"own", 0, nullptr, "only the modules' own nodes, not those of modules inside them"},
    {"in", 0, "GRAPH",
     "only nodes in this branch of an If, or body of a loop: then_branch, or 1045/then_branch"},
    {"below", 0, "P", "only nodes whose module is less than P sure (0 to 1)"},
    OneOf({"values", 0, "WHICH",
           "names of values instead: inputs (read, not made by the nodes), outputs (that others "
           "read) or "
           "all (that the nodes make)"},
          "inputs outputs all"),
    {"precision", 0, "TYPE",
     "what the tool is told of each name, where it is told (fp32, int16, ...)"},
    {"plan", 0, "FILE",
     "lines PATTERN = PRECISION, of which the first counts that means a module: what it comes to, "
     "or with --format the list that the tool needs for it"},
    {"json", 0, nullptr, "with --plan: what it comes to as JSON; else the same as --format json"},
    kCostFlags[0],
    kCostFlags[1],
    {"strict", 0, nullptr, "exit with 1 if a node cannot be named, or a pattern means no module"},
    kModuleMapFlag,
    kRulesFlag,
    kQuietFlag,
    kHelpFlag,
};

constexpr Example kExamples[] = {
    {"onnx-hier select bert.onnx cls --op MatMul,Gemm --format ort-dynamic",
     "for onnxruntime's quantize_dynamic"},
    {"onnx-hier select bert.onnx '**.LayerNorm' --format autocast",
     "what ModelOpt's AutoCast is to keep, which TensorRT 11 takes precisions from"},
    {"onnx-hier select bert.onnx --plan plan.txt",
     "nodes, parameters and MACs that 'cls = fp32', '** = int8' come to"},
    {"onnx-hier select bert.onnx --plan plan.txt --format ort", "what the quantiser leaves alone"},
    {"onnx-hier select bert.onnx /bert/encoder/layer.1 --values outputs",
     "the values that the layer hands on"},
    {"onnx-hier select bert.onnx --below 0.5 --format ids", "nodes whose module is a guess"},
    {"onnx-hier select bert.onnx '**' '!**.attention.**'", "everything but attention"},
};

const ListForm* FormOf(const ParsedFlags& flags) {
  const bool is_json = flags.Has("json") && !flags.Has("plan");
  return ListFormNamed(is_json ? "json" : flags.Has("format") ? flags.Value("format") : "lines");
}

bool AsksForIds(const ParsedFlags& flags) { return flags.Value("format") == "ids"; }

ListedNames List(const Graph& graph, const Selection& selection, const ParsedFlags& flags,
                 absl::FunctionRef<absl::string_view(NodeId)> precision_of) {
  ListedNames listed;
  if (AsksForIds(flags)) {
    listed.names.reserve(selection.nodes.size());
    for (NodeId node : selection.nodes) listed.names.push_back({graph.NodePath(node), ""});
    return listed;
  }
  if (!flags.Has("values")) return NamesFor(graph, selection.nodes, *FormOf(flags), precision_of);
  const std::string which = flags.Value("values");
  const SelectedValues values = ValuesOf(graph, selection.nodes);
  for (ValueId value : which == "inputs"    ? values.inputs
                       : which == "outputs" ? values.outputs
                                            : values.all) {
    listed.names.push_back({std::string(graph.value(value).name), ""});
  }
  return listed;
}

// Whether nothing is amiss.
bool WarnOf(const ListedNames& listed, const Selection& selection, const ParsedFlags& flags) {
  const bool good = listed.nameless == 0 && listed.doubled == 0 && listed.unreached == 0;
  if (flags.Has("quiet")) return good;
  if (listed.nameless > 0) {
    Warn(absl::StrCat(listed.nameless, " of ", selection.nodes.size(),
                      " nodes have no name and are left out; 'onnx-hier tag --name-nodes' gives "
                      "them names, --format ids lists their places"));
  }
  if (listed.doubled > 0) {
    Warn(absl::StrCat(Counted(listed.doubled, "name is", "names are"),
                      " borne by several nodes, of which not all may be meant"));
  }
  if (listed.unreached > 0) {
    Warn(absl::StrCat(listed.unreached, " of ", selection.nodes.size(),
                      " nodes are in graphs inside of others, or in functions, which are not "
                      "looked into by ",
                      FormOf(flags)->consumer));
  }
  return good;
}

// "lines, nul or csv".
std::string FormNames() {
  std::vector<absl::string_view> names;
  for (const ListForm& form : ListForms()) names.push_back(form.name);
  return absl::StrCat(absl::StrJoin(names, ", "), " or ids");
}

std::string WrongFlags(const ParsedFlags& flags) {
  const std::string values = flags.Value("values");
  if (flags.Has("values") && values != "inputs" && values != "outputs" && values != "all") {
    return absl::StrCat("--values takes inputs, outputs or all, not '", values, "'");
  }

  if (flags.Has("plan") && flags.Has("values")) return "--values have no --plan";
  if (flags.Has("json") && flags.Has("format")) return "--json and --format exclude each other";
  if (AsksForIds(flags)) {
    if (flags.Has("values")) return "--values have no --format ids";
    return flags.Has("precision") ? "--precision has no --format ids" : "";
  }
  const ListForm* const form = FormOf(flags);
  if (form == nullptr) {
    return absl::StrCat("--format takes ", FormNames(), ", not '", flags.Value("format"), "'");
  }
  if (!flags.Has("precision")) return "";
  // Of a plan it says which nodes are meant.
  if (flags.Has("plan") && form->precision.empty()) return "";
  return std::string(CheckPrecision(*form, flags.Value("precision")).message());
}

absl::StatusOr<SelectOptions> ReadChosen(const ParsedFlags& flags) {
  SelectOptions options;
  options.patterns.assign(flags.arguments().begin() + 1, flags.arguments().end());
  for (const std::string& pattern : flags.Values("not")) {
    options.patterns.push_back(absl::StrCat("!", pattern));
  }
  options.own = flags.Has("own");
  const absl::Status status = ReadOpAndBelow(flags, options);
  if (!status.ok()) return status;
  return options;
}

class SelectNodes final : public OneInput {
 public:
  using OneInput::OneInput;

  absl::Status Setup() override {
    if (flags().arguments().empty()) return Misused("name one model");
    if (std::string wrong = WrongFlags(flags()); !wrong.empty()) return Misused(wrong);
    absl::StatusOr<SelectOptions> chosen = ReadChosen(flags());
    if (!chosen.ok()) return chosen.status();
    chosen_ = *std::move(chosen);
    return absl::OkStatus();
  }

  absl::StatusOr<int> Run() override {
    absl::Status status = OpenAsItIs();
    if (status.ok()) status = Place();
    if (!status.ok()) return status;
    if (flags().Has("in")) {
      const absl::StatusOr<BlockId> found =
          GraphNamed(model().graph(), GraphsInside(model().graph()), flags().Value("in"));
      if (!found.ok()) return About(found.status());
      chosen_.graph = *found;
    }
    absl::StatusOr<Selection> selection = Select(hierarchy(), chosen_);
    if (!selection.ok()) return Misused(selection.status().message());
    WarnOfUnmet(*selection);
    if (selection->nodes.empty()) return kFound;
    if (flags().Has("plan")) return TellPlanned(*selection);
    const std::string precision = PrecisionOf(*FormOrLines());
    return Print(*selection, [&precision](NodeId) { return absl::string_view(precision); });
  }

 private:
  const ListForm* FormOrLines() const {
    return AsksForIds(flags()) ? ListFormNamed("lines") : FormOf(flags());
  }
  std::string PrecisionOf(const ListForm& form) const {
    return flags().Has("precision") ? flags().Value("precision") : std::string(form.precision);
  }

  int Print(const Selection& selection,
            absl::FunctionRef<absl::string_view(NodeId)> precision_of) const {
    const ListedNames listed = List(model().graph(), selection, flags(), precision_of);
    const bool good = WarnOf(listed, selection, flags()) && selection.unmet.empty();
    const int code =
        PrintOrFail([&](ByteSink& sink) { return WriteNameList(listed, *FormOrLines(), sink); });
    const bool is_found = listed.names.empty() || (flags().Has("strict") && !good);
    return code == kDone && is_found ? kFound : code;
  }

  absl::StatusOr<int> TellPlanned(Selection& selection) const {
    const std::string file = flags().Value("plan");
    const absl::StatusOr<std::string> text = ReadText(file);
    if (!text.ok()) return text.status();
    const absl::StatusOr<ModulePlan> plan = ReadPrecisionPlan(*text);
    if (!plan.ok()) return Named(InputName(file), plan.status());
    const absl::StatusOr<PlannedModules> planned = PlanModules(hierarchy(), *plan);
    if (!planned.ok()) return Named(InputName(file), planned.status());
    WarnOfLines(*planned, file);
    const bool lists = flags().Has("format");
    const absl::Status status = lists ? KeepListed(*planned, selection) : absl::OkStatus();
    if (!status.ok()) return status;
    const auto precision_of = [&](NodeId node) {
      return planned->WordOf(hierarchy().ModuleOf(node));
    };
    const int code = lists ? Print(selection, precision_of) : TellSums(*plan, *planned);
    return code == kDone && flags().Has("strict") && !planned->unmet.empty() ? kFound : code;
  }

  void WarnOfLines(const PlannedModules& planned, const std::string& file) const {
    const auto warn = [&](const PlanLine& line, absl::string_view text) {
      if (!flags().Has("quiet")) {
        Warn(absl::StrCat(InputName(file), ": line ", line.number, ": ", text));
      }
    };
    for (const PlanLine* line : planned.unmet) {
      warn(*line, NoSuchModule(hierarchy(), line->pattern));
    }
    if (planned.torn > 0 && !flags().Has("quiet")) {
      Warn(absl::StrCat(InputName(path()), ": ", planned.torn,
                        " nodes of functions run in modules of several precisions; those of the "
                        "first call count"));
    }
    for (const PlanLine* line : planned.covered) {
      warn(*line, "all modules that it means are earlier lines'");
    }
  }

  int TellSums(const ModulePlan& plan, const PlannedModules& planned) const {
    Columns columns;
    const Column* macs = nullptr;
    absl::Status status = columns.Setup(flags());
    if (status.ok()) status = columns.Read(model(), hierarchy(), flags(), {"macs"});
    if (status.ok()) {
      macs = columns.shown()[0];
    } else if (!flags().Has("quiet")) {
      Warn(absl::StrCat("MACs are not known: ", status.message()));
    }
    return PrintOrFail([&](ByteSink& sink) {
      return sink.Append(flags().Has("json")
                             ? PlanJson(hierarchy(), plan, planned, macs, FileName(path()))
                             : PlanText(hierarchy(), plan, planned, "precision", macs));
    });
  }

  // Of the nodes those that the form names: all that are planned where it names precisions, else
  // what its tool leaves alone, or what has --precision.
  absl::Status KeepListed(const PlannedModules& planned, Selection& selection) const {
    const ListForm& form = *FormOrLines();
    const std::string only = flags().Value("precision");
    if (form.precision.empty() && form.left_alone.empty() && only.empty()) {
      return Misused(absl::StrCat("--plan with --format ", flags().Value("format"),
                                  " needs --precision: which of its nodes are listed"));
    }
    absl::Status status;
    const auto is_left_out = [&](NodeId node) {
      const absl::string_view precision = planned.WordOf(hierarchy().ModuleOf(node));
      if (precision.empty()) return true;
      if (!only.empty()) return precision != only;
      if (form.precision.empty()) {
        return std::find(form.left_alone.begin(), form.left_alone.end(), precision) ==
               form.left_alone.end();
      }
      if (status.ok()) status = CheckPrecision(form, precision);
      return false;
    };
    std::erase_if(selection.nodes, is_left_out);
    return status.ok() ? status : Misused(status.message());
  }

  void WarnOfUnmet(const Selection& selection) const {
    const auto warn = [this](absl::string_view text) {
      Warn(absl::StrCat(InputName(path()), ": ", text));
    };
    for (const std::string& pattern : selection.unmet) warn(NoSuchModule(hierarchy(), pattern));
    if (!selection.nodes.empty()) return;
    const std::string unmet = UnmetOperator(model().graph(), chosen_.op_types);
    if (!unmet.empty()) warn(unmet);
    if (selection.unmet.empty() && unmet.empty()) warn("no node is meant");
  }

  SelectOptions chosen_;
};

// With what reads each form.
const std::string& Description() {
  static const std::string* const kDescription = [] {
    auto* const text = new std::string(
        "Prints the names of the nodes that modules hold, everything inside them included, in the\n"
        "order of the graph. A pattern is the path of a module (/encoder/layer.1 or\n"
        "encoder.layer.1), in which '*' stands for any part of one name, '**' for any number of\n"
        "names, [2-5] for a number, {a,b} for either, @Name for a module of that class, and "
        "@norm,\n"
        "@attention or @activation for one that is that by its operators; one that begins with "
        "'!'\n"
        "takes away. Without a pattern all modules are meant. Exits with 1 if no node is meant.\n"
        "Names that a format cannot hold are refused. '-' is standard input.\n"
        "\n"
        "Some tools rename nodes before they compare names with a list, and say nothing of names\n"
        "that are not there: these formats name the nodes as their tool finds them.\n"
        "\n");
    for (const ListForm& form : ListForms()) {
      if (form.consumer.empty()) continue;
      absl::StrAppendFormat(text, "  %-14s %s\n", form.name, form.consumer);
    }
    text->pop_back();
    return text;
  }();
  return *kDescription;
}

}  // namespace

CommandEntry SelectCommand() {
  return {"select",
          "IN.onnx PATTERN...",
          "list the nodes of modules, in the form that other tools take",
          Description().c_str(),
          kFlags,
          kExamples,
          Make<SelectNodes>};
}

}  // namespace onnx_hier::cli
