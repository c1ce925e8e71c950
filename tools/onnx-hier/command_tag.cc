#include <algorithm>
#include <chrono>
#include <mutex>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "onnx_hier/onnx_hier.h"
#include "tools/cli/terminal.h"
#include "tools/onnx-hier/commands.h"
#include "tools/onnx-hier/side_by_side.h"
#include "tools/onnx-hier/tag_jobs.h"
#include "tools/onnx-hier/tag_outputs.h"
#include "tools/onnx-hier/tag_report.h"
#include "tools/onnx-hier/write_flags.h"

namespace onnx_hier::cli {
namespace {

constexpr Flag kFlags[] = {
    {"output", 'o', "OUT.onnx", "write the tagged model here ('-': standard output)"},
    {"output-dir", 0, "DIR", "write the outputs of all inputs into this folder"},
    kInPlaceFlag,
    {"sidecar", 0, "FILE", "write the sidecar here ('-': standard output)"},
    {"no-sidecar", 0, nullptr, "write no sidecar"},
    {"sidecar-only", 0, nullptr, "write no model"},
    {"name-nodes", 0, nullptr,
     "give each node without a name one ('MatMul_12'); 'strip' takes it away"},
    {"metadata", 0, nullptr,
     "write the tags into the nodes' metadata_props, too, for viewers that group by 'namespace'"},
    {"values", 0, nullptr, "say in the sidecar what each node reads and makes, with types"},
    kModuleMapFlag,
    kMinConfidenceFlag,
    kExternalDataFlag,
    {"jobs", 'j', "N", "work on N models at a time (16 if all are small, else 1)"},
    {"no-sync", 0, nullptr, "do not wait until the outputs are on the disk"},
    {"force", 'f', nullptr, "replace existing outputs; allow an output over 2 GiB"},
    kQuietFlag,
    {"json", 0, nullptr, "print the result as JSON on standard output"},
    kHelpFlag,
};

constexpr Example kExamples[] = {
    {"onnx-hier tag bert.onnx", "writes bert_tagged.onnx and bert_tagged_hierarchy.json"},
    {"onnx-hier tag bert.onnx --in-place", "tags bert.onnx itself, writes bert_hierarchy.json"},
    {"onnx-hier tag *.onnx --output-dir tagged", "tags many models, each for itself"},
    {"onnx-hier tag fused.onnx --name-nodes", "for a quantiser that goes by names of nodes"},
    {"onnx-hier tag bert.onnx --sidecar-only --sidecar -", "prints the hierarchy as JSON"},
    {"onnx-hier tag bert.onnx --metadata", "for a viewer such as Model Explorer"},
    {"export | onnx-hier tag - -o - --no-sidecar | deploy", "a step in a pipeline"},
};

constexpr uint32_t kMostJobs = 1024;
// The first one whose nodes have metadata_props (onnx.in.proto of the ONNX project).
constexpr int64_t kMetadataIrVersion = 10;

// Fills in which data files the models have. A model that cannot be read has none, and is reported
// when its turn comes. Takes a fifth of the time of tagging them.
void FindData(std::vector<JobFiles>& jobs, size_t threads) {
  RunSideBySide(jobs.size(), threads, [&jobs](size_t index) {
    if (jobs[index].input == "-") return;
    const absl::StatusOr<Model> model = OpenModel(jobs[index].input, /*threads=*/1);
    if (model.ok()) jobs[index].data = model->external_locations();
  });
}

// Does jobs, several at a time if asked to, and says in their order how they went.
class Tagging {
 public:
  Tagging(const ParsedFlags& flags, const AnnotateOptions& annotate, std::vector<JobFiles> jobs,
          uint32_t threads)
      : flags_(flags),
        annotate_(annotate),
        forms_{.metadata = flags.Has("metadata"), .values = flags.Has("values")},
        threads_(std::min<size_t>(threads, jobs.size())),
        outcomes_(jobs.size()),
        done_(jobs.size(), false) {
    for (size_t i = 0; i < jobs.size(); ++i) outcomes_[i].job = std::move(jobs[i]);
  }

  int Run() {
    RunSideBySide(outcomes_.size(), threads_, [this](size_t index) { Do(index); });
    if (CatchInterrupts()->load()) return kFailed;
    if (!flags_.Has("json") || OutputClosed()) return code_;
    return std::max(code_, PrintOrFail(ResultJson(outcomes_)));
  }

 private:
  void Do(size_t index) {
    TagOutcome& outcome = outcomes_[index];
    const auto start = std::chrono::steady_clock::now();
    outcome.status = Tag(outcome);
    const std::chrono::duration<double, std::milli> time = std::chrono::steady_clock::now() - start;
    outcome.result.milliseconds = time.count();
    const std::lock_guard<std::mutex> lock(mutex_);
    done_[index] = true;
    for (; said_ < outcomes_.size() && done_[said_]; ++said_) Report(outcomes_[said_]);
  }

  // The files of several models were compared before the first of them was written.
  absl::Status CheckData(const Model& model, JobFiles& job) const {
    std::vector<std::string> data = model.external_locations();
    if (outcomes_.size() == 1) {
      job.data = std::move(data);
      return CheckJobFiles({&job, 1}, TagTexts(flags_));
    }
    if (job.input == "-" || data == job.data) return absl::OkStatus();
    return absl::AbortedError("another program has changed the model in between: run again");
  }

