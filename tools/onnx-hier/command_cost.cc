// SPDX-License-Identifier: Apache-2.0
#include <string>
#include <utility>
#include <vector>

#include "absl/algorithm/container.h"
#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "onnx_hier/cost.h"
#include "onnx_hier/onnx_hier.h"
#include "onnx_hier_program/json_text.h"
#include "onnx_hier_program/reports.h"
#include "onnx_hier_program/tasks.h"
#include "onnx_hier_program/text.h"
#include "tools/onnx-hier/columns.h"
#include "tools/onnx-hier/commands.h"
#include "tools/onnx-hier/cost_flags.h"
#include "tools/onnx-hier/one_input.h"
#include "tools/onnx-hier/tree_format.h"
#include "tools/onnx-hier/write_flags.h"

namespace onnx_hier::cli {
namespace {

constexpr size_t kMostListed = 5;  // nodes that a line for people names

constexpr Flag kFirstFlags[] = {
    {"depth", 'd', "N", "show N levels of modules below the root"},
    {"module", 0, "PATTERN", "these modules only; may be given several times", /*repeatable=*/true},
};
constexpr Flag kOtherFlags[] = {
    {"symbolic", 0, nullptr,
     "multiply-accumulates as formulas in the sizes that the model leaves open"},
    {"values", 0, nullptr, "the shape of each value as JSON, and no figures"},
    kColumnsFlag,
    kSortFlag,
    {"own", 0, nullptr, "leave out what lines below have: each node counts in one line"},
    kProfileFlag,
};
constexpr Flag kLastFlags[] = {
    kModuleMapFlag, kRulesFlag, kFormatFlag, {"json", 0, nullptr, "the same as --format json"},
    kHelpFlag,
};
constexpr auto kFlags = JoinFlags(kFirstFlags, kCostFlags, kOtherFlags, kTableFlags, kLastFlags);

constexpr Example kExamples[] = {
    {"onnx-hier cost resnet50.onnx --depth 1", "for a batch of one"},
    {"onnx-hier cost bert.onnx --dim batch=8 --dim sequence=128 --depth 2",
     "sizes by the names that the model has for them"},
    {"onnx-hier cost yolo.onnx --shape images=1x3x640x640 --sort macs", "the shape of an input"},
    {"onnx-hier cost resnet50.onnx --device 2000:50",
     "how long each module takes at least, on a processor of 2,000 GFLOPS and 50 GB/s"},
    {"onnx-hier cost bert.onnx --symbolic --depth 2", "how it grows with the sequence"},
    {"onnx-hier cost bert.onnx --symbolic --values", "the shape of each value, as JSON"},
    {"onnx-hier tree bert.onnx --columns macs,alive --dim sequence=128",
     "the same columns, wherever there are columns"},
};

std::string WrongFlags(const ParsedFlags& flags) {
  if (flags.arguments().size() != 1) return "name one model";
  if (std::string wrong = WrongTreeFormat(flags); !wrong.empty()) return wrong;
  for (const char* other : {"symbolic", "values"}) {
    if (!flags.Has(other)) continue;
    for (const char* flag : {"columns", "sort", "own", "profile", "device"}) {
      if (flags.Has(flag)) return absl::StrCat("--", other, " and --", flag, " exclude each other");
    }
    const TreeFormat format = TreeFormatOf(flags);
    if (format != TreeFormat::kText && format != TreeFormat::kJson) {
      return absl::StrCat("--", other, " has no --format ", flags.Value("format"));
    }
  }
  if (std::string wrong = Columns::WrongFlags(flags); !wrong.empty()) return wrong;
  return CheckStreams(flags, {"profile"});
}

std::string ShapeText(const CountedShape& shape) {
  if (!shape) return "?";
  return absl::StrCat("[",
                      absl::StrJoin(*shape, ",",
                                    [](std::string* out, const std::string& dim) {
                                      absl::StrAppend(out, dim.empty() ? "?" : dim);
                                    }),
                      "]");
}

class MeasureCost final : public OneInput {
 public:
  using OneInput::OneInput;

  absl::Status Setup() override {
    if (std::string wrong = WrongFlags(flags()); !wrong.empty()) return Misused(wrong);
    absl::Status status = ReadCount(flags(), "depth", 0, options_.depth);
    options_.own = flags().Has("own");
    return status.ok() ? columns_.Setup(flags()) : status;
  }

  absl::StatusOr<int> Run() override {
    absl::Status status = OpenFlat(Weights::kCopied);
    if (status.ok()) status = Place();
    if (!status.ok()) return status;
    const absl::StatusOr<std::vector<ModuleId>> modules = Modules(flags().Values("module"));
    if (!modules.ok()) return modules.status();
    options_.modules = WithoutInner(hierarchy(), *modules);
    if (flags().Has("symbolic") || flags().Has("values")) return TellShapes();
    std::vector<std::string> ids = {"macs", "bytes", "read", "written", "alive", "intensity"};
    if (flags().Has("device")) ids.emplace_back("bound");
    status = columns_.Read(model(), hierarchy(), flags(), ids);
    if (!status.ok()) return About(status);
    options_.columns = columns_.shown();
    options_.sort_by = columns_.sort_by();
    if (columns_.costs() != nullptr) WarnOfLacks(*columns_.costs());
    return PrintOrFail([this](ByteSink& sink) { return Tell(sink); });
  }

 private:
  absl::Status Tell(ByteSink& sink) const {
    const Costs* const costs = columns_.costs();
    const std::string name = SafeForTerminal(InputName(path()));
    std::string title = costs == nullptr ? name : absl::StrCat(name, InputsText(*costs));
    if (costs != nullptr && costs->peak.valid()) {
      absl::StrAppend(&title, "\nmost is alive at ", NodeText(costs->peak));
    }
    return WriteTree(model(), hierarchy().annotation(), options_, title, TreeFormatOf(flags()),
                     sink);
  }

