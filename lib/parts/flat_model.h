// SPDX-License-Identifier: Apache-2.0

// A model with functions put in.
#ifndef ONNX_HIER_LIB_PARTS_FLAT_MODEL_H_
#define ONNX_HIER_LIB_PARTS_FLAT_MODEL_H_

#include <optional>

#include "absl/status/statusor.h"
#include "lib/parts/carried_owners.h"
#include "onnx_hier/folds.h"
#include "onnx_hier/model.h"

namespace onnx_hier {

struct FlatModel {
  Model model;
  FlatOrigins origins;
};

// Those that stand for several modules: see OpenUnfolded().
absl::StatusOr<std::optional<FlatModel>> OpenFlat(const Model& model, Weights weights,
                                                  const OpenOptions& options);

// The same of all local functions; none: nothing gives way.
absl::StatusOr<std::optional<FlatModel>> OpenWithoutFunctions(const Model& model, Weights weights,
                                                              const OpenOptions& options);

}  // namespace onnx_hier

#endif  // ONNX_HIER_LIB_PARTS_FLAT_MODEL_H_
