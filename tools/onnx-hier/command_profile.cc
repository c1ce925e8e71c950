// SPDX-License-Identifier: Apache-2.0
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "onnx_hier/onnx_hier.h"
#include "onnx_hier/profile.h"
#include "onnx_hier_program/reports.h"
#include "onnx_hier_program/tasks.h"
#include "tools/onnx-hier/apply_original.h"
#include "tools/onnx-hier/columns.h"
#include "tools/onnx-hier/commands.h"
#include "tools/onnx-hier/one_input.h"
#include "tools/onnx-hier/profile_files.h"
#include "tools/onnx-hier/write_flags.h"

namespace onnx_hier::cli {
namespace {

constexpr Flag kFirstFlags[] = {
    {"depth", 'd', "N", "show N levels of modules below the root"},
    {"module", 0, "PATTERN", "these modules only; may be given several times", /*repeatable=*/true},
    {"in", 0, "GRAPH",
     "kernels of one branch of an If or one body of a loop alone: then_branch, or "
     "1045/then_branch"},
    {"columns", 0, "A,B,...",
     "what to show beside it: macs, bound and achieved (GMAC/s), or another column of 'tree'"},
    {"sort", 0, "COLUMN",
     "the largest modules first, by time or what the table has, or by a column of 'tree'; default: "
     "as in the model"},
};
constexpr Flag kOtherFlags[] = {
    kOriginalFlag,
    {"compare", 0, "PROFILE2", "another profile of the same model: what has become of each module"},
    OneOf({"format", 0, "F",
           "table, markdown, csv, json, folded (for flamegraph.pl), speedscope, or trace (for "
           "ui.perfetto.dev); default: table"},
          "table markdown csv json folded speedscope trace"),
    {"json", 0, nullptr, "the same as --format json"},
    kLayerInfoFlag,
    kWarmUpFlag,
    kSumRunsFlag,
    kModuleMapFlag,
    kRulesFlag,
    kHelpFlag,
};
constexpr auto kFlags = JoinFlags(kFirstFlags, kCostFlags, kTableFlags, kOtherFlags);

constexpr Example kExamples[] = {
    {"onnx-hier profile bert.onnx onnxruntime_profile_2026-01-01.json",
     "where the time of one run goes, module by module"},
    {"onnx-hier profile bert_optimized.onnx profile.json --depth 3",
     "with the model as onnxruntime saved it (optimized_model_filepath) every kernel is known"},
    {"onnx-hier profile bert_optimized.onnx profile.json --original bert.onnx",
     "likewise, with the modules of the model before"},
    {"onnx-hier profile bert.onnx before.json --compare after.json",
     "what became faster or slower"},
    {"onnx-hier profile bert.onnx profile.json --format folded | flamegraph.pl > bert.svg",
     "a flame graph of modules"},
    {"onnx-hier profile resnet.onnx profile.json --columns macs,bound,achieved --device 2000:50",
     "how far each module is from what the device can do"},
    {"onnx-hier profile bert.onnx trt.json --layer-info layers.json", "a profile of TensorRT"},
    {"onnx-hier profile bert.onnx ep.csv --depth 2",
     "which provider runs what: words of a table 'name,ep' are counted"},
    {"onnx-hier profile bert.onnx loss.json --value mse --max", "any number by node: the largest"},
};

std::string WrongFlags(const ParsedFlags& flags) {
  if (flags.arguments().size() != 2) return "name a model and a profile";
  const std::string& first = flags.arguments()[0];
  const std::string& second = flags.arguments()[1];
  if (first != "-" && !IsModelFile(first) && IsModelFile(second)) {
    return absl::StrCat("the model comes first: 'onnx-hier profile ", second, " ", first, "'");
  }
  if (std::string wrong = WrongTableFlags(flags); !wrong.empty()) return wrong;
  if (std::string wrong = Columns::WrongIds(flags, true); !wrong.empty()) return wrong;
  if (std::string wrong = WrongCostFlags(flags, AsksForCost(flags)); !wrong.empty()) return wrong;
  if (flags.Has("json") && flags.Has("format")) return "--format and --json exclude each other";
  const std::string format = flags.Value("format");
  const std::optional<ProfileFormat> known = ProfileFormatNamed(format);
  if (flags.Has("format") && !known) {
    return absl::StrCat(
        "--format takes table, markdown, csv, json, folded, speedscope or trace, not '", format,
        "'");
  }
  if (flags.Has("compare") && known && !HasColumns(*known)) {
    return absl::StrCat("--compare has no --format ", format);
  }
  if (flags.Has("columns") && (flags.Has("compare") || (known && !HasColumns(*known)))) {
    return absl::StrCat("--columns has no place in ",
                        flags.Has("compare") ? "--compare" : absl::StrCat("--format ", format));
  }
  return CheckStreams(flags, {"compare", "original"});
}

ProfileFormat FormatOf(const ParsedFlags& flags) {
  if (flags.Has("json")) return ProfileFormat::kJson;
  return ProfileFormatNamed(flags.Value("format")).value_or(ProfileFormat::kTable);
}

// Flame graphs and traces have no other unit.
absl::Status CheckFormat(const Profile& profile, ProfileFormat format, const std::string& name) {
  if (HasColumns(format) || profile.measure.unit == MeasureUnit::kNanoseconds)
    return absl::OkStatus();
  return absl::InvalidArgumentError(absl::StrCat("--format ", name,
                                                 " shows times, and the table "
                                                 "has '",
                                                 profile.measure.title,
                                                 "': take table, markdown, csv or json"));
}

class ShowProfile final : public OneInput {
 public:
  using OneInput::OneInput;

