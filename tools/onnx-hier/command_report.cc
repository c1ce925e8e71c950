// SPDX-License-Identifier: Apache-2.0
#include <optional>
#include <string>
#include <utility>

#include "absl/strings/str_cat.h"
#include "onnx_hier/diff.h"
#include "onnx_hier/onnx_hier.h"
#include "onnx_hier_program/reports.h"
#include "onnx_hier_program/review.h"
#include "onnx_hier_program/tasks.h"
#include "onnx_hier_program/text.h"
#include "tools/cli/terminal.h"
#include "tools/onnx-hier/columns.h"
#include "tools/onnx-hier/commands.h"
#include "tools/onnx-hier/one_input.h"
#include "tools/onnx-hier/other_model.h"
#include "tools/onnx-hier/profile_files.h"
#include "tools/onnx-hier/write_flags.h"

namespace onnx_hier::cli {
namespace {

constexpr Flag kFirstFlags[] = {
    {"output", 'o', "PAGE.html",
     "write the page here ('-': standard output; default: IN_report.html)",
     /*repeatable=*/false, ".html"},
    kColumnsFlag,
    kProfileFlag,
};
constexpr Flag kOtherFlags[] = {
    {"compare-profile", 0, "PROFILE2",
     "with --profile: another one: what each module has before and after"},
    {"compare", 0, "OTHER.onnx", "another model: what it has in each module's place"},
    kOriginalFlag,
    kLayerInfoFlag,
    kWarmUpFlag,
    kSumRunsFlag,
    kModuleMapFlag,
    kRulesFlag,
    kNoSyncFlag,
    {"force", 'f', nullptr, "replace an existing output"},
    kQuietFlag,
    {"review", 0, nullptr, "ask about doubtful nodes on the page, which saves answers as rules"},
    {"below", 0, "P", "with --review: of nodes less sure than P (default: 0.9)"},
    kHelpFlag,
};
constexpr auto kFlags = JoinFlags(kFirstFlags, kCostFlags, kTableFlags, kOtherFlags);

constexpr Example kExamples[] = {
    {"onnx-hier report bert.onnx", "writes bert_report.html"},
    {"onnx-hier report bert.onnx --profile onnxruntime_profile_2026-01-01.json",
     "with the time of each module"},
    {"onnx-hier report before.onnx --compare after.onnx -o changes.html",
     "with what has become of each module"},
};

std::string WrongFlags(const ParsedFlags& flags) {
  if (flags.arguments().size() != 1) return "name one model";
  const std::string& input = flags.arguments()[0];
  if (input == "-" && !flags.Has("output")) return "standard input needs --output";
  if (flags.Has("below") && !flags.Has("review")) return "--below needs --review";
  if (flags.Has("review") && flags.Has("original")) {
    return "--review and --original exclude each other: the original knows";
  }
  if (flags.Has("compare-profile") && !flags.Has("profile")) {
    return "--compare-profile goes with --profile";
  }
  if (std::string wrong = Columns::WrongFlags(flags); !wrong.empty()) return wrong;
  if (std::string wrong = WrongCostFlags(flags, AsksForCost(flags)); !wrong.empty()) return wrong;
  return CheckStreams(flags, {"profile", "compare-profile", "compare", "original"});
}

class WriteReport final : public OneInput {
 public:
  using OneInput::OneInput;

  absl::Status Setup() override {
    if (std::string wrong = WrongFlags(flags()); !wrong.empty()) return Misused(wrong);
    output_ = flags().Has("output") ? flags().Value("output")
                                    : absl::StrCat(Stem(path()), "_report.html");
    if (flags().Has("below")) {
      const absl::StatusOr<float> below = ParseProbability(flags(), "below");
      if (!below.ok()) return below.status();
      below_ = *below;
    }
    return columns_.Setup(flags());
  }

  absl::StatusOr<int> Run() override {
    // Weights are compared with those of another model, and not read else.
    absl::Status status = OpenFlat(
        flags().Has("compare") || AsksForCost(flags()) ? Weights::kCopied : Weights::kZeros);
    if (status.ok()) status = Place();
    if (status.ok()) status = columns_.Read(model(), hierarchy(), flags(), {});
    if (!status.ok()) return status;
    PageReport report = {.hierarchy = hierarchy()};
    report.columns = columns_.BesidesUsual();
    if (const OpenedProfile* const profile = columns_.profile()) {
      report.times.emplace(profile->timed());
    }
    std::optional<OpenedProfile> other_profile;
    if (flags().Has("compare-profile")) {
      absl::StatusOr<OpenedProfile> read = columns_.ReadOther(model(), hierarchy(), flags());
      if (!read.ok()) return read.status();
      other_profile = *std::move(read);
      report.other_times.emplace(other_profile->timed());
    }
    std::optional<OtherModel> other;
    if (flags().Has("compare")) {
      absl::StatusOr<OtherModel> read =
          CompareWithOther(model(), hierarchy(), flags().Value("compare"));
      if (!read.ok()) return read.status();
      other = *std::move(read);
      report.comparison.emplace(PageComparison{other->file, other->annotation, other->diff});
    }
    if (flags().Has("review")) {
      report.questions = QuestionsJson(model().graph(), FindQuestions(model(), options(), below_));
    }
    const Document page("page", [&](ByteSink& sink) { return WritePage(model(), report, sink); });
    status = WriteDocument(model(), page, output_, flags());
    if (!status.ok()) return status;
    if (flags().Has("quiet")) return kDone;
    SayLine(absl::StrCat(OutputName(output_), ": ", Counted(hierarchy().modules().size(), "module"),
                         ", ", Counted(model().graph().node_count(), "node")));
    return kDone;
  }

 private:
  Columns columns_;
  std::string output_;
  float below_ = kDoubtfulBelow;
};

}  // namespace

CommandEntry ReportCommand() {
  return {
      "report",
      "IN.onnx",
      "write an HTML page to look at the modules, their nodes, and where the time goes",
      "Writes one HTML file that shows the modules of the model as a picture and as a table, by\n"
      "parameters, bytes, nodes, or the time of a profile; the nodes of each module with how they\n"
      "are known; and with --compare what another model has in their place. The file holds all\n"
      "that it needs: it loads nothing, and tells the browser so. '-' is standard input.",
      kFlags,
      kExamples,
      Make<WriteReport>};
}

}  // namespace onnx_hier::cli
