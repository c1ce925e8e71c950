// SPDX-License-Identifier: Apache-2.0

// Profiles in tables: OpenVINO's, and any other with columns for names and times.
#ifndef ONNX_HIER_LIB_PROFILE_CSV_PROFILE_H_
#define ONNX_HIER_LIB_PROFILE_CSV_PROFILE_H_

#include "absl/status/statusor.h"
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

}  // namespace onnx_hier

#endif  // ONNX_HIER_LIB_PROFILE_CSV_PROFILE_H_
