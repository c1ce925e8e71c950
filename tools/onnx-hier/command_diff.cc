// SPDX-License-Identifier: Apache-2.0
#include <filesystem>
#include <memory>
#include <string>
#include <system_error>
#include <utility>
#include <vector>

#include "absl/algorithm/container.h"
#include "absl/strings/str_cat.h"
#include "onnx_hier/cost.h"
#include "onnx_hier/diff.h"
#include "onnx_hier/hierarchy.h"
#include "onnx_hier/measures.h"
#include "onnx_hier_program/reports.h"
#include "onnx_hier_program/tasks.h"
#include "tools/onnx-hier/columns.h"
#include "tools/onnx-hier/commands.h"
#include "tools/onnx-hier/cost_flags.h"
#include "tools/onnx-hier/side_by_side.h"
#include "tools/onnx-hier/write_flags.h"

namespace onnx_hier::cli {
namespace {

constexpr Flag kFirstFlags[] = {
    {"depth", 'd', "N", "compare N levels of modules below the root, with all inside them"},
    {"structure", 0, nullptr,
     "compare operators, wiring and shapes only; weights are read where modules have new names"},
    {"weights", 0, nullptr, "compare what parameters hold only"},
    {"stat", 0, nullptr, "a line for each list of layers, and each module without one"},
    {"columns", 0, "A,B,...",
     "say of modules that changed what they have of these, before and after: macs, alive, ..."},
};
constexpr Flag kOtherFlags[] = {
    OneOf({"format", 0, "F", "text (default), markdown or json"}, "text markdown json"),
    {"json", 0, nullptr, "the same as --format json"},
    kQuietFlag,
    kHelpFlag,
};
constexpr auto kFlags = JoinFlags(kFirstFlags, kCostFlags, kOtherFlags);

constexpr Example kExamples[] = {
    {"onnx-hier diff opset14.onnx opset17.onnx", "which modules a newer export changed"},
    {"onnx-hier diff before.onnx after.onnx --weights", "which modules were trained"},
    {"onnx-hier diff before.onnx after.onnx --stat", "how much changed in which list of layers"},
    {"onnx-hier diff before.onnx after.onnx --depth 2", "the upper two levels only"},
    {"onnx-hier diff before.onnx after.onnx --columns macs,alive --dim seq=128",
     "what it means for a run"},
    {"onnx-hier diff before.onnx after.onnx --format markdown", "for a pull request"},
    {"onnx-hier diff a.onnx b.onnx -q || echo changed", "the exit code alone"},
};

bool IsJson(const ParsedFlags& flags) {
  return flags.Has("json") || flags.Value("format") == "json";
}

std::string WrongFlags(const ParsedFlags& flags) {
  if (flags.arguments().size() != 2) return "name two models";
  if (flags.Has("structure") && flags.Has("weights")) {
    return "--structure and --weights exclude each other: without them both are compared";
  }
  if (flags.arguments()[0] == "-" && flags.arguments()[1] == "-") {
    return "only one of the two can be standard input";
  }
  if (flags.Has("format") && flags.Has("json")) return "--format and --json exclude each other";
  const std::string format = flags.Value("format");
  if (flags.Has("format") && format != "text" && format != "markdown" && format != "json") {
    return absl::StrCat("--format takes text, markdown or json, not '", format, "'");
  }
  if (flags.Has("stat") && format == "markdown") {
    return "--format markdown has what --stat prints, and all modules";
  }
  if (flags.Has("stat") && IsJson(flags)) {
    return "--stat and --json exclude each other: JSON has 'units'";
  }
  if (flags.Has("quiet") && IsJson(flags)) return "--quiet and --json exclude each other";
  if (std::string wrong = Columns::WrongIds(flags, false); !wrong.empty()) return wrong;
  for (const Measure& measure : KnownMeasures()) {
    if (measure.unit == MeasureUnit::kWords &&
        absl::c_linear_search(ColumnsNamed(flags), measure.id)) {
      return absl::StrCat("--columns ", measure.id,
                          " is of words: only numbers have a before and an after");
    }
  }
  return WrongCostFlags(flags, AsksForCost(flags));
}

struct Operand {
  absl::StatusOr<Model> model = absl::CancelledError("not read");
  Annotation annotation;
};

Operand Read(const std::string& path) {
  Operand operand;
  operand.model = OpenFlatModel(path, Weights::kCopied);
  if (operand.model.ok()) operand.annotation = Annotate(*operand.model);
  return operand;
}

// What one of the models has of the columns that were asked for.
class OperandColumns {
 public:
  OperandColumns(const Operand& operand, const Hierarchy& hierarchy)
      : operand_(operand), hierarchy_(hierarchy), set_(hierarchy) {}

