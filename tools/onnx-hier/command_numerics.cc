// SPDX-License-Identifier: Apache-2.0
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "onnx_hier/apply.h"
#include "onnx_hier/numerics.h"
#include "onnx_hier/onnx_hier.h"
#include "onnx_hier_program/numerics_report.h"
#include "onnx_hier_program/tasks.h"
#include "onnx_hier_program/text.h"
#include "tools/cli/terminal.h"
#include "tools/onnx-hier/columns.h"
#include "tools/onnx-hier/commands.h"
#include "tools/onnx-hier/one_input.h"
#include "tools/onnx-hier/tree_format.h"
#include "tools/onnx-hier/write_flags.h"

namespace onnx_hier::cli {
namespace {

constexpr uint32_t kUsualRows = 25;

constexpr Flag kFirstFlags[] = {
    {"isolated", 0, "VALUES",
     "what B gave on A's values ('probe B --like A --isolated'): what each module lost is exact"},
    OneOf({"metric", 0, "M", "sqnr (default), cosine, max or relative: in which errors are told"},
          "sqnr cosine max relative"),
    {"fail-below", 0, "DB", "exit with 1 if outputs have less signal to noise than this"},
    {"suggest", 0, "FORM",
     "end in a list of nodes to keep in higher precision, as 'select --format' takes it, or a "
     "plan: "
     "so many modules that outputs should come to --fail-below, or 10 dB more"},
    {"precision", 0, "TYPE", "of --suggest: what its form calls the precision that is kept"},
    {"depth", 'd', "N", "rows for N levels of modules; what is deeper counts there"},
    {"module", 0, "PATTERN", "these modules only; may be given several times", /*repeatable=*/true},
    {"columns", 0, "A,B,...", "what to show beside it: parameters, macs, or another of 'tree'"},
    {"sort", 0, "lost|model", "by what was lost (default), or as in the model"},
    {"top", 0, "N", "so many rows (default: 25 for people, all for machines; 0: all)"},
};
constexpr Flag kOtherFlags[] = {
    kModuleMapFlag, kRulesFlag, kFormatFlag, {"json", 0, nullptr, "the same as --format json"},
    kHelpFlag,
};
constexpr auto kFlags = JoinFlags(kFirstFlags, kCostFlags, kOtherFlags);

constexpr Example kExamples[] = {
    {"onnx-hier numerics bert.onnx fp32.npz bert_int8.onnx int8.npz",
     "which module loses most, with values of 'probe bert.onnx' and 'probe --like'"},
    {"onnx-hier numerics bert.onnx fp32.npz bert_int8.onnx int8.npz --isolated made.npz --depth 4",
     "what each layer loses of what it is given exactly"},
    {"onnx-hier numerics m.onnx fp32.npz m_fp16.onnx fp16.npz --suggest autocast",
     "and the list of what should stay as it is"},
    {"onnx-hier numerics m.onnx runs/fp32 m_int8.onnx runs/int8 --fail-below 20",
     "several runs, and exit code 1 if the outputs are worse than 20 dB"},
    {"onnx-hier numerics m.onnx results.json#onnxrt m.onnx results.json#trt",
     "two runners in one file of Polygraphy's"},
};

std::string WrongFlags(const ParsedFlags& flags) {
  if (flags.arguments().size() != 4) {
    return "name a model, its values, the model made from it, and the values of that";
  }
  if (std::string wrong = WrongTreeFormat(flags); !wrong.empty()) return wrong;
  if (flags.Has("metric") && !ErrorMetricNamed(flags.Value("metric"))) {
    return absl::StrCat("--metric takes sqnr, cosine, max or relative, not '",
                        flags.Value("metric"), "'");
  }
  if (flags.Has("sort") && flags.Value("sort") != "lost" && flags.Value("sort") != "model") {
    return absl::StrCat("--sort takes lost or model, not '", flags.Value("sort"), "'");
  }
  if (std::string wrong = WrongCostFlags(flags, AsksForCost(flags)); !wrong.empty()) return wrong;
  if (!flags.Has("suggest")) {
    return flags.Has("precision") ? "--precision goes with --suggest" : "";
  }
  const std::string wrong = WrongSuggestion(flags.Value("suggest"), flags.Value("precision"));
  return wrong.empty() ? "" : absl::StrCat("--suggest ", wrong);
}

class CompareValues final : public OneInput {
 public:
  using OneInput::OneInput;

  absl::Status Setup() override {
    if (std::string wrong = WrongFlags(flags()); !wrong.empty()) return Misused(wrong);
    absl::Status status = ReadCount(flags(), "depth", 0, depth_);
    if (status.ok()) status = ReadCount(flags(), "top", 0, top_);
    if (!status.ok()) return status;
    if (flags().Has("fail-below")) {
      double least = 0;
      if (!absl::SimpleAtod(flags().Value("fail-below"), &least)) {
        return Misused(absl::StrCat("--fail-below takes a number of dB, not '",
                                    flags().Value("fail-below"), "'"));
      }
      least_sqnr_ = least;
    }
    const absl::StatusOr<CostOptions> costs = ReadCostFlags(flags());
    if (!costs.ok()) return costs.status();
    costs_ = *costs;
    return absl::OkStatus();
  }

