// SPDX-License-Identifier: Apache-2.0

// A folded model as it was before.
#ifndef ONNX_HIER_LIB_PARTS_FLAT_MODEL_H_
#define ONNX_HIER_LIB_PARTS_FLAT_MODEL_H_

#include "absl/status/statusor.h"
#include "lib/parts/carried_owners.h"
#include "onnx_hier/folds.h"
#include "onnx_hier/model.h"

namespace onnx_hier {

struct FlatModel {
  Model model;
  FlatOrigins origins;
};

// Errors as of Unfold().
absl::StatusOr<FlatModel> OpenFlat(const Model& folded, Weights weights,
                                   const OpenOptions& options);

}  // namespace onnx_hier

#endif  // ONNX_HIER_LIB_PARTS_FLAT_MODEL_H_
