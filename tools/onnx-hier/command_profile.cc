#include <optional>
#include <string>

#include "absl/strings/str_cat.h"
#include "onnx_hier/onnx_hier.h"
#include "onnx_hier/profile.h"
#include "onnx_hier/profile_reports.h"
#include "onnx_hier/transfer.h"
#include "tools/cli/terminal.h"
#include "tools/onnx-hier/commands.h"
#include "tools/onnx-hier/output_names.h"
#include "tools/onnx-hier/write_flags.h"

namespace onnx_hier::cli {
namespace {

constexpr Flag kFlags[] = {
    {"depth", 'd', "N", "show N levels of modules below the root"},
    {"original", 0, "ORIGINAL.onnx",
     "the model that IN was made from by an optimiser: its modules count"},
    {"compare", 0, "PROFILE2", "another profile of the same model: what has become of each module"},
    {"format", 0, "F",
     "table, csv, json, folded (for flamegraph.pl), speedscope, or trace (for ui.perfetto.dev); "
     "default: table"},
    {"layer-info", 0, "FILE",
     "what TensorRT's layers are made of (trtexec --exportLayerInfo "
     "--profilingVerbosity=detailed)"},
    {"warm-up", 0, "N", "runs at the beginning that do not count (default: 1)"},
    {"sum-runs", 0, nullptr, "times of all runs together, not the median of each kernel"},
    kModuleMapFlag,
    kHelpFlag,
};

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
    {"onnx-hier profile bert.onnx trt.json --layer-info layers.json", "a profile of TensorRT"},
};

absl::StatusOr<ProfileOptions> ReadOptions(const ParsedFlags& flags) {
  ProfileOptions options;
  options.sum_runs = flags.Has("sum-runs");
  options.cancel = CatchInterrupts();
  if (!flags.Has("warm-up")) return options;
  const absl::StatusOr<uint32_t> runs = ParseCount(flags, "warm-up", 0);
  if (!runs.ok()) return runs.status();
  options.warm_up_runs = *runs;
  return options;
}

// "-" is standard input. The error names the file.
absl::StatusOr<Profile> OpenProfile(const std::string& path, const ProfileOptions& options,
                                    const ParsedFlags& flags) {
  absl::StatusOr<Profile> profile =
      path == "-" ? ReadProfileStream(0, options) : ReadProfile(path, options);
  if (!profile.ok()) {
    return absl::Status(profile.status().code(),
                        absl::StrCat(InputName(path), ": ", profile.status().message()));
  }
  if (!flags.Has("layer-info")) return profile;
  const std::string info = flags.Value("layer-info");
  const absl::StatusOr<std::string> text = ReadText(info);
  if (!text.ok()) return text.status();
  const absl::Status status = AddLayerInfo(*text, *profile);
  if (status.ok()) return profile;
  return absl::Status(status.code(), absl::StrCat(info, ": ", status.message()));
}

// A profile of another model, or of one that was optimised beyond recognition.
absl::Status CheckPlaced(const TimedProfile& profile, const std::string& model) {
  if (profile.times.unplaced < profile.times.total || profile.times.total == 0) {
    return absl::OkStatus();
  }
  return absl::NotFoundError(
      absl::StrCat(InputName(profile.file), ": no kernel has a name of ", InputName(model),
                   ", such as '", profile.profile.kernels.front().name,
                   "'; profile the model that ran: onnxruntime saves it as it was optimised with "
                   "optimized_model_filepath"));
}

std::string WrongFlags(const ParsedFlags& flags) {
  if (flags.arguments().size() != 2) return "name a model and a profile";
  const std::string format = flags.Value("format");
  const std::optional<ProfileFormat> known = ProfileFormatNamed(format);
  if (flags.Has("format") && !known) {
    return absl::StrCat("--format takes table, csv, json, folded, speedscope or trace, not '",
                        format, "'");
  }
  if (flags.Has("compare") && known && !CanCompare(*known)) {
    return absl::StrCat("--compare has no --format ", format);
  }
  const int streams = (flags.arguments()[0] == "-") + (flags.arguments()[1] == "-") +
                      (flags.Value("compare") == "-") + (flags.Value("original") == "-");
  return streams > 1 ? "only one of the files can be standard input" : "";
}

absl::Status Report(const Hierarchy& hierarchy, const Model& model, const ParsedFlags& flags,
                    const ProfileOptions& options, uint32_t depth, ByteSink& sink) {
  const auto named = [](const std::string& path) {
    return path == "-" ? std::string("standard input") : FileName(path);
  };
  const std::string& path = flags.arguments()[1];
  const absl::StatusOr<Profile> profile = OpenProfile(path, options, flags);
  if (!profile.ok()) return profile.status();
  const ModuleTimes times = TimesOf(hierarchy, *profile);
  ProfileReport report = {
      named(flags.arguments()[0]), hierarchy, {named(path), *profile, times}, std::nullopt, depth};
  absl::Status status = CheckPlaced(report.main, model.path());
  if (!status.ok()) return status;
  const ProfileFormat format =
      ProfileFormatNamed(flags.Value("format")).value_or(ProfileFormat::kTable);
  if (!flags.Has("compare")) return WriteProfile(report, format, sink);
  const std::string other_path = flags.Value("compare");
  const absl::StatusOr<Profile> other = OpenProfile(other_path, options, flags);
  if (!other.ok()) return other.status();
  const ModuleTimes other_times = TimesOf(hierarchy, *other);
  report.other.emplace(TimedProfile{named(other_path), *other, other_times});
  status = CheckPlaced(*report.other, model.path());
  return status.ok() ? WriteProfile(report, format, sink) : status;
}

// By the original, where there is one.
absl::StatusOr<Annotation> AnnotationOf(const Model& model, const ParsedFlags& flags,
                                        const AnnotateOptions& options) {
  if (!flags.Has("original")) return Annotate(model, options);
  const absl::StatusOr<Model> original = OpenFlatModel(flags.Value("original"), Weights::kCopied);
  if (!original.ok()) return original.status();
  absl::StatusOr<Annotation> annotation = AnnotateFrom(*original, model, options);
  if (annotation.ok()) return annotation;
  return absl::Status(
      annotation.status().code(),
      absl::StrCat(InputName(flags.arguments()[0]), ": ", annotation.status().message()));
}

int Run(const ParsedFlags& flags) {
  if (const std::string wrong = WrongFlags(flags); !wrong.empty()) {
    return UsageError("profile", wrong);
  }
  uint32_t depth = ProfileReport::kAll;
  if (flags.Has("depth")) {
    const absl::StatusOr<uint32_t> given = ParseCount(flags, "depth", 0);
    if (!given.ok()) return UsageError("profile", given.status().message());
    depth = *given;
  }
  const absl::StatusOr<ProfileOptions> options = ReadOptions(flags);
  if (!options.ok()) return UsageError("profile", options.status().message());
  const absl::StatusOr<AnnotateOptions> annotate = ReadAnnotateOptions(flags);
  if (!annotate.ok()) return Fail(annotate.status().message());
  const absl::StatusOr<Model> model = OpenModel(flags.arguments()[0]);
  if (!model.ok()) return Fail(model.status().message());
  const absl::StatusOr<Annotation> annotation = AnnotationOf(*model, flags, *annotate);
  if (!annotation.ok()) return Fail(annotation.status().message());
  const Hierarchy hierarchy(model->graph(), *annotation);
  return PrintOrFail(
      [&](ByteSink& sink) { return Report(hierarchy, *model, flags, *options, depth, sink); });
}

}  // namespace

Command ProfileCommand() {
  return {
      "profile",
      "IN.onnx PROFILE",
      "show where the time goes, module by module",
      "Reads a profile that a runtime wrote of the model, and adds the times of its kernels up by\n"
      "module: onnxruntime's profiles, TensorRT's (trtexec --exportProfile), tables of OpenVINO's\n"
      "counters (benchmark_app -report_type detailed_counters), and any CSV with columns for "
      "names\n"
      "and times ('name,time_ms'; without a unit, microseconds); which it is, the content says.\n"
      "Kernels are found by names and outputs of nodes, also where an optimiser fused nodes; what\n"
      "is of no known module is a row of its own. '-' is standard input.",
      kFlags,
      kExamples,
      Run};
}

}  // namespace onnx_hier::cli