  absl::StatusOr<int> Run() override {
    absl::Status status = OpenFlat(Weights::kCopied);
    if (status.ok()) status = Place();
    if (!status.ok()) return status;
    const std::string& other_path = flags().arguments()[2];
    const absl::StatusOr<Model> other = OpenFlatModel(other_path, Weights::kCopied);
    if (!other.ok()) return other.status();
    std::vector<std::string> warnings;
    const absl::StatusOr<ValuePairs> pairs = PairValues(model(), *other, &warnings);
    if (!pairs.ok()) return Named(InputName(other_path), pairs.status());
    for (const std::string& warning : warnings) Warn(warning);
    const absl::StatusOr<Numerics> numerics = Compare(other->graph(), *pairs);
    if (!numerics.ok()) return numerics.status();
    return Report(other->graph(), *pairs, *numerics);
  }

 private:
  absl::StatusOr<Numerics> Compare(const Graph& other, const ValuePairs& pairs) const {
    const absl::StatusOr<Cutter> cutter = Cutter::For(model(), hierarchy());
    if (!cutter.ok()) return About(cutter.status());
    const absl::StatusOr<ValueFiles> values = ValueFiles::Open(flags().arguments()[1]);
    if (!values.ok()) return values.status();
    const absl::StatusOr<ValueFiles> others = ValueFiles::Open(flags().arguments()[3]);
    if (!others.ok()) return others.status();
    absl::StatusOr<ValueFiles> isolated = absl::NotFoundError("");
    if (flags().Has("isolated")) {
      isolated = ValueFiles::Open(flags().Value("isolated"));
      if (!isolated.ok()) return isolated.status();
    }
    return CompareNumerics(*cutter, {hierarchy(), pairs, other}, *values, *others,
                           isolated.ok() ? &*isolated : nullptr);
  }

  absl::StatusOr<int> Report(const Graph& other, const ValuePairs& pairs,
                             const Numerics& numerics) {
    NumericsReport report = {.original = ShownFileName(path()),
                             .other = ShownFileName(flags().arguments()[2]),
                             .hierarchy = hierarchy(),
                             .other_graph = other,
                             .pairs = pairs,
                             .numerics = numerics,
                             .depth = depth_};
    report.metric = ErrorMetricNamed(flags().Value("metric")).value_or(ErrorMetric::kSqnr);
    absl::StatusOr<std::vector<ModuleId>> modules = Modules(flags().Values("module"));
    if (!modules.ok()) return modules.status();
    report.modules = *std::move(modules);
    report.in_order = flags().Value("sort") == "model";
    const TreeFormat format = TreeFormatOf(flags());
    const bool is_for_people = format == TreeFormat::kText || format == TreeFormat::kMarkdown;
    const uint32_t top = flags().Has("top") ? top_ : is_for_people ? kUsualRows : 0;
    if (top > 0) report.most_rows = top;
    ColumnSet columns(hierarchy());
    const absl::StatusOr<std::unique_ptr<Costs>> costs =
        AddCosts(model(), hierarchy(), costs_, ColumnsNamed(flags()), nullptr, columns);
    if (!costs.ok()) return About(CostError(costs.status()));
    absl::StatusOr<std::vector<const Column*>> shown = columns.FindAll(ColumnsNamed(flags()));
    if (!shown.ok()) return Misused(shown.status().message());
    report.columns = *std::move(shown);
    if (flags().Has("suggest")) {
      const absl::Status status =
          AddSuggestion(flags().Value("suggest"), flags().Value("precision"), least_sqnr_, report);
      if (!status.ok()) return About(status);
    }
    const int printed = PrintOrFail(format == TreeFormat::kText       ? NumericsText(report)
                                    : format == TreeFormat::kMarkdown ? NumericsMarkdown(report)
                                    : format == TreeFormat::kCsv      ? NumericsCsv(report)
                                                                      : NumericsJson(report));
    const double sqnr = numerics.values[numerics.worst_output].error.sqnr();
    const bool is_below = least_sqnr_.has_value() && sqnr < *least_sqnr_;
    return printed == kDone && is_below ? kFound : printed;
  }

  uint32_t depth_ = NumericsReport::kAll;
  uint32_t top_ = 0;
  std::optional<double> least_sqnr_;
  CostOptions costs_;
};

}  // namespace

CommandEntry NumericsCommand() {
  return {
      "numerics",
      "A.onnx A_VALUES B.onnx B_VALUES",
      "which module of a model made from another loses the accuracy",
      "Compares values that both models gave in a run on the same inputs, and tells by module of "
      "A\n"
      "how far B's values are from A's: of what goes in, of what comes out, and what was lost in\n"
      "between. 'onnx-hier probe' makes models give these values out. They are paired by name, "
      "and\n"
      "where an optimiser or a quantiser renamed or fused nodes, by where they stand.\n"
      "\n"
      "VALUES are a file of numpy.savez or savez_compressed; a folder of .npy, or of TensorProto\n"
      "(.pb, or .tensorproto as onnxruntime dumps them); a folder of such archives or folders, "
      "one\n"
      "for each run; or what Polygraphy saves (--save-outputs): FILE.json, or FILE.json#RUNNER.\n"
      "What the same runs gave in several files stands with commas between (a.npz,b.npz).\n"
      "They are read piece by piece, however large they are.",
      kFlags,
      kExamples,
      Make<CompareValues>};
}

}  // namespace onnx_hier::cli
