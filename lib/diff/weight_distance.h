// How far the numbers of tensors are from those of others.
#ifndef ONNX_HIER_LIB_DIFF_WEIGHT_DISTANCE_H_
#define ONNX_HIER_LIB_DIFF_WEIGHT_DISTANCE_H_

#include <cstdint>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/types/span.h"
#include "lib/graph/tensor_values.h"
#include "onnx_hier/diff.h"
#include "onnx_hier/graph.h"
#include "onnx_hier/ids.h"

namespace onnx_hier {

class WeightDistance {
 public:
  // All must outlive this.
  WeightDistance(const Graph& a, TensorValues& values_a, const Graph& b, TensorValues& values_b)
      : a_(a), values_a_(values_a), b_(b), values_b_(values_b) {}

  // Adds two tensors, read side by side, if they are of one shape, and of one type or both of a
  // floating one; whether they are. Errors of reading them.
  absl::StatusOr<bool> Add(TensorId a, TensorId b);
  // Of all that were added.
  WeightDifference Result() const;

 private:
  bool AreComparable(TensorId a, TensorId b) const;
  void AddBlock(absl::Span<const double> a, absl::Span<const double> b);

  const Graph& a_;
  TensorValues& values_a_;
  const Graph& b_;
  TensorValues& values_b_;
  WeightDifference result_;
  double squares_ = 0;  // of A's numbers
  double squared_differences_ = 0;
};

}  // namespace onnx_hier

#endif  // ONNX_HIER_LIB_DIFF_WEIGHT_DISTANCE_H_
