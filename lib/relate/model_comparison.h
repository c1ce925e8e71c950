// SPDX-License-Identifier: Apache-2.0

// What changed from one model to another, module by module.
#ifndef ONNX_HIER_LIB_RELATE_MODEL_COMPARISON_H_
#define ONNX_HIER_LIB_RELATE_MODEL_COMPARISON_H_

#include "absl/status/statusor.h"
#include "lib/onnx/attribute_meanings.h"
#include "lib/relate/weight_diff.h"
#include "onnx_hier/diff.h"
#include "onnx_hier/hierarchy.h"

namespace onnx_hier {

// A model with what its tensors and attributes hold.
struct ReadableModel {
  const Hierarchy& modules;
  ReadableTensors tensors;
  const AttributeMeanings& attributes;
};

absl::StatusOr<ModelDiff> CompareModules(const ReadableModel& a, const ReadableModel& b,
                                         const DiffOptions& options);

}  // namespace onnx_hier

#endif  // ONNX_HIER_LIB_RELATE_MODEL_COMPARISON_H_
