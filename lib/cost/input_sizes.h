// SPDX-License-Identifier: Apache-2.0

// The shapes of a model's inputs: as it states them, as somebody says, and what is assumed.
#ifndef ONNX_HIER_LIB_COST_INPUT_SIZES_H_
#define ONNX_HIER_LIB_COST_INPUT_SIZES_H_

#include <cstdint>

#include "absl/status/statusor.h"
#include "lib/onnx/value_types.h"
#include "lib/shapes/value_shapes.h"
#include "onnx_hier/cost.h"
#include "onnx_hier/graph.h"

namespace onnx_hier {

struct InputSizes {
  Expressions all;     // with all sizes that are given
  InputShapes shapes;  // of the main graph's inputs
};

// What counts the samples of a batch, where nothing is said.
enum class BatchSize : uint8_t { kOne, kOpen };

absl::StatusOr<InputSizes> ReadInputSizes(const Graph& graph, const ValueTypes& types,
                                          const CostOptions& options, BatchSize batch);

}  // namespace onnx_hier

#endif  // ONNX_HIER_LIB_COST_INPUT_SIZES_H_
