// SPDX-License-Identifier: Apache-2.0

// Each format of a profile's report.
#ifndef ONNX_HIER_LIB_SHOW_PROFILE_FORMATS_H_
#define ONNX_HIER_LIB_SHOW_PROFILE_FORMATS_H_

#include "onnx_hier_program/reports.h"

namespace onnx_hier {

// The line for what no module is known of.
constexpr absl::string_view kNotPlaced = "(not placed)";

absl::Status WriteProfileTable(const ProfileReport& report, ByteSink& sink);
// With another profile.
absl::Status WriteProfileComparison(const ProfileReport& report, const TimedProfile& other,
                                    ByteSink& sink);
absl::Status WriteProfileCsv(const ProfileReport& report, ByteSink& sink);
absl::Status WriteProfileJson(const ProfileReport& report, ByteSink& sink);
absl::Status WriteProfileFolded(const ProfileReport& report, ByteSink& sink);
absl::Status WriteProfileSpeedscope(const ProfileReport& report, ByteSink& sink);
absl::Status WriteProfileTrace(const ProfileReport& report, ByteSink& sink);

// The module that stands for it where modules deeper than `depth` are not shown.
ModuleId ShownModule(const Hierarchy& hierarchy, ModuleId module, uint32_t depth);
// "MatMul", or "(fused)" where the runtime does not say.
absl::string_view OperatorName(absl::string_view op_type);

}  // namespace onnx_hier

#endif  // ONNX_HIER_LIB_SHOW_PROFILE_FORMATS_H_