  std::string InputsText(const Costs& costs) const {
    std::string text;
    for (const CountedValue& input : costs.inputs) {
      absl::StrAppend(&text, "  ", SafeForTerminal(model().graph().value(input.value).name), "=",
                      SafeForTerminal(ShapeText(input.shape)));
    }
    return text;
  }

  std::string NodeText(NodeId node) const {
    const Annotation& annotation = hierarchy().annotation();
    const ModuleId module = hierarchy().ModuleOf(node);
    return absl::StrCat("node ", model().graph().NodePath(node), " ",
                        SafeForTerminal(model().graph().op(node).type), " of ",
                        SafeForTerminal(annotation.Tag(module)));
  }

  // What figures lack.
  void WarnOfLacks(const Costs& costs) const {
    if (costs.misfit.valid()) {
      Warn(absl::StrCat(InputName(path()), ": what ", NodeText(costs.misfit),
                        " reads does not fit together: the model may not take these sizes"));
    }
    if (!costs.unknown.empty()) {
      std::string nodes;
      for (size_t i = 0; i < costs.unknown.size() && i < kMostListed; ++i) {
        absl::StrAppend(&nodes, i > 0 ? ", " : "", NodeText(costs.unknown[i]));
      }
      if (costs.unknown.size() > kMostListed) nodes += ", ...";
      Warn(absl::StrCat(InputName(path()), ": nothing tells how much ",
                        Counted(costs.unknown.size(), "node multiplies", "nodes multiply"), ": ",
                        nodes));
    }
    if (costs.has_open_loops) {
      Warn(absl::StrCat(InputName(path()),
                        ": a loop of which nothing tells how often it goes round counts once"));
    }
    if (costs.has_open_branches) {
      Warn(absl::StrCat(InputName(path()),
                        ": both branches of an If count where nothing tells which one runs"));
    }
    if (costs.is_cut_short) {
      Warn(absl::StrCat(InputName(path()),
                        ": calls of functions are not all counted, there are "
                        "too many"));
    }
  }

  absl::StatusOr<int> TellShapes() {
    absl::StatusOr<CostOptions> options = ReadCostFlags(flags());
    if (!options.ok()) return options.status();
    options->symbolic = flags().Has("symbolic");
    options->values = flags().Has("values");
    const absl::StatusOr<Costs> costs = MeasureCosts(model(), hierarchy(), *options);
    if (!costs.ok()) return About(CostError(costs.status()));
    WarnOfLacks(*costs);
    return PrintOrFail([&](ByteSink& sink) {
      if (flags().Has("values")) return sink.Append(ValuesJson(*costs));
      return sink.Append(TreeFormatOf(flags()) == TreeFormat::kJson ? FormulasJson(*costs)
                                                                    : FormulasText(*costs));
    });
  }

  std::string FormulasText(const Costs& costs) const {
    std::string text = absl::StrCat(SafeForTerminal(InputName(path())), InputsText(costs), "\n");
    for (ModuleId module : ShownModules()) {
      const std::string& formula = costs.formulas[module];
      absl::StrAppend(&text, SafeForTerminal(hierarchy().annotation().Tag(module)), "  ",
                      formula.empty() ? "too long, or not known" : SafeForTerminal(formula), "\n");
    }
    return text;
  }

  void AppendValues(absl::string_view key, const std::vector<CountedValue>& values,
                    JsonText& json) const {
    json.Key(key).BeginArray();
    for (const CountedValue& value : values) {
      json.NewLine();
      json.BeginObject();
      json.Key("name").String(model().graph().value(value.value).name);
      json.Key("shape");
      AppendShape(value.shape, json);
      json.EndObject();
    }
    json.EndArray();
  }

  std::string ValuesJson(const Costs& costs) const {
    std::string text;
    JsonText json(&text);
    json.BeginDocument("onnx-hier/shapes", 1);
    AppendValues("inputs", costs.inputs, json);
    AppendValues("values", costs.values, json);
    json.EndObject();
    return text + "\n";
  }

  std::string FormulasJson(const Costs& costs) const {
    std::string text;
    JsonText json(&text);
    json.BeginDocument("onnx-hier/formulas", 1);
    AppendValues("inputs", costs.inputs, json);
    json.Key("modules").BeginArray();
    for (ModuleId module : ShownModules()) {
      json.NewLine();
      json.BeginObject();
      json.Key("path").String(hierarchy().annotation().Tag(module));
      json.Key("macs").StringOrNull(costs.formulas[module]);
      json.EndObject();
    }
    json.EndArray();
    json.EndObject();
    return text + "\n";
  }

  std::vector<ModuleId> ShownModules() const {
    const std::vector<ModuleId> root = {ModuleId(0)};
    return ModulesDownTo(hierarchy(), options_.modules.empty() ? root : options_.modules,
                         options_.depth);
  }

  TreeTextOptions options_;
  Columns columns_;
};

}  // namespace

CommandEntry CostCommand() {
  return {
      "cost",
      "IN.onnx",
      "what a run costs by module: multiply-accumulates, bytes moved, memory",
      "Counts, from the shapes of the inputs alone, the multiply-accumulates (MACs) of each\n"
      "module, the bytes of activations that it reads and writes, the most that are alive at a\n"
      "time, and MACs for each byte that is moved, weights included. A multiply-accumulate is\n"
      "two floating-point operations. With --device also the least time, node by node: what\n"
      "takes longer, to calculate or to move. Nothing is run. '-' is standard input.",
      kFlags,
      kExamples,
      Make<MeasureCost>};
}

}  // namespace onnx_hier::cli
