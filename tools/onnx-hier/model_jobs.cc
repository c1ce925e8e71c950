// SPDX-License-Identifier: Apache-2.0
#include "tools/onnx-hier/model_jobs.h"

#include <algorithm>
#include <string>
#include <utility>

#include "absl/strings/str_cat.h"
#include "tools/onnx-hier/output_places.h"
#include "tools/onnx-hier/side_by_side.h"
#include "tools/onnx-hier/write_flags.h"

namespace onnx_hier::cli {

absl::StatusOr<ModelJobs> ModelJobs::Prepare(const ParsedFlags& flags, std::vector<JobFiles> files,
                                             std::vector<TextFile> texts, size_t threads) {
  ModelJobs jobs(std::move(texts), threads);
  if (flags.Has("output-dir")) {
    absl::StatusOr<OutputFolder> folder = OutputFolder::Prepare(flags.Value("output-dir"));
    if (!folder.ok()) return folder.status();
    jobs.folder_ = *std::move(folder);
  }
  for (JobFiles& job : files) {
    std::vector<std::string> sources = {job.input};
    for (const TextFile& text : jobs.texts_) sources.push_back(text.path);
    const bool done = flags.Has("skip-existing") && AreUpToDate({job.model, job.sidecar}, sources);
    jobs.jobs_.push_back({std::move(job), done});
  }
  // What has no name yet takes no data file's place.
  const auto may_meet_data = [](const Job& job) {
    return job.files.replaces || job.files.copies_data;
  };
  if (jobs.size() <= 1 || std::none_of(jobs.jobs_.begin(), jobs.jobs_.end(), may_meet_data)) {
    return jobs;
  }
  jobs.FindData();
  // All else was compared when the outputs were planned.
  const auto has_data = [](const Job& job) { return !job.files.data.empty(); };
  if (std::none_of(jobs.jobs_.begin(), jobs.jobs_.end(), has_data)) return jobs;
  if (absl::Status status = jobs.CheckTogether(); !status.ok()) return status;
  return jobs;
}

// Takes a fifth of the time of tagging them.
void ModelJobs::FindData() {
  knows_data_ = true;
  RunSideBySide(jobs_.size(), threads_, [this](size_t index) {
    Job& job = jobs_[index];
    if (job.done || job.files.input == "-") return;
    const absl::StatusOr<Model> model = OpenModel(job.files.input, /*threads=*/1);
    if (model.ok()) job.files.data = model->external_locations();
  });
}

absl::Status ModelJobs::CheckTogether() const {
  std::vector<JobFiles> files;
  files.reserve(jobs_.size());
  for (const Job& job : jobs_) files.push_back(job.files);
  absl::Status status = CheckJobFiles(absl::MakeSpan(files), texts_);
  if (status.ok()) return status;
  return absl::InvalidArgumentError(absl::StrCat(status.message(), "; nothing was written"));
}

ModelOutcome ModelJobs::Work(size_t job, ModelResult& result,
                             absl::FunctionRef<absl::Status()> work) const {
  if (!jobs_[job].done) return TimedWork(result, work);
  result.status = ResultStatus::kSkipped;
  return TimedWork(result, [] { return absl::OkStatus(); });
}

absl::Status ModelJobs::CheckData(size_t job, const Model& model) const {
  JobFiles files = jobs_[job].files;
  std::vector<std::string> data = model.external_locations();
  // The files of several models were compared before the first of them was written.
  if (jobs_.size() == 1) {
    files.data = std::move(data);
    return CheckJobFiles({&files, 1}, texts_);
  }
  if (!knows_data_ || files.input == "-" || data == files.data) return absl::OkStatus();
  return absl::AbortedError("another program has changed the model in between: run again");
}

absl::Status ModelJobs::MakeFolder(size_t job) {
  if (!folder_.has_value()) return absl::OkStatus();
  const JobFiles& files = jobs_[job].files;
  return folder_->MakeFolderOf(files.model.empty() ? files.sidecar : files.model);
}

}  // namespace onnx_hier::cli
