// SPDX-License-Identifier: Apache-2.0
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
  // Runs are alike: nearly always it is the one that came after the last one before.
  if (++last_ >= kernels_.size()) last_ = 0;
  if (last_ < kernels_.size()) {
    const Kernel& next = kernels_[last_];
    if (next.index == index && next.name == name && next.op_type == op_type) return last_;
  }
  const auto found = numbers_.find(Key(name, op_type, index));
  if (found != numbers_.end()) return last_ = found->second;
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
  sums_.emplace_back();
  return last_ = number;
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
  std::vector<Sample> run;
  run.reserve(touched_.size());
  for (uint32_t kernel : touched_) run.push_back({kernel, std::exchange(open_[kernel], {})});
  touched_.clear();
  finished_.clear();
  last_run_.swap(spans_);
  spans_.clear();
  if (warm_up_runs_ < options_.warm_up_runs) {
    ++warm_up_runs_;
    warm_up_ = std::move(run);
  } else {
    Count(run);
  }
}

void KernelLog::Count(const std::vector<Sample>& run) {
  ++runs_;
  for (const Sample& sample : run) {
    sums_[sample.kernel].time += sample.sum.time;
    sums_[sample.kernel].calls += sample.sum.calls;
    ++runs_with_[{sample.kernel, sample.sum.time}];
  }
}

Profile KernelLog::Finish(ProfileKind kind) {
  Profile profile;
  profile.kind = kind;
  profile.is_cut = !touched_.empty() && runs_ + warm_up_runs_ > 0;
  if (!profile.is_cut) EndRun();
  if (runs_ == 0 && warm_up_runs_ > 0) {
    Count(warm_up_);
    --warm_up_runs_;
  }
  profile.is_summed = options_.sum_runs;
  profile.warm_up_runs = warm_up_runs_;
  profile.runs = runs_;
  Summarize(profile);
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

std::vector<KernelLog::Runs> KernelLog::SortedRuns() const {
  std::vector<Runs> sorted;
  sorted.reserve(runs_with_.size());
  for (const auto& [key, count] : runs_with_) sorted.push_back({key.first, key.second, count});
  std::sort(sorted.begin(), sorted.end(), [](const Runs& a, const Runs& b) {
    return a.kernel != b.kernel ? a.kernel < b.kernel : a.time < b.time;
  });
  return sorted;
}

void KernelLog::Summarize(Profile& profile) {
  const std::vector<Runs> sorted = SortedRuns();
  for (size_t begin = 0; begin < sorted.size();) {
    size_t end = begin;
    size_t present = 0;
    for (; end < sorted.size() && sorted[end].kernel == sorted[begin].kernel; ++end) {
      present += sorted[end].count;
    }
    Kernel& kernel = kernels_[sorted[begin].kernel];
    const Sum& sum = sums_[sorted[begin].kernel];
    const auto times = absl::MakeConstSpan(sorted).subspan(begin, end - begin);
    kernel.amount = Amount(options_.sum_runs ? sum.time : MedianOf(times, present, runs_));
    kernel.calls = options_.sum_runs ? sum.calls : (sum.calls + runs_ - 1) / runs_;
    if (!options_.sum_runs && present * 2 < runs_) ++profile.seldom;
    begin = end;
  }
}

uint64_t KernelLog::MedianOf(absl::Span<const Runs> times, size_t present, size_t runs) {
  const auto time_at = [&](size_t place) {
    size_t end = runs - present;
    if (place < end) return uint64_t{0};
    size_t i = 0;
    for (end += times[0].count; place >= end; end += times[i].count) ++i;
    return times[i].time;
  };
  return runs % 2 == 1 ? time_at(runs / 2) : (time_at(runs / 2 - 1) + time_at(runs / 2)) / 2;
}

}  // namespace onnx_hier
