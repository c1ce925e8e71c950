// SPDX-License-Identifier: Apache-2.0

// Each format of a profile's report.
#ifndef ONNX_HIER_LIB_SHOW_PROFILE_FORMATS_H_
#define ONNX_HIER_LIB_SHOW_PROFILE_FORMATS_H_

#include <string>

#include "lib/show/text_table.h"
#include "onnx_hier_program/reports.h"

namespace onnx_hier {

// The line for what no module is known of.
constexpr absl::string_view kNotPlaced = "(not placed)";

// "19 runs after 1 to warm up, the median of each kernel: 10.1 ms in 219 calls of kernels\n", and
// how these were placed; of a table, its rows.
std::string ProfileSummary(const TimedProfile& timed);

absl::Status WriteProfileTable(const ProfileReport& report, TableFormat format, ByteSink& sink);
// With another profile.
absl::Status WriteProfileComparison(const ProfileReport& report, const TimedProfile& other,
                                    TableFormat format, ByteSink& sink);
absl::Status WriteProfileCsv(const ProfileReport& report, ByteSink& sink);
absl::Status WriteProfileJson(const ProfileReport& report, ByteSink& sink);
absl::Status WriteProfileFolded(const ProfileReport& report, ByteSink& sink);
absl::Status WriteProfileSpeedscope(const ProfileReport& report, ByteSink& sink);
absl::Status WriteProfileTrace(const ProfileReport& report, ByteSink& sink);

// The module that stands for it where modules deeper than `depth` are not shown.
ModuleId ShownModule(const Hierarchy& hierarchy, ModuleId module, uint32_t depth);
}  // namespace onnx_hier

#endif  // ONNX_HIER_LIB_SHOW_PROFILE_FORMATS_H_
