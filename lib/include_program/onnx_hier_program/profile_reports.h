// SPDX-License-Identifier: Apache-2.0

// Time per module, as the command line tool prints it, and in formats of programs that draw it.
#ifndef ONNX_HIER_PROGRAM_PROFILE_REPORTS_H_
#define ONNX_HIER_PROGRAM_PROFILE_REPORTS_H_

#include <cstdint>
#include <optional>
#include <string>

#include "absl/status/status.h"
#include "absl/strings/string_view.h"
#include "onnx_hier/byte_sink.h"
#include "onnx_hier/hierarchy.h"
#include "onnx_hier/profile.h"

namespace onnx_hier {

// A profile with the times that it comes to. All must outlive who holds it.
struct TimedProfile {
  std::string file;
  const Profile& profile;
  const ModuleTimes& times;
};

struct ProfileReport {
  static constexpr uint32_t kAll = 0xFFFFFFFFu;

  std::string model_file;
  const Hierarchy& hierarchy;
  TimedProfile main;
  std::optional<TimedProfile> other;  // that it is compared with
  uint32_t depth = kAll;              // levels of modules below the root
};

enum class ProfileFormat {
  kTable,       // for people
  kCsv,         // a line for each module
  kJson,        // schemas/profile.schema.json
  kFolded,      // "/;encoder;layer.0;MatMul 5000", as flamegraph.pl takes it, in nanoseconds
  kSpeedscope,  // www.speedscope.app/file-format-schema.json
  kTrace,       // Chrome's trace events of the last run: a track of modules above one of kernels
};
// By its name on the command line ("table", ...); none: there is no such format.
std::optional<ProfileFormat> ProfileFormatNamed(absl::string_view name);
// Whether it has room for a comparison.
bool CanCompare(ProfileFormat format);

absl::Status WriteProfile(const ProfileReport& report, ProfileFormat format, ByteSink& sink);

}  // namespace onnx_hier

#endif  // ONNX_HIER_PROGRAM_PROFILE_REPORTS_H_
