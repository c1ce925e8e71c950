// SPDX-License-Identifier: Apache-2.0

// Kernels as a reader meets them, run by run, and what one run comes to in the end.
//
//   KernelLog log(options);
//   status = log.Add(log.NumberOf("/fc/MatMul", "MatMul", 12), 5000);
//   log.EndRun();
//   Profile profile = log.Finish(ProfileKind::kOnnxRuntime);   // medians over the runs
//
// Memory grows with kernels and the different times that each took, not with runs: clocks are
// coarse, so that most runs bring nothing new.
#ifndef ONNX_HIER_LIB_PROFILE_KERNEL_LOG_H_
#define ONNX_HIER_LIB_PROFILE_KERNEL_LOG_H_

#include <cstdint>
#include <deque>
#include <optional>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "absl/types/span.h"
#include "onnx_hier/profile.h"

namespace onnx_hier {

class KernelLog {
 public:
  // More are in no model: what looks like them are counters or addresses in names.
  static constexpr size_t kMostKernels = 1 << 20;
  // Of all runs together, in nanoseconds: 146 years.
  static constexpr uint64_t kLongestTime = uint64_t{1} << 62;

  explicit KernelLog(const ProfileOptions& options) : options_(options) {}

  // The number of a kernel, new if need be.
  absl::StatusOr<uint32_t> NumberOf(absl::string_view name, absl::string_view op_type,
                                    std::optional<uint32_t> index);
  Kernel& kernel(uint32_t number) { return kernels_[number]; }
  size_t size() const { return kernels_.size(); }

  // It ran for so many nanoseconds.
  absl::Status Add(uint32_t kernel, uint64_t time);
  // Likewise, with kernels inside it: those that were added before, since the run began, on the
  // same thread and not before `begin`.
  absl::Status AddSpan(const KernelSpan& span);
  // What was added since the last call was one run.
  void EndRun();

  // Runs that were not ended do not count, unless there is no other.
  Profile Finish(ProfileKind kind);

 private:
  using Key = std::tuple<absl::string_view, absl::string_view, std::optional<uint32_t>>;

  // What a kernel came to: in a run, or in all that count.
  struct Sum {
    uint64_t time = 0;
    uint64_t calls = 0;
  };
  struct Sample {
    uint32_t kernel;
    Sum sum;
  };
  // In how many runs a kernel took that long.
  struct Runs {
    uint32_t kernel;
    uint64_t time;
    size_t count;
  };
  struct Inside {
    uint64_t begin;
    uint64_t duration;
  };

  uint64_t TimeInside(const KernelSpan& span);
  void KeepSpan(const KernelSpan& span);
  void Count(const std::vector<Sample>& run);
  std::vector<Runs> SortedRuns() const;
  void Summarize(Profile& profile);
  // Of the times of one kernel, the least first, in `present` of all runs; in the others it took
  // none.
  static uint64_t MedianOf(absl::Span<const Runs> times, size_t present, size_t runs);

  const ProfileOptions options_;
  std::deque<Kernel> kernels_;  // a deque: the views in the map stay valid
  absl::flat_hash_map<Key, uint32_t> numbers_;
  uint32_t last_ = 0;              // whose number was asked for
  std::vector<Sum> open_;          // by kernel, of the run that is read
  std::vector<uint32_t> touched_;  // kernels that are in it
  uint64_t total_ = 0;
  // Of the last kernels on each thread, those that no other one held.
  absl::flat_hash_map<uint32_t, std::vector<Inside>> finished_;
  std::vector<KernelSpan> spans_;  // of the run that is read
  std::vector<KernelSpan> last_run_;
  std::vector<Sample> warm_up_;  // the last run that does not count, as long as none does
  std::vector<Sum> sums_;        // by kernel, of runs that count
  absl::flat_hash_map<std::pair<uint32_t, uint64_t>, size_t> runs_with_;  // a kernel and a time
  size_t runs_ = 0;
  size_t warm_up_runs_ = 0;
};

}  // namespace onnx_hier

#endif  // ONNX_HIER_LIB_PROFILE_KERNEL_LOG_H_
