// SPDX-License-Identifier: Apache-2.0
#include "tools/onnx-hier/tag_jobs.h"

#include <utility>

#include "absl/strings/str_cat.h"
#include "onnx_hier_program/tasks.h"
#include "tools/onnx-hier/columns.h"
#include "tools/onnx-hier/input_list.h"
#include "tools/onnx-hier/output_places.h"
#include "tools/onnx-hier/write_flags.h"

namespace onnx_hier::cli {
namespace {

// The rules of how flags go together. Returns what is wrong, or "".
std::string CheckForms(const ParsedFlags& flags) {
  if (flags.Has("no-sidecar") && (flags.Has("sidecar") || flags.Has("sidecar-only"))) {
    return "--no-sidecar goes with neither --sidecar nor --sidecar-only";
  }
  if (std::string wrong = CheckSidecarOnly(flags); !wrong.empty()) return wrong;
  if (flags.Has("no-sidecar") && flags.Has("columns")) {
    return "--no-sidecar writes no sidecar, in which --columns could say something";
  }
  if (std::string wrong = Columns::WrongFlags(flags); !wrong.empty()) return wrong;
  if (flags.Has("no-sidecar") && flags.Has("values")) {
    return "--no-sidecar writes no sidecar, in which --values could say something";
  }
  if (flags.Has("sidecar-only") && flags.Has("metadata")) {
    return "--sidecar-only writes no model, in which --metadata could put anything";
  }
  if (flags.Has("sidecar-only") && flags.Has("name-nodes")) {
    return "--sidecar-only writes no model, whose nodes --name-nodes could name";
  }
  if (flags.Has("json") && flags.Has("json-lines")) {
    return "--json and --json-lines exclude each other";
  }
  if (IsForSeveral(flags) && flags.Has("sidecar"))
    return "--sidecar names one file: give one model";
  return "";
}

// The rules of what goes to and comes from where.
std::string CheckStreams(const ParsedFlags& flags) {
  const bool stream_out = flags.Value("output") == "-";
  if (stream_out && flags.Value("sidecar") == "-") {
    return "the model and the sidecar cannot both go to standard output";
  }
  for (const char* json : {"json", "json-lines"}) {
    if (flags.Has(json) && (stream_out || flags.Value("sidecar") == "-")) {
      return absl::StrCat("--", json, " needs standard output for itself");
    }
  }
  const bool sidecar_named = flags.Has("sidecar") || flags.Has("no-sidecar");
  for (const std::string& input : flags.arguments()) {
    if (input == "-" && !flags.Has("output") && !flags.Has("sidecar-only")) {
      return "standard input needs --output";
    }
    if (!sidecar_named &&
        (IsStream(flags.Value("output")) || (input == "-" && flags.Has("sidecar-only")))) {
      return "without a file name for the model, the sidecar needs --sidecar (or --no-sidecar)";
    }
  }
  return "";
}

absl::StatusOr<JobFiles> PlanJob(const std::string& input, const ParsedFlags& flags) {
  JobFiles job;
  job.input = input;
  if (flags.Has("in-place")) {
    job.model = input;
  } else if (flags.Has("output")) {
    job.model = flags.Value("output");
  } else {
    const absl::StatusOr<std::string> folder = FolderFor(input, flags);
    if (!folder.ok()) return folder.status();
    job.model = ModelBeside(input, "_tagged", *folder);
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

std::string CheckTagFlags(const ParsedFlags& flags) {
  std::string wrong = CheckInputs(flags, {});
  if (wrong.empty()) wrong = CheckOutputPlaces(flags);
  if (wrong.empty()) wrong = CheckForms(flags);
  if (wrong.empty()) wrong = CheckStreams(flags);
  if (wrong.empty()) wrong = CheckWriteFlags(flags, flags.Value("output"));
  return wrong;
}

absl::StatusOr<std::vector<JobFiles>> PlanTagJobs(const ParsedFlags& flags,
                                                  absl::Span<const std::string> inputs) {
  std::vector<JobFiles> jobs;
  jobs.reserve(inputs.size());
  for (const std::string& input : inputs) {
    absl::StatusOr<JobFiles> job = PlanJob(input, flags);
    if (!job.ok()) return job.status();
    jobs.push_back(*std::move(job));
  }
  const std::vector<TextFile> texts = TagTexts(flags);
  const absl::Status status = CheckOutputsApart(absl::MakeSpan(jobs), texts, flags);
  if (!status.ok()) return status;
  return jobs;
}

std::vector<TextFile> TagTexts(const ParsedFlags& flags) {
  return {{"the module map", flags.Value("module-map")}};
}

}  // namespace onnx_hier::cli
