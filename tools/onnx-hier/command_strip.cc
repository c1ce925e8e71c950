// SPDX-License-Identifier: Apache-2.0
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "onnx_hier/onnx_hier.h"
#include "onnx_hier_program/model_results.h"
#include "onnx_hier_program/tasks.h"
#include "onnx_hier_program/text.h"
#include "tools/cli/terminal.h"
#include "tools/onnx-hier/commands.h"
#include "tools/onnx-hier/input_list.h"
#include "tools/onnx-hier/many_inputs.h"
#include "tools/onnx-hier/model_batch.h"
#include "tools/onnx-hier/model_jobs.h"
#include "tools/onnx-hier/output_places.h"
#include "tools/onnx-hier/write_flags.h"

namespace onnx_hier::cli {
namespace {

constexpr Flag kFlags[] = {
    kOutputFlag,       kOutputDirFlag,    kMirrorFlag, kInPlaceFlag, kFilesFromFlag,
    kSkipExistingFlag, kExternalDataFlag, kJobsFlag,   kNoSyncFlag,  kForceFlag,
    kQuietFlag,        kJsonLinesFlag,    kHelpFlag,
};

constexpr Example kExamples[] = {
    {"onnx-hier strip bert_tagged.onnx", "writes bert_tagged_stripped.onnx"},
    {"onnx-hier strip bert.onnx --in-place", "takes the tags out of bert.onnx"},
    {"onnx-hier strip tagged/*.onnx --output-dir plain", "of many models, each for itself"},
    {"onnx-hier strip bert_tagged.onnx -o - | sha256sum", "the checksum of the original file"},
};

std::string CheckFlags(const ParsedFlags& flags) {
  std::string wrong = CheckInputs(flags, {});
  if (wrong.empty()) wrong = CheckOutputPlaces(flags);
  if (!wrong.empty()) return wrong;
  for (const std::string& input : flags.arguments()) {
    if (input == "-" && !flags.Has("output")) return "standard input needs --output";
  }
  if (flags.Has("json-lines") && flags.Value("output") == "-") {
    return "--json-lines needs standard output for itself";
  }
  return CheckWriteFlags(flags, flags.Value("output"));
}

absl::StatusOr<std::vector<JobFiles>> PlanJobs(const ParsedFlags& flags,
                                               absl::Span<const std::string> inputs) {
  std::vector<JobFiles> jobs;
  jobs.reserve(inputs.size());
  for (const std::string& input : inputs) {
    const absl::StatusOr<std::string> folder = FolderFor(input, flags);
    if (!folder.ok()) return folder.status();
    JobFiles& job = jobs.emplace_back();
    job.input = input;
    job.model = flags.Has("in-place") ? input
                : flags.Has("output") ? flags.Value("output")
                                      : ModelBeside(input, "_stripped", *folder);
    job.copies_data = flags.Value("external-data") == "copy";
  }
  const absl::Status status = CheckOutputsApart(absl::MakeSpan(jobs), {}, flags);
  if (!status.ok()) return status;
  return jobs;
}

// Takes tags out of models one by one, from any thread.
class Stripping {
 public:
  Stripping(const ParsedFlags& flags, ModelJobs& jobs) : flags_(flags), jobs_(jobs) {}

  ModelOutcome Do(size_t index) {
    StripResult result;
    result.input = jobs_.files(index).input;
    result.output = jobs_.files(index).model;
    ModelOutcome outcome = jobs_.Work(index, result, [&] { return Strip(index, result); });
    if (outcome.status == ResultStatus::kOk) outcome.message = Message(result);
    if (flags_.Has("json-lines")) outcome.line = StripResultLine(result);
    return outcome;
  }

 private:
  absl::Status Strip(size_t index, StripResult& result) {
    const JobFiles& job = jobs_.files(index);
    const auto about = [&result](const std::string& name, const absl::Status& status) {
      result.error = absl::StrCat(name, ": ", status.message());
      return status;
    };
    const int threads = jobs_.side_by_side() ? 1 : 0;
    const absl::StatusOr<Model> model = OpenModel(job.input, threads);
    if (!model.ok()) {
      result.error = std::string(model.status().message());
      return model.status();
    }
    if (absl::Status status = jobs_.CheckData(index, *model); !status.ok()) {
      return about(InputName(job.input), status);
    }
    if (absl::Status status = CheckTagsMayChange(*model); !status.ok()) {
      return about(InputName(job.input), status);
    }
    result.nodes = model->graph().node_count();
    result.stripped = CountTagged(*model);
    // A file of its own would only be a copy, unless that was asked for by name.
    if (result.stripped == 0 && !flags_.Has("output") && !flags_.Has("output-dir")) {
      result.output.clear();
      return absl::OkStatus();
    }
    Progress progress(InputName(job.input), model->file_size(),
                      flags_.Has("quiet") || jobs_.side_by_side());
    WriteOptions options = WriteOptionsOf(flags_);
    options.threads = threads;
    options.folders = jobs_.folders();
    options.progress = progress.counter();
    options.warnings = &result.warnings;
    absl::Status status = jobs_.MakeFolder(index);
    if (status.ok()) status = Write(*model, StripEdits(*model), To(job.model, job), options);
    return status.ok() ? status : about(OutputName(job.model), status);
  }

  static std::string Message(const StripResult& result) {
    if (result.output.empty()) {
      return absl::StrCat(InputName(result.input), ": has no tags: nothing to take out");
    }
    return absl::StrCat(OutputName(result.output), ": tags taken out of ",
                        WithThousands(result.stripped), " of ", Counted(result.nodes, "node"));
  }

  const ParsedFlags& flags_;
  ModelJobs& jobs_;
};

class StripTags final : public ManyInputs {
 public:
  using ManyInputs::ManyInputs;

  absl::Status Setup() override { return Misused(CheckFlags(flags())); }

  absl::StatusOr<int> Run() override {
    if (absl::Status status = ReadList(); !status.ok()) return status;
    absl::StatusOr<std::vector<JobFiles>> files = PlanJobs(flags(), inputs());
    if (!files.ok()) return Misused(files.status().message());
    absl::StatusOr<ModelJobs> jobs =
        ModelJobs::Prepare(flags(), *std::move(files), {}, at_a_time());
    if (!jobs.ok()) return jobs.status();
    Stripping stripping(flags(), *jobs);
    return ModelBatch(flags(), jobs->size(), jobs->threads()).Run([&](size_t index) {
      return stripping.Do(index);
    });
  }
};

}  // namespace

CommandEntry StripCommand() {
  return {
      "strip",
      "IN.onnx...",
      "take the tags out again: gives back the file as it was before 'tag'",
      "Restores the doc_strings that stood in the nodes before they were tagged, and takes away\n"
      "names that 'tag --name-nodes' gave: byte for byte for files in canonical protobuf "
      "encoding.\n"
      "Of a model without tags, nothing is written, unless --output or --output-dir says where.\n"
      "'-' is standard input.",
      kFlags,
      kExamples,
      Make<StripTags>};
}

}  // namespace onnx_hier::cli
