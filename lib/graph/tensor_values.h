// SPDX-License-Identifier: Apache-2.0

// The numbers that tensors hold, to those who have no need to know where they are kept.
#ifndef ONNX_HIER_LIB_GRAPH_TENSOR_VALUES_H_
#define ONNX_HIER_LIB_GRAPH_TENSOR_VALUES_H_

#include <cstddef>
#include <cstdint>

#include "absl/status/statusor.h"
#include "absl/types/span.h"
#include "onnx_hier/ids.h"

namespace onnx_hier {

class TensorValues {
 public:
  virtual ~TensorValues() = default;

  // Whether the tensor is of a type whose numbers are read, and where they can be. To be asked
  // before Read(): no more than that much of a data file is read.
  virtual absl::StatusOr<bool> Begin(TensorId tensor) = 0;
  // The next `values.size()` of them, no more than are left.
  virtual absl::Status Read(absl::Span<double> values) = 0;
  // Goes past so many, no more than are left.
  virtual absl::Status Skip(uint64_t count) = 0;
};

}  // namespace onnx_hier

#endif  // ONNX_HIER_LIB_GRAPH_TENSOR_VALUES_H_
