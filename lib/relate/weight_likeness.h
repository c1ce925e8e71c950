// SPDX-License-Identifier: Apache-2.0

// How alike two tensors are that need not hold the same numbers: quantised, scaled for each
// channel, or trained on; and which axis of one is which of the other.
#ifndef ONNX_HIER_LIB_RELATE_WEIGHT_LIKENESS_H_
#define ONNX_HIER_LIB_RELATE_WEIGHT_LIKENESS_H_

#include <cstdint>
#include <optional>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/types/span.h"
#include "lib/graph/tensor_values.h"
#include "onnx_hier/ids.h"

namespace onnx_hier {

using TensorDims = std::vector<uint64_t>;

// Without axes of one index.
TensorDims Squeezed(absl::Span<const uint64_t> dims);
// Axes of one that are those of the other: axis i of `to` is axis result[i] of `from`. The ways in
// which both can be so, the usual ones first; none: they have other axes.
using AxisOrder = std::vector<uint32_t>;
std::vector<AxisOrder> AxisOrders(const TensorDims& from, const TensorDims& to);
// As it is.
AxisOrder OwnOrder(size_t axes);
inline bool IsInOrder(const AxisOrder& order) {
  for (uint32_t i = 0; i < order.size(); ++i) {
    if (order[i] != i) return false;
  }
  return true;
}

// Numbers of a tensor on a grid of its first axis (rows) and of all others together (columns).
struct TensorSketch {
  uint32_t rows = 0;
  uint32_t columns = 0;
  std::vector<float> numbers;  // row by row
};
// Of a tensor of `dims`, stored with its axes in that order. None: it cannot be read.
absl::StatusOr<std::optional<TensorSketch>> SketchOf(TensorValues& values, TensorId tensor,
                                                     const TensorDims& dims,
                                                     const AxisOrder& order);
// From 0 to 1: the cosine of all, or by rows, or by columns, whichever is most.
double LikenessOf(const TensorSketch& a, const TensorSketch& b);

enum class ScaledBy : uint8_t { kNothing, kNumber, kRows, kColumns };

// How far one is from the other, from many numbers of both.
struct TensorDistance {
  ScaledBy scaled = ScaledBy::kNothing;
  double error = 1;             // relative, once scaled; 1: they have nothing in common
  double plain = 1;             // ... as they are
  std::vector<double> factors;  // of rows; or of the first columns
};
// `from` has `dims`; `to` has its axes in that order.
absl::StatusOr<TensorDistance> DistanceOf(TensorValues& from_values, TensorId from,
                                          TensorValues& to_values, TensorId to,
                                          const TensorDims& dims, const AxisOrder& order);

}  // namespace onnx_hier

#endif  // ONNX_HIER_LIB_RELATE_WEIGHT_LIKENESS_H_
