// SPDX-License-Identifier: Apache-2.0

// What changed from one model to another, module by module.
#ifndef ONNX_HIER_LIB_RELATE_MODEL_COMPARISON_H_
#define ONNX_HIER_LIB_RELATE_MODEL_COMPARISON_H_

#include "absl/status/statusor.h"
#include "lib/relate/weight_diff.h"
#include "onnx_hier/diff.h"
#include "onnx_hier/hierarchy.h"

namespace onnx_hier {

absl::StatusOr<ModelDiff> CompareModules(const Hierarchy& a, ReadableTensors tensors_a,
                                         const Hierarchy& b, ReadableTensors tensors_b,
                                         const DiffOptions& options);

}  // namespace onnx_hier

#endif  // ONNX_HIER_LIB_RELATE_MODEL_COMPARISON_H_
