// Kernels as a reader meets them, run by run, and what one run comes to in the end.
//
//   KernelLog log(options);
//   status = log.Add(log.NumberOf("/fc/MatMul", "MatMul", 12), 5000);
//   log.EndRun();
//   Profile profile = log.Finish(ProfileKind::kOnnxRuntime);   // medians over the runs
//
// Memory grows with kernels times runs; a profile of a gigabyte has some million of these.
#ifndef ONNX_HIER_LIB_PROFILE_KERNEL_LOG_H_
#define ONNX_HIER_LIB_PROFILE_KERNEL_LOG_H_

#include <cstdint>
#include <deque>
#include <optional>
#include <string>
#include <tuple>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
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

  // What a kernel did in a run.
  struct Sample {
    uint64_t time;
    uint32_t kernel;
    uint32_t calls;
  };
  struct Open {
    uint64_t time = 0;
    uint32_t calls = 0;
  };
  struct Inside {
    uint64_t begin;
    uint64_t duration;
  };

  uint64_t TimeInside(const KernelSpan& span);
  void KeepSpan(const KernelSpan& span);
  void Summarize(Profile& profile, std::deque<Sample>& samples);
  static uint64_t MedianOf(std::deque<Sample>::const_iterator begin, size_t count, size_t runs);

  const ProfileOptions options_;
  std::deque<Kernel> kernels_;  // a deque: the views in the map stay valid
  absl::flat_hash_map<Key, uint32_t> numbers_;
  std::vector<Open> open_;         // by kernel, of the run that is read
  std::vector<uint32_t> touched_;  // kernels that are in it
  uint64_t total_ = 0;
  // Of the last kernels on each thread, those that no other one held.
  absl::flat_hash_map<uint32_t, std::vector<Inside>> finished_;
  std::vector<KernelSpan> spans_;  // of the run that is read
  std::vector<KernelSpan> last_run_;
  std::deque<Sample> samples_;    // a deque: growing does not double it
  std::vector<size_t> run_ends_;  // in samples_
};

}  // namespace onnx_hier

#endif  // ONNX_HIER_LIB_PROFILE_KERNEL_LOG_H_
