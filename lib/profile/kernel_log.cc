#include "lib/profile/kernel_log.h"

#include <algorithm>
#include <utility>

#include "absl/strings/str_cat.h"

namespace onnx_hier {
namespace {

// Spans of one run beyond these are in no picture that anybody looks at, and threads beyond these
// run no model.
constexpr size_t kMostSpans = 1 << 20;
constexpr size_t kMostThreads = 1 << 10;
// Kernels that ran before one that holds them: more than a body of a loop has.
constexpr size_t kMostInside = 1 << 16;

}  // namespace

absl::StatusOr<uint32_t> KernelLog::NumberOf(absl::string_view name, absl::string_view op_type,
                                             std::optional<uint32_t> index) {
  const auto found = numbers_.find(Key(name, op_type, index));
  if (found != numbers_.end()) return found->second;
  if (kernels_.size() == kMostKernels) {
    return absl::ResourceExhaustedError(
        absl::StrCat("it has more than ", kMostKernels, " kernels with different names"));
  }
  const auto number = static_cast<uint32_t>(kernels_.size());
  Kernel& kernel = kernels_.emplace_back();
  kernel.name = std::string(name);
  kernel.op_type = std::string(op_type);
  kernel.index = index;
  numbers_.emplace(Key(kernel.name, kernel.op_type, index), number);
  open_.emplace_back();
  return number;
}

absl::Status KernelLog::Add(uint32_t kernel, uint64_t time) {
  if (time > kLongestTime - total_) {
    return absl::InvalidArgumentError("its times add up to more than a century");
  }
  total_ += time;
  if (open_[kernel].calls == 0) touched_.push_back(kernel);
  open_[kernel].time += time;
  ++open_[kernel].calls;
  return absl::OkStatus();
}

absl::Status KernelLog::AddSpan(const KernelSpan& span) {
  KeepSpan(span);
  return Add(span.kernel, span.duration - std::min(span.duration, TimeInside(span)));
}

// An If or a Loop is noted when it ends, after the kernels of its body.
uint64_t KernelLog::TimeInside(const KernelSpan& span) {
  if (finished_.size() == kMostThreads && !finished_.contains(span.thread)) finished_.clear();
  std::vector<Inside>& finished = finished_[span.thread];
  uint64_t inside = 0;
  while (!finished.empty() && finished.back().begin >= span.begin) {
    inside += std::min(finished.back().duration, kLongestTime - inside);
    finished.pop_back();
  }
  if (finished.size() == kMostInside) {
    finished.erase(finished.begin(), finished.begin() + kMostInside / 2);
  }
  finished.push_back({span.begin, span.duration});
  return inside;
}

void KernelLog::KeepSpan(const KernelSpan& span) {
  if (spans_.size() < kMostSpans) spans_.push_back(span);
}

void KernelLog::EndRun() {
  if (touched_.empty()) return;
  for (uint32_t kernel : touched_) {
    samples_.push_back({open_[kernel].time, kernel, open_[kernel].calls});
    open_[kernel] = {};
  }
  run_ends_.push_back(samples_.size());
  touched_.clear();
  finished_.clear();
  last_run_.swap(spans_);
  spans_.clear();
}

Profile KernelLog::Finish(ProfileKind kind) {
  Profile profile;
  profile.kind = kind;
  profile.is_cut = !touched_.empty() && !run_ends_.empty();
  if (!profile.is_cut) EndRun();
  profile.is_summed = options_.sum_runs;
  profile.warm_up_runs =
      run_ends_.empty() ? 0 : std::min<size_t>(options_.warm_up_runs, run_ends_.size() - 1);
  profile.runs = run_ends_.size() - profile.warm_up_runs;
  if (profile.warm_up_runs > 0) {
    const size_t end = run_ends_[profile.warm_up_runs - 1];
    samples_.erase(samples_.begin(), samples_.begin() + static_cast<ptrdiff_t>(end));
  }
  Summarize(profile, samples_);
  numbers_.clear();
  profile.kernels.assign(std::make_move_iterator(kernels_.begin()),
                         std::make_move_iterator(kernels_.end()));
  profile.last_run = std::move(last_run_);
  std::stable_sort(profile.last_run.begin(), profile.last_run.end(),
                   [](const KernelSpan& a, const KernelSpan& b) {
                     if (a.thread != b.thread) return a.thread < b.thread;
                     return a.begin != b.begin ? a.begin < b.begin : a.duration > b.duration;
                   });
  return profile;
}

void KernelLog::Summarize(Profile& profile, std::deque<Sample>& samples) {
  std::sort(samples.begin(), samples.end(), [](const Sample& a, const Sample& b) {
    return a.kernel != b.kernel ? a.kernel < b.kernel : a.time < b.time;
  });
  for (auto begin = samples.cbegin(); begin != samples.cend();) {
    auto end = begin;
    uint64_t time = 0;
    uint64_t calls = 0;
    for (; end != samples.cend() && end->kernel == begin->kernel; ++end) {
      time += end->time;
      calls += end->calls;
    }
    const auto count = static_cast<size_t>(end - begin);
    Kernel& kernel = kernels_[begin->kernel];
    kernel.time = options_.sum_runs ? time : MedianOf(begin, count, profile.runs);
    kernel.calls = options_.sum_runs ? calls : (calls + profile.runs - 1) / profile.runs;
    if (!options_.sum_runs && count * 2 < profile.runs) ++profile.seldom;
    begin = end;
  }
}

// Of the times of one kernel, the least first; in runs without it, it took none.
uint64_t KernelLog::MedianOf(std::deque<Sample>::const_iterator begin, size_t count, size_t runs) {
  const auto time_at = [&](size_t place) {
    const size_t absent = runs - count;
    return place < absent ? 0 : (begin + static_cast<ptrdiff_t>(place - absent))->time;
  };
  return runs % 2 == 1 ? time_at(runs / 2) : (time_at(runs / 2 - 1) + time_at(runs / 2)) / 2;
}

}  // namespace onnx_hier