  absl::Status Setup() override {
    if (std::string wrong = WrongFlags(flags()); !wrong.empty()) return Misused(wrong);
    if (absl::Status status = ReadCount(flags(), "depth", 0, depth_); !status.ok()) return status;
    absl::StatusOr<ProfileOptions> options = ReadProfileOptions(flags());
    if (!options.ok()) return options.status();
    profile_options_ = *std::move(options);
    absl::StatusOr<CostOptions> cost_options = ReadCostFlags(flags());
    if (!cost_options.ok()) return cost_options.status();
    cost_options_ = *std::move(cost_options);
    return absl::OkStatus();
  }

  absl::StatusOr<int> Run() override {
    absl::Status status = OpenAsItIs();
    if (status.ok()) status = Place();
    if (status.ok()) status = KeepGraph();
    if (!status.ok()) return status;
    return PrintOrFail([this](ByteSink& sink) { return Report(sink); });
  }

 private:
  absl::Status Report(ByteSink& sink) const {
    const std::string& file = flags().arguments()[1];
    absl::StatusOr<OpenedProfile> opened =
        OpenProfile(file, ShownFileName(file), profile_options_, model(), hierarchy(), flags());
    if (!opened.ok()) return opened.status();
    const ProfileFormat format = FormatOf(flags());
    absl::Status status = CheckFormat(opened->profile, format, flags().Value("format"));
    if (!status.ok()) return status;
    AskedColumns columns(model(), hierarchy());
    const std::string sort = flags().Value("sort");
    status = CostError(columns.Fill({.ids = ColumnsNamed(flags()),
                                     .sort = sort == "model" ? "" : sort,
                                     .cost = cost_options_,
                                     .profile = *std::move(opened)}));
    if (!status.ok()) return status;
    const OpenedProfile& profile = *columns.profile();
    ProfileReport report = {ShownFileName(path()), hierarchy(), profile.timed(), std::nullopt,
                            depth_};
    absl::StatusOr<std::vector<ModuleId>> modules = Modules(flags().Values("module"));
    if (!modules.ok()) return modules.status();
    report.modules = WithoutInner(hierarchy(), *modules);
    report.columns = columns.BesidesProfile();
    report.sort_by = columns.sort_by();
    if (!flags().Has("compare")) return WriteProfile(report, format, sink);
    absl::StatusOr<OpenedProfile> other =
        OpenOtherProfile(profile, "compare", profile_options_, model(), hierarchy(), flags());
    if (!other.ok()) return other.status();
    report.other.emplace(other->timed());
    return WriteProfile(report, format, sink);
  }

  uint32_t depth_ = ProfileReport::kAll;
  ProfileOptions profile_options_;
  CostOptions cost_options_;
};

}  // namespace

CommandEntry ProfileCommand() {
  return {
      "profile",
      "IN.onnx PROFILE",
      "show where the time goes, module by module",
      "Reads a profile that a runtime wrote of the model, and adds the times of its kernels up by\n"
      "module: onnxruntime's profiles, TensorRT's (trtexec --exportProfile), tables of OpenVINO's\n"
      "counters (benchmark_app -report_type detailed_counters), and any CSV with columns for "
      "names\n"
      "and times ('name,time_ms'; without a unit, microseconds). Or any table, in CSV, TSV or "
      "JSON,\n"
      "whose rows name nodes or values: numbers are added up, words are counted ('CPU 13, NPU "
      "41').\n"
      "Which it is, the content says.\n"
      "Kernels are found by names and outputs of nodes, also where an optimiser fused nodes; what\n"
      "is of no known module is a row of its own. '-' is standard input.",
      kFlags,
      kExamples,
      Make<ShowProfile>};
}

}  // namespace onnx_hier::cli
