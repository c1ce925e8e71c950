// SPDX-License-Identifier: Apache-2.0

// Time per module: a profile that a runtime wrote, and its kernels placed in a model's modules.
//
//   absl::StatusOr<Profile> profile = ReadProfile("onnxruntime_profile.json");
//   if (!profile.ok()) ...                          // "byte 5120: a time that is below zero"
//   const ModuleTimes times = TimesOf(hierarchy, *profile);
//   times.modules[layer].total                      // nanoseconds of all that ran inside, in a run
//
// What is read is recognised by what is in it: onnxruntime's profiles (a JSON array, or an object
// with "traceEvents"), TensorRT's (trtexec --exportProfile), tables of OpenVINO's counters, and any
// CSV with columns for names and times. The file is read once, from front to back; memory grows
// with kernels times runs, not with its size.
#ifndef ONNX_HIER_PROFILE_H_
#define ONNX_HIER_PROFILE_H_

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "onnx_hier/hierarchy.h"
#include "onnx_hier/ids.h"

namespace onnx_hier {

enum class ProfileKind : uint8_t { kOnnxRuntime, kTensorRt, kOpenVino, kTable };
// "onnxruntime", "tensorrt", "openvino", "csv"
absl::string_view ProfileKindName(ProfileKind kind);

// What a runtime runs for a node, or for several that it fused.
struct Kernel {
  std::string name;                // as the runtime says it, without "_kernel_time"
  std::string op_type;             // "" where it is not said
  std::optional<uint32_t> index;   // onnxruntime's number of the node
  uint64_t parameter_bytes = 0;    // 0 where it is not said
  std::vector<std::string> nodes;  // that it was made of, where layer information says so
  uint64_t time = 0;               // nanoseconds in one run, without kernels that ran inside it
  uint64_t calls = 0;              // in one run, rounded up
};

// When a kernel ran, in nanoseconds.
struct KernelSpan {
  uint32_t kernel = 0;  // its place among the kernels
  uint32_t thread = 0;
  uint64_t begin = 0;
  uint64_t duration = 0;  // kernels that ran inside it included
};

struct Profile {
  ProfileKind kind = ProfileKind::kTable;
  std::vector<Kernel> kernels;  // in the order in which they first ran
  size_t runs = 0;              // that count
  size_t warm_up_runs = 0;      // that do not
  bool is_summed = false;       // times are of all these runs together
  bool is_cut = false;          // a run at the end is not complete, and does not count
  size_t seldom = 0;            // kernels that ran in less than half of the runs: their median is 0
  std::vector<KernelSpan> last_run;  // in order of time; none where times of day are not known
};

struct ProfileOptions {
  uint32_t warm_up_runs = 1;  // that do not count; the last run always does
  bool sum_runs = false;      // times of all runs together, instead of each kernel's median
  const std::atomic<bool>* cancel = nullptr;  // of a stream: when true, kCancelled
};

// kInvalidArgument: no profile, or a damaged one; the message says where. kResourceExhausted: it
// has kernels beyond measure.
absl::StatusOr<Profile> ReadProfile(const std::string& path, const ProfileOptions& options = {});
absl::StatusOr<Profile> ReadProfileStream(int fd, const ProfileOptions& options = {});
absl::StatusOr<Profile> ParseProfile(absl::string_view text, const ProfileOptions& options = {});

// What TensorRT's layers were made of (trtexec --exportLayerInfo --profilingVerbosity=detailed).
absl::Status AddLayerInfo(absl::string_view text, Profile& profile);

// How the module of a kernel is known.
enum class PlacedBy : uint8_t {
  kName,      // a node has the kernel's name
  kOutput,    // a node's output has
  kParts,     // names of nodes were put together for it, or something was added to one
  kNumber,    // the node is nameless, and the runtime has its number
  kOrder,     // by its operator, and what ran before and after: no other node can be meant
  kSequence,  // inferred from what ran before and after it: what holds both, or the likeliest node
  kNone,      // it is not known
};
constexpr size_t kPlacedByCount = static_cast<size_t>(PlacedBy::kNone) + 1;
// "name", "output", "parts", "number", "order", "sequence", "none"
absl::string_view PlacedByName(PlacedBy by);

struct KernelPlace {
  ModuleId module;  // none: not known
  NodeId node;      // where one node stands for the kernel
  NodeId first;     // the first of those that stand for it; none: not known
  PlacedBy by = PlacedBy::kNone;
};

struct OperatorTime {
  std::string op_type;
  uint64_t time = 0;
};

// Times are in nanoseconds; those of kernels add up to those of modules exactly.
struct ModuleTime {
  uint64_t own = 0;
  uint64_t total = 0;  // modules inside it included
  uint64_t own_calls = 0;
  uint64_t total_calls = 0;
  std::vector<OperatorTime> operators;  // of its own time, the most expensive first
};

struct ModuleTimes {
  IdVector<ModuleId, ModuleTime> modules;
  std::vector<KernelPlace> places;  // of each kernel
  uint64_t total = 0;               // of all kernels
  uint64_t unplaced = 0;            // of those whose module is not known
};

ModuleTimes TimesOf(const Hierarchy& hierarchy, const Profile& profile);

}  // namespace onnx_hier

#endif  // ONNX_HIER_PROFILE_H_
