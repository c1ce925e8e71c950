// SPDX-License-Identifier: Apache-2.0

// Profiles in JSON: onnxruntime's and TensorRT's.
#ifndef ONNX_HIER_LIB_PROFILE_JSON_PROFILE_H_
#define ONNX_HIER_LIB_PROFILE_JSON_PROFILE_H_

#include "absl/status/statusor.h"
#include "lib/profile/profile_text.h"
#include "onnx_hier/profile.h"

namespace onnx_hier {

// onnxruntime:
//   [{"cat": "Node", "ph": "X", "name": "/fc/MatMul_kernel_time", "ts": 10, "dur": 5, "tid": 1,
//     "args": {"op_name": "MatMul", "node_index": "12", "parameter_size": "4096", ...}},
//    {"cat": "Session", "name": "model_run", ...}, ...]          microseconds; a run ends with it
// perhaps as the "traceEvents" of an object. TensorRT:
//   [{"count": 200}, {"name": "/fc/MatMul + /Relu", "timeMs": 1.5, "averageMs": 0.0075,
//     "medianMs": 0.0075, "percentage": 3.1}, ...]               all runs, one, the median
absl::StatusOr<Profile> ReadJsonProfile(ProfileText& text, const ProfileOptions& options);

}  // namespace onnx_hier

#endif  // ONNX_HIER_LIB_PROFILE_JSON_PROFILE_H_