  absl::Status Tag(TagOutcome& outcome) const {
    JobFiles& job = outcome.job;
    const auto about = [&outcome](const std::string& name, const absl::Status& status) {
      outcome.result.error = absl::StrCat(name, ": ", status.message());
      return status;
    };
    const absl::StatusOr<Model> model = OpenModel(job.input, annotate_.threads);
    if (!model.ok()) {
      outcome.result.error = std::string(model.status().message());
      return model.status();
    }
    if (const absl::Status status = CheckData(*model, job); !status.ok()) {
      return about(InputName(job.input), status);
    }
    if (!job.model.empty()) {
      const absl::Status status = CheckTagsMayChange(*model);
      if (!status.ok()) return about(InputName(job.input), status);
    }
    const Annotation annotation = Annotate(*model, annotate_);
    const std::string warning = ModuleMapWarning(flags_, annotate_, annotation);
    if (!warning.empty()) outcome.result.warnings.push_back(warning);
    const int64_t ir_version = model->graph().info().ir_version;
    if (forms_.metadata && ir_version < kMetadataIrVersion) {
      outcome.result.warnings.push_back(absl::StrCat(
          "the model has IR version ", ir_version, ", and nodes have metadata from version ",
          kMetadataIrVersion, " on: programs that go by the version may not look for it"));
    }
    Progress progress(InputName(job.input), model->file_size(),
                      flags_.Has("quiet") || job.model.empty() || threads_ > 1);
    WriteOptions options = WriteOptionsOf(flags_);
    if (threads_ > 1) options.threads = 1;
    options.progress = progress.counter();
    options.warnings = &outcome.result.warnings;
    const GivenNames names = flags_.Has("name-nodes") ? GivenNames(model->graph()) : GivenNames();
    absl::Status status = WriteTagOutputs(*model, annotation, names, forms_, job, options);
    if (!status.ok()) return about(OutputName(job.model.empty() ? job.sidecar : job.model), status);
    outcome.result.summary = Summarize(annotation);
    if (flags_.Has("name-nodes")) outcome.result.named = names.size();
    return status;
  }

  void Report(const TagOutcome& outcome) {
    // Interrupted, or nobody reads our output any more: not an error of the model.
    if (absl::IsCancelled(outcome.status)) return;
    if (!outcome.status.ok()) {
      code_ = Fail(outcome.result.error);
    } else if (!flags_.Has("quiet")) {
      for (const std::string& warning : outcome.result.warnings) Warn(warning);
      SayLine(SummaryLine(outcome));
    }
  }

  const ParsedFlags& flags_;
  const AnnotateOptions& annotate_;
  const TagForms forms_;
  const size_t threads_;
  std::vector<TagOutcome> outcomes_;
  std::mutex mutex_;  // of what is below
  std::vector<char> done_;
  size_t said_ = 0;  // jobs whose outcome was reported
  int code_ = kDone;
};

int Run(const ParsedFlags& flags) {
  std::optional<uint32_t> at_a_time;
  if (flags.Has("jobs")) {
    const absl::StatusOr<uint32_t> count = ParseCount(flags, "jobs", 1);
    if (!count.ok()) return UsageError("tag", count.status().message());
    at_a_time = std::min(*count, kMostJobs);
  }
  absl::StatusOr<std::vector<JobFiles>> jobs = PlanTagJobs(flags);
  if (!jobs.ok()) return UsageError("tag", jobs.status().message());
  absl::StatusOr<AnnotateOptions> annotate = ReadAnnotateOptions(flags);
  if (!annotate.ok()) return Fail(annotate.status().message());
  const uint32_t threads = at_a_time.value_or(UsualJobsAtATime(*jobs));
  if (threads > 1 && jobs->size() > 1) annotate->threads = 1;
  if (jobs->size() > 1) {
    FindData(*jobs, threads);
    const absl::Status status = CheckJobFiles(*jobs, TagTexts(flags));
    if (!status.ok()) return Fail(absl::StrCat(status.message(), "; nothing was written"));
  }
  return Tagging(flags, *annotate, *std::move(jobs), threads).Run();
}

}  // namespace

Command TagCommand() {
  return {
      "tag",
      "IN.onnx...",
      "write each node's module into its doc_string, and a JSON sidecar",
      "Reads an ONNX model, works out which module of the original network each node belongs\n"
      "to, and writes IN_tagged.onnx with the answer in the nodes' doc_strings, beside\n"
      "IN_tagged_hierarchy.json with the whole hierarchy. Nothing else in the model changes;\n"
      "'onnx-hier strip' gives back the original file. '-' is standard input.\n"
      "\n"
      "With --name-nodes, each node that has no name gets one that no other node has, so that\n"
      "tools which take names of nodes can be told of it. Such names say nothing of modules,\n"
      "and stay when the file is tagged again. Names that nodes have are kept as they are, also\n"
      "those that several nodes share.",
      kFlags,
      kExamples,
      Run};
}

}  // namespace onnx_hier::cli