  absl::StatusOr<std::vector<const Column*>> Find(const ParsedFlags& flags,
                                                  const CostOptions& options) {
    const std::vector<std::string> ids = ColumnsNamed(flags);
    absl::StatusOr<std::unique_ptr<Costs>> costs =
        AddCosts(*operand_.model, hierarchy_, options, ids, nullptr, set_);
    if (!costs.ok()) return CostError(costs.status());
    costs_ = *std::move(costs);
    return set_.FindAll(ids);
  }

 private:
  const Operand& operand_;
  const Hierarchy& hierarchy_;
  std::unique_ptr<Costs> costs_;
  ColumnSet set_;
};

absl::Status About(const std::string& path, const absl::Status& status) {
  return absl::Status(status.code(), absl::StrCat(InputName(path), ": ", status.message()));
}

// Whatever its two names are; a pipe gives what it has only once.
bool IsOneFile(const std::string& a, const std::string& b) {
  std::error_code error;
  return std::filesystem::is_regular_file(a, error) && std::filesystem::equivalent(a, b, error);
}

class DiffModels final : public Command {
 public:
  using Command::Command;

  absl::Status Setup() override {
    if (std::string wrong = WrongFlags(flags()); !wrong.empty()) return Misused(wrong);
    options_.structure = !flags().Has("weights");
    options_.weights = !flags().Has("structure");
    absl::StatusOr<CostOptions> cost_options = ReadCostFlags(flags());
    if (!cost_options.ok()) return cost_options.status();
    cost_options_ = *std::move(cost_options);
    return ReadCount(flags(), "depth", 0, options_.depth);
  }

  absl::StatusOr<int> Run() override {
    const std::string& path_a = flags().arguments()[0];
    const std::string& path_b = flags().arguments()[1];
    // One file is read once, two side by side.
    const bool is_one = IsOneFile(path_a, path_b);
    Operand operands[2];
    RunSideBySide(is_one ? 1 : 2, std::size(operands),
                  [&](size_t i) { operands[i] = Read(flags().arguments()[i]); });
    const Operand& a = operands[0];
    const Operand& b = operands[is_one ? 0 : 1];
    if (!a.model.ok()) return a.model.status();
    if (!b.model.ok()) return b.model.status();
    const Hierarchy modules_a(a.model->graph(), a.annotation);
    const Hierarchy modules_b(b.model->graph(), b.annotation);
    const absl::StatusOr<ModelDiff> diff =
        Compare(*a.model, modules_a, *b.model, modules_b, options_);
    if (!diff.ok()) return diff.status();
    DiffReport report = {path_a, path_b, a.annotation, b.annotation, *diff, {}, options_.depth};
    OperandColumns columns_a(a, modules_a);
    OperandColumns columns_b(b, modules_b);
    const auto of_a = columns_a.Find(flags(), cost_options_);
    if (!of_a.ok()) return About(path_a, of_a.status());
    const auto of_b = columns_b.Find(flags(), cost_options_);
    if (!of_b.ok()) return About(path_b, of_b.status());
    for (size_t i = 0; i < of_a->size(); ++i) report.columns.push_back({(*of_a)[i], (*of_b)[i]});
    return Tell(report);
  }

 private:
  int Tell(const DiffReport& report) const {
    const int code = report.diff.IsEmpty() ? kDone : kFound;
    if (flags().Has("quiet")) {
      if (report.diff.unread > 0) {
        Warn(absl::StrCat("not compared: the contents of ", report.diff.unread,
                          " parameters, which could not be read"));
      }
      return code;
    }
    const int printed =
        PrintOrFail(IsJson(flags())                         ? DiffReportJson(report)
                    : flags().Value("format") == "markdown" ? DiffReportMarkdown(report)
                    : flags().Has("stat")                   ? DiffStatText(report)
                                                            : DiffReportText(report));
    return printed == kDone ? code : printed;
  }

  DiffOptions options_;
  CostOptions cost_options_;
};

}  // namespace

CommandEntry DiffCommand() {
  return {"diff",
          "A.onnx B.onnx",
          "say which modules changed from one model to another",
          "Compares two models module by module: the operators of each, how they are wired and\n"
          "with which attributes, the types and shapes of parameters, and what these hold; and\n"
          "what callers must give. Names of nodes and values play no part. Members of lists are\n"
          "recognised by what they are, so that an inserted layer is told as one; a module with\n"
          "another name by its nodes. What changed alike in many modules is told once ('*' for\n"
          "their numbers). Exit code 0: no difference, 1: some, 2: trouble. '-' is standard\n"
          "input.",
          kFlags,
          kExamples,
          Make<DiffModels>};
}

}  // namespace onnx_hier::cli
