// SPDX-License-Identifier: Apache-2.0

// Time per module: a profile that a runtime wrote, and its kernels placed in a model's modules.
//
//   absl::StatusOr<Profile> profile = ReadProfile("onnxruntime_profile.json");
//   if (!profile.ok()) ...                          // "byte 5120: a time that is below zero"
//   const PlacedProfile placed = PlaceProfile(hierarchy, *profile);
//   placed.amounts.figure(layer).total.whole()      // nanoseconds of all that ran inside, in a run
//
// What is read is recognised by what is in it: onnxruntime's profiles (a JSON array, or an object
// with "traceEvents"), TensorRT's (trtexec --exportProfile), tables of OpenVINO's counters, and any
// CSV with columns for names and times. Any other table whose rows name nodes or values is read
// likewise: numbers are added up, words counted. The file is read once, from front to back; memory
// grows with kernels times runs, not with its size.
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
#include "onnx_hier/measures.h"

namespace onnx_hier {

// kTimes: a CSV with columns for names and times. kTable: any other table.
enum class ProfileKind : uint8_t { kOnnxRuntime, kTensorRt, kOpenVino, kTimes, kTable };
// "onnxruntime", "tensorrt", "openvino", "csv", "table"
absl::string_view ProfileKindName(ProfileKind kind);

// What a runtime runs for a node, or for several that it fused; or rows of a table that name the
// same.
struct Kernel {
  std::string name;                // as the runtime says it, without "_kernel_time"
  std::string op_type;             // "" where it is not said
  std::string word;                // of a table whose amounts are words
  std::optional<uint32_t> index;   // onnxruntime's number of the node
  uint64_t parameter_bytes = 0;    // 0 where it is not said
  std::vector<std::string> nodes;  // that it was made of, where layer information says so
  // Of a profile, nanoseconds in one run, without kernels that ran inside it.
  Amount amount;
  uint64_t calls = 0;    // in one run, rounded up; of a table, rows
  uint64_t unknown = 0;  // rows without a number
};

// When a kernel ran, in nanoseconds.
struct KernelSpan {
  uint32_t kernel = 0;  // its place among the kernels
  uint32_t thread = 0;
  uint64_t begin = 0;
  uint64_t duration = 0;  // kernels that ran inside it included
};

struct Profile {
  static constexpr size_t kNone = static_cast<size_t>(-1);

  ProfileKind kind = ProfileKind::kTimes;
  Measure measure = {"time", "time", MeasureUnit::kNanoseconds};
  std::vector<Kernel> kernels;  // in the order in which they first ran
  size_t runs = 0;              // that count
  size_t warm_up_runs = 0;      // that do not
  bool is_summed = false;       // times are of all these runs together
  bool is_cut = false;          // a run at the end is not complete, and does not count
  size_t seldom = 0;            // kernels that ran in less than half of the runs: their median is 0
  std::vector<KernelSpan> last_run;  // in order of time; none where times of day are not known
  size_t others = kNone;  // the kernel that stands for all rows of a table beyond measure
};

// What the amounts of a table's rows come to: numbers are added up and words counted, unless it is
// said.
enum class TableAdds : uint8_t { kAny, kSum, kMean, kMost, kCount };

// How a table is read that is no profile. Where nothing is said, the columns' titles tell.
struct TableOptions {
  std::string key;    // the column that names nodes or values
  std::string value;  // the column that is added up
  TableAdds adds = TableAdds::kAny;

  // Whether a file is a table, whatever it looks like.
  bool is_asked() const { return !key.empty() || !value.empty() || adds != TableAdds::kAny; }
};

// Names of a table that are told apart, of a model of that size: rows of other models, and names
// that were made up, are not kept one by one without end.
size_t MostNamesOf(const Graph& graph);

struct ProfileOptions {
  uint32_t warm_up_runs = 1;  // that do not count; the last run always does
  bool sum_runs = false;      // times of all runs together, instead of each kernel's median
  TableOptions table;
  size_t most_names = size_t{1} << 20;        // of a table's rows, that are told apart
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

// What a profile comes to in the modules of a model; amounts of kernels add up to it exactly.
struct PlacedProfile {
  std::vector<KernelPlace> places;  // of each kernel
  Column amounts;                   // with its parts by operator, or by word
  Column calls;                     // of kernels
};

PlacedProfile PlaceProfile(const Hierarchy& hierarchy, const Profile& profile);

// Of a hierarchy of one graph alone: leaves out kernels of nodes that are elsewhere. What is of no
// known node stays.
void LeaveOutOthers(const Hierarchy& hierarchy, Profile& profile, PlacedProfile& placed);

}  // namespace onnx_hier

#endif  // ONNX_HIER_PROFILE_H_
