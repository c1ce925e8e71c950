// SPDX-License-Identifier: Apache-2.0

// The models of one call: worked on several at a time, and reported one by one.
#ifndef ONNX_HIER_TOOLS_MODEL_BATCH_H_
#define ONNX_HIER_TOOLS_MODEL_BATCH_H_

#include <cstddef>
#include <cstdint>
#include <functional>
#include <mutex>
#include <string>
#include <vector>

#include "absl/functional/function_ref.h"
#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "absl/types/span.h"
#include "onnx_hier/bytes.h"
#include "onnx_hier_program/model_results.h"
#include "tools/cli/flags.h"

namespace onnx_hier::cli {

inline constexpr Flag kJsonLinesFlag = {
    "json-lines", 0, nullptr,
    "print a line of JSON for each model as it is done, and one of counts in the end"};
inline constexpr Flag kJobsFlag = {"jobs", 'j', "N",
                                   "work on N models at a time (16 if all are small, else 1)"};

// How many models to work on at a time: as --jobs says, else by how large they are; no more than
// there are.
absl::StatusOr<uint32_t> ReadJobs(const ParsedFlags& flags, absl::Span<const std::string> inputs);

// What reports call a model: one of several by its path, else as ShownFileName() does.
std::string NameInReports(const std::string& path, const ParsedFlags& flags);

// What became of one model, and what is to be said of it.
struct ModelOutcome {
  ResultStatus status = ResultStatus::kOk;
  // Interrupted, or nobody reads our output any more: no error of the model.
  bool cancelled = false;
  std::string error;  // with the name of the file that it is about
  std::vector<std::string> warnings;
  std::string message;  // for people; "": nothing
  std::string text;     // for standard output
  std::string line;     // for --json-lines
};

// Does the work on one model and fills in how it ended and how long it took. Where it fails,
// `result` says why.
ModelOutcome TimedWork(ModelResult& result, absl::FunctionRef<absl::Status()> work);

// The same for work whose result is a document: it goes to standard output as it is written, but
// with several models, and with --json-lines as what stands under `key` in the model's line, when
// it is complete.
using ReportWriter =
    absl::FunctionRef<absl::Status(ByteSink& sink, ModelResult& result, std::string& message)>;
ModelOutcome ReportOn(const std::string& path, const ParsedFlags& flags, absl::string_view key,
                      ReportWriter write);

class ModelBatch {
 public:
  ModelBatch(const ParsedFlags& flags, size_t models, size_t threads);

  // Calls `work` with 0 to models - 1 and returns the exit code. Lines are printed as models are
  // done, all else in the order of the models.
  int Run(const std::function<ModelOutcome(size_t)>& work);

 private:
  void Finish(size_t index, ModelOutcome outcome);
  void Report(const ModelOutcome& outcome);
  void PrintOut(const std::string& text);
  int SayCounts(double milliseconds);

  const bool quiet_;
  const bool lines_;
  const bool counted_;
  const size_t threads_;
  std::mutex mutex_;                    // of what is below
  std::vector<ModelOutcome> outcomes_;  // of those that are done and not reported
  std::vector<bool> done_;
  size_t next_ = 0;  // the first that was not reported
  ResultCounts counts_;
  bool print_failed_ = false;
};

}  // namespace onnx_hier::cli

#endif  // ONNX_HIER_TOOLS_MODEL_BATCH_H_
