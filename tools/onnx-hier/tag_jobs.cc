#include "tools/onnx-hier/tag_jobs.h"

#include <algorithm>
#include <filesystem>
#include <system_error>

#include "tools/onnx-hier/output_names.h"
#include "tools/onnx-hier/write_flags.h"

namespace onnx_hier::cli {
namespace {

// The rules of how flags go together. Returns what is wrong, or "".
std::string CheckFlags(const ParsedFlags& flags) {
  const size_t inputs = flags.arguments().size();
  const bool in_place = flags.Has("in-place");
  const bool to_folder = flags.Has("output-dir");
  if (inputs == 0) return "name at least one model";
  if (flags.Has("output") + in_place + to_folder > 1) {
    return "--output, --output-dir and --in-place exclude each other";
  }
  if (flags.Has("no-sidecar") && (flags.Has("sidecar") || flags.Has("sidecar-only"))) {
    return "--no-sidecar goes with neither --sidecar nor --sidecar-only";
  }
  if (flags.Has("sidecar-only") && (in_place || flags.Has("output"))) {
    return "--sidecar-only writes no model: it goes with neither --output nor --in-place";
  }
  if (flags.Has("no-sidecar") && flags.Has("values")) {
    return "--no-sidecar writes no sidecar, in which --values could say something";
  }
  if (flags.Has("sidecar-only") && flags.Has("metadata")) {
    return "--sidecar-only writes no model, in which --metadata could put anything";
  }
  if (flags.Has("sidecar-only") && flags.Has("name-nodes")) {
    return "--sidecar-only writes no model, whose nodes --name-nodes could name";
  }
  if (inputs > 1 && !in_place && !to_folder) {
    return "several models need --output-dir or --in-place";
  }
  if (inputs > 1 && flags.Has("sidecar")) return "--sidecar names one file: give one model";
  return "";
}

// The rules of what goes to and comes from where.
std::string CheckStreams(const ParsedFlags& flags) {
  const bool stream_out = flags.Value("output") == "-";
  if (stream_out && flags.Value("sidecar") == "-") {
    return "the model and the sidecar cannot both go to standard output";
  }
  if (flags.Has("json") && (stream_out || flags.Value("sidecar") == "-")) {
    return "--json needs standard output for itself";
  }
  const bool sidecar_named = flags.Has("sidecar") || flags.Has("no-sidecar");
  for (const std::string& input : flags.arguments()) {
    if (input == "-" && !flags.Has("output") && !flags.Has("sidecar-only")) {
      return "standard input needs --output";
    }
    if (!sidecar_named && (stream_out || (input == "-" && flags.Has("sidecar-only")))) {
      return "without a file name for the model, the sidecar needs --sidecar (or --no-sidecar)";
    }
  }
  return "";
}

JobFiles PlanJob(const std::string& input, const ParsedFlags& flags) {
  JobFiles job;
  job.input = input;
  if (flags.Has("in-place")) {
    job.model = input;
  } else if (flags.Has("output")) {
    job.model = flags.Value("output");
  } else {
    job.model = ModelBeside(input, "_tagged", flags.Value("output-dir"));
  }
  if (flags.Has("sidecar")) {
    job.sidecar = flags.Value("sidecar");
  } else if (!flags.Has("no-sidecar")) {
    job.sidecar = SidecarOf(job.model);
  }
  if (flags.Has("sidecar-only")) job.model.clear();
  job.copies_data = flags.Value("external-data") == "copy" && !job.model.empty();
  return job;
}

}  // namespace

absl::StatusOr<std::vector<JobFiles>> PlanTagJobs(const ParsedFlags& flags) {
  std::string wrong = CheckFlags(flags);
  if (wrong.empty()) wrong = CheckStreams(flags);
  if (wrong.empty()) wrong = CheckWriteFlags(flags, flags.Value("output"));
  if (!wrong.empty()) return absl::InvalidArgumentError(wrong);
  std::vector<JobFiles> jobs;
  for (const std::string& input : flags.arguments()) jobs.push_back(PlanJob(input, flags));
  if (absl::Status status = CheckJobFiles(jobs, TagTexts(flags)); !status.ok()) return status;
  return jobs;
}

std::vector<TextFile> TagTexts(const ParsedFlags& flags) {
  return {{"the module map", flags.Value("module-map")}};
}

// A large model keeps two threads busy by itself, and may need much memory. Small ones take less
// time than waiting for the disk does; these waits cost next to nothing side by side: 0.8 ms a
// model against 13 ms one after the other (500 models of 32 kB, ext4, a busy disk).
uint32_t UsualJobsAtATime(const std::vector<JobFiles>& jobs) {
  constexpr uint32_t kAtATime = 16;
  constexpr std::uintmax_t kSmall = 1 << 20;
  const bool small = std::all_of(jobs.begin(), jobs.end(), [](const JobFiles& job) {
    std::error_code error;  // what cannot be read is an error soon, and takes no time
    const std::uintmax_t size = std::filesystem::file_size(job.input, error);
    return job.input != "-" && (error || size <= kSmall);
  });
  return small ? kAtATime : 1;
}

}  // namespace onnx_hier::cli
