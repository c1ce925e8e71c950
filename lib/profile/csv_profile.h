// SPDX-License-Identifier: Apache-2.0

// Profiles in tables: OpenVINO's, and any other with columns for names and times.
#ifndef ONNX_HIER_LIB_PROFILE_CSV_PROFILE_H_
#define ONNX_HIER_LIB_PROFILE_CSV_PROFILE_H_

#include <optional>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "lib/profile/profile_text.h"
#include "onnx_hier/profile.h"

namespace onnx_hier {

//   name,time                                                  microseconds, if the column says
//   /fc/MatMul,12.5                                            no other unit: "time_ms", "time (s)"
//
//   layerName;execStatus;layerType;execType;realTime (ms);cpuTime (ms)
//   /fc/MatMul;EXECUTED;FullyConnected;brgemm_avx2_f32;0.012;0.012
//
// Columns stand in any order, separated by commas, semicolons or tabs; lines before the one that
// names them are skipped. Where that line comes again, another run begins.
// `lines_before` were read.
absl::StatusOr<Profile> ReadCsvProfile(ProfileText& text, const ProfileOptions& options,
                                       size_t lines_before);

// Whether a line names columns for names and for times.
bool NamesTimes(absl::string_view line);
// Nanoseconds in the unit of a column of times: "time_ms", "realTime (ms)"; microseconds where it
// says none. None: its title tells of no time.
std::optional<double> TimeScale(absl::string_view title);

}  // namespace onnx_hier

#endif  // ONNX_HIER_LIB_PROFILE_CSV_PROFILE_H_
