// SPDX-License-Identifier: Apache-2.0

// The jobs of a call that writes a model for each of its inputs: what goes where, what is done
// already, and that no job writes over what another one reads or writes.
#ifndef ONNX_HIER_TOOLS_MODEL_JOBS_H_
#define ONNX_HIER_TOOLS_MODEL_JOBS_H_

#include <cstddef>
#include <memory>
#include <optional>
#include <vector>

#include "absl/functional/function_ref.h"
#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "onnx_hier/onnx_hier.h"
#include "onnx_hier_program/job_files.h"
#include "tools/cli/flags.h"
#include "tools/onnx-hier/model_batch.h"
#include "tools/onnx-hier/output_folder.h"

namespace onnx_hier::cli {

class ModelJobs {
 public:
  // `files`: one entry for each input, data files unknown, without a clash that could be seen
  // without these; `texts`: what else the call reads. Makes --output-dir. Opens several models to
  // learn of their data files, where an output could take the place of one; those that cannot be
  // read are reported when their turn comes. An error: nothing was written.
  static absl::StatusOr<ModelJobs> Prepare(const ParsedFlags& flags, std::vector<JobFiles> files,
                                           std::vector<TextFile> texts, size_t threads);

  size_t size() const { return jobs_.size(); }
  size_t threads() const { return threads_; }
  // Whether other models are worked on meanwhile.
  bool side_by_side() const { return threads_ > 1; }
  const JobFiles& files(size_t job) const { return jobs_[job].files; }
  // TimedWork() on a job; of one that is done, `result` says that it was skipped.
  ModelOutcome Work(size_t job, ModelResult& result, absl::FunctionRef<absl::Status()> work) const;

  // Of the outputs of all jobs.
  OutputFolders* folders() const { return folders_.get(); }
  // Before anything is written of a job, whose input is open now. From any thread.
  absl::Status CheckData(size_t job, const Model& model) const;
  absl::Status MakeFolder(size_t job);

 private:
  struct Job {
    JobFiles files;
    bool done = false;  // with --skip-existing: the outputs are there
  };

  ModelJobs(std::vector<TextFile> texts, size_t threads)
      : texts_(std::move(texts)), threads_(threads) {}
  void FindData();
  absl::Status CheckTogether() const;

  std::vector<Job> jobs_;
  std::vector<TextFile> texts_;
  size_t threads_;
  bool knows_data_ = false;  // data files of all jobs
  std::optional<OutputFolder> folder_;
  std::unique_ptr<OutputFolders> folders_ = std::make_unique<OutputFolders>();
};

}  // namespace onnx_hier::cli

#endif  // ONNX_HIER_TOOLS_MODEL_JOBS_H_
