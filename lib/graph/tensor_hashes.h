// SPDX-License-Identifier: Apache-2.0

// What tensors hold, to those who have no need to know where it is kept.
#ifndef ONNX_HIER_LIB_GRAPH_TENSOR_HASHES_H_
#define ONNX_HIER_LIB_GRAPH_TENSOR_HASHES_H_

#include <cstdint>

#include "absl/status/statusor.h"
#include "onnx_hier/ids.h"

namespace onnx_hier {

// 0 stands for contents that are not known.
class TensorHashes {
 public:
  virtual ~TensorHashes() = default;

  // Of some of it: cheap. Differs only where the contents do.
  virtual absl::StatusOr<uint64_t> Sample(TensorId tensor) = 0;
  // Of all of it: the same for the same contents.
  virtual absl::StatusOr<uint64_t> Whole(TensorId tensor) = 0;
};

}  // namespace onnx_hier

#endif  // ONNX_HIER_LIB_GRAPH_TENSOR_HASHES_H_
