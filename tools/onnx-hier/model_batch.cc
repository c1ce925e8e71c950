// SPDX-License-Identifier: Apache-2.0
#include "tools/onnx-hier/model_batch.h"

#include <algorithm>
#include <filesystem>
#include <system_error>
#include <utility>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "onnx_hier_program/text.h"
#include "tools/cli/program.h"
#include "tools/cli/terminal.h"
#include "tools/onnx-hier/input_list.h"
#include "tools/onnx-hier/side_by_side.h"
#include "tools/onnx-hier/stopwatch.h"
#include "tools/onnx-hier/write_flags.h"

namespace onnx_hier::cli {
namespace {

constexpr uint32_t kMostJobs = 1024;

// A large model keeps two threads busy by itself, and may need much memory. Small ones take less
// time than waiting for the disk does; these waits cost next to nothing side by side: 0.8 ms a
// model against 13 ms one after the other (500 models of 32 kB, ext4, a busy disk).
uint32_t UsualJobs(absl::Span<const std::string> inputs) {
  constexpr uint32_t kAtATime = 16;
  constexpr std::uintmax_t kSmall = 1 << 20;
  const bool small = std::all_of(inputs.begin(), inputs.end(), [](const std::string& input) {
    std::error_code error;  // what cannot be read is an error soon, and takes no time
    const std::uintmax_t size = std::filesystem::file_size(input, error);
    return input != "-" && (error || size <= kSmall);
  });
  return small ? kAtATime : 1;
}

}  // namespace

absl::StatusOr<uint32_t> ReadJobs(const ParsedFlags& flags, absl::Span<const std::string> inputs) {
  uint32_t jobs = 0;
  if (flags.Has("jobs")) {
    absl::StatusOr<uint32_t> count = ParseCount(flags, "jobs", 1);
    if (!count.ok()) return count;
    jobs = std::min(*count, kMostJobs);
  } else {
    jobs = UsualJobs(inputs);
  }
  return static_cast<uint32_t>(std::min<size_t>(jobs, std::max<size_t>(inputs.size(), 1)));
}

std::string NameInReports(const std::string& path, const ParsedFlags& flags) {
  return IsForSeveral(flags) ? path : ShownFileName(path);
}

ModelOutcome TimedWork(ModelResult& result, absl::FunctionRef<absl::Status()> work) {
  const Stopwatch watch;
  const absl::Status status = work();
  result.milliseconds = watch.milliseconds();
  if (!status.ok()) result.status = ResultStatus::kError;
  ModelOutcome outcome;
  outcome.status = result.status;
  outcome.cancelled = absl::IsCancelled(status);
  outcome.error = result.error;
  outcome.warnings = result.warnings;
  return outcome;
}

ModelOutcome ReportOn(const std::string& path, const ParsedFlags& flags, absl::string_view key,
                      ReportWriter write) {
  const bool lines = flags.Has("json-lines");
  ModelResult result;
  result.input = path;
  StringSink kept;
  PrintSink printed;
  ByteSink* const sink = lines || IsForSeveral(flags) ? static_cast<ByteSink*>(&kept) : &printed;
  std::string message;
  ModelOutcome outcome = TimedWork(result, [&] {
    absl::Status status = write(*sink, result, message);
    if (!status.ok()) result.error = std::string(status.message());
    return status;
  });
  outcome.message = std::move(message);
  if (lines) {
    outcome.line =
        ResultLine(result, key, outcome.status == ResultStatus::kError ? "" : kept.text());
  } else {
    outcome.text = kept.text();
  }
  return outcome;
}

ModelBatch::ModelBatch(const ParsedFlags& flags, size_t models, size_t threads)
    : quiet_(flags.Has("quiet")),
      lines_(flags.Has("json-lines")),
      counted_(IsForSeveral(flags)),
      threads_(threads),
      outcomes_(models),
      done_(models, false) {}

int ModelBatch::Run(const std::function<ModelOutcome(size_t)>& work) {
  const Stopwatch watch;
  RunSideBySide(outcomes_.size(), threads_, [&](size_t index) { Finish(index, work(index)); });
  if (Interrupted()) return kFailed;
  return SayCounts(watch.milliseconds());
}

void ModelBatch::Finish(size_t index, ModelOutcome outcome) {
  const std::lock_guard<std::mutex> lock(mutex_);
  if (lines_ && !outcome.cancelled) PrintOut(outcome.line);
  outcomes_[index] = std::move(outcome);
  done_[index] = true;
  for (; next_ < done_.size() && done_[next_]; ++next_) {
    Report(outcomes_[next_]);
    outcomes_[next_] = ModelOutcome();
  }
}

void ModelBatch::Report(const ModelOutcome& outcome) {
  if (outcome.cancelled) return;
  switch (outcome.status) {
    case ResultStatus::kOk:
      ++counts_.ok;
      break;
    case ResultStatus::kFound:
      ++counts_.found;
      break;
    case ResultStatus::kSkipped:
      ++counts_.skipped;
      break;
    case ResultStatus::kError:
      ++counts_.failed;
      Fail(outcome.error);
      return;
  }
  if (!quiet_) {
    for (const std::string& warning : outcome.warnings) Warn(warning);
  }
  PrintOut(outcome.text);
  if (!quiet_ && !outcome.message.empty()) SayLine(outcome.message);
}

// After the first failure, nothing more is printed.
void ModelBatch::PrintOut(const std::string& text) {
  if (text.empty() || print_failed_) return;
  print_failed_ = PrintOrFail(text) != kDone;
}

int ModelBatch::SayCounts(double milliseconds) {
  counts_.milliseconds = milliseconds;
  if (lines_) PrintOut(ResultCountsLine(counts_));
  if (counted_ && !quiet_ && !OutputClosed()) {
    const auto part = [](uint64_t count, const char* what) {
      return count == 0 ? "" : absl::StrCat(", ", WithThousands(count), " ", what);
    };
    SayLine(absl::StrFormat("%s: %s done%s%s%s, %.1f s", Counted(counts_.models(), "model"),
                            WithThousands(counts_.ok + counts_.found),
                            part(counts_.found, "with findings"), part(counts_.skipped, "skipped"),
                            part(counts_.failed, "failed"), milliseconds / 1000));
  }
  if (counts_.failed > 0 || print_failed_) return kFailed;
  return counts_.found > 0 ? kFound : kDone;
}

}  // namespace onnx_hier::cli
