// SPDX-License-Identifier: Apache-2.0
#include <optional>
#include <string>
#include <utility>

#include "absl/strings/str_cat.h"
#include "onnx_hier/diff.h"
#include "onnx_hier/onnx_hier.h"
#include "onnx_hier_program/reports.h"
#include "onnx_hier_program/tasks.h"
#include "tools/cli/terminal.h"
#include "tools/onnx-hier/columns.h"
#include "tools/onnx-hier/commands.h"
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
    {"compare", 0, "OTHER.onnx", "another model: what it has in each module's place"},
    kOriginalFlag,
    kLayerInfoFlag,
    kWarmUpFlag,
    kSumRunsFlag,
    kModuleMapFlag,
    kNoSyncFlag,
    {"force", 'f', nullptr, "replace an existing output"},
    kQuietFlag,
    kHelpFlag,
};
constexpr auto kFlags = JoinFlags(kFirstFlags, kTableFlags, kOtherFlags);

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
  if (std::string wrong = Columns::WrongFlags(flags); !wrong.empty()) return wrong;
  return CheckStreams(flags, {"profile", "compare", "original"});
}

std::string OutputOf(const ParsedFlags& flags) {
  return flags.Has("output") ? flags.Value("output")
                             : absl::StrCat(Stem(flags.arguments()[0]), "_report.html");
}

// What --columns, --profile and --compare bring, with all that the page refers to.
class Additions {
 public:
  absl::Status Read(const Model& model, const Hierarchy& hierarchy, const ParsedFlags& flags,
                    const ProfileOptions& options) {
    absl::Status status = columns_.Read(model, hierarchy, flags, options, {});
    if (!status.ok() || !flags.Has("compare")) return status;
    absl::StatusOr<OtherModel> other = CompareWithOther(model, hierarchy, flags.Value("compare"));
    if (!other.ok()) return other.status();
    other_ = *std::move(other);
    return absl::OkStatus();
  }

  PageReport ReportOf(const Hierarchy& hierarchy) const {
    PageReport report = {.hierarchy = hierarchy};
    report.columns = columns_.BesidesUsual();
    const std::optional<OpenedProfile>& profile = columns_.profile();
    if (profile) report.times.emplace(profile->timed());
    if (other_) {
      report.comparison.emplace(PageComparison{other_->file, other_->annotation, other_->diff});
    }
    return report;
  }

 private:
  Columns columns_;
  std::optional<OtherModel> other_;
};

int WriteReport(const Model& model, const PageReport& report, const ParsedFlags& flags) {
  const std::string output = OutputOf(flags);
  const Document page("page", [&](ByteSink& sink) { return WritePage(model, report, sink); });
  const std::optional<int> failed = WriteDocument(model, page, output, flags);
  if (failed.has_value()) return *failed;
  if (!flags.Has("quiet")) {
    SayLine(absl::StrCat(OutputName(output), ": ", report.hierarchy.modules().size(), " modules, ",
                         model.graph().node_count(), " nodes"));
  }
  return kDone;
}

int Run(const ParsedFlags& flags) {
  if (const std::string wrong = WrongFlags(flags); !wrong.empty()) {
    return UsageError("report", wrong);
  }
  const absl::StatusOr<ProfileOptions> profile_options = ReadProfileOptions(flags);
  if (!profile_options.ok()) return UsageError("report", profile_options.status().message());
  const absl::StatusOr<AnnotateOptions> annotate = ReadAnnotateOptions(flags);
  if (!annotate.ok()) return Fail(annotate.status().message());
  const std::string& path = flags.arguments()[0];
  // Weights are compared with those of another model, and not read else.
  const absl::StatusOr<Model> model =
      OpenFlatModel(path, flags.Has("compare") ? Weights::kCopied : Weights::kZeros);
  if (!model.ok()) return Fail(model.status().message());
  const absl::StatusOr<Annotation> annotation = AnnotateByOriginal(*model, path, flags, *annotate);
  if (!annotation.ok()) return Fail(annotation.status().message());
  const std::string warning = ModuleMapWarning(flags, *annotate, *annotation);
  if (!warning.empty()) Warn(warning);
  const Hierarchy hierarchy(model->graph(), *annotation);
  Additions additions;
  absl::Status status = additions.Read(*model, hierarchy, flags, *profile_options);
  if (!status.ok()) return Fail(status.message());
  return WriteReport(*model, additions.ReportOf(hierarchy), flags);
}

}  // namespace

Command ReportCommand() {
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
      Run};
}

}  // namespace onnx_hier::cli
