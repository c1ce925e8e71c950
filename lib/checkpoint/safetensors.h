// SPDX-License-Identifier: Apache-2.0

// Safetensors: eight bytes that say how long the header is, the header in JSON, then the numbers.
//
//   {"fc.weight": {"dtype": "BF16", "shape": [2, 3], "data_offsets": [0, 12]}, ...}
#ifndef ONNX_HIER_LIB_CHECKPOINT_SAFETENSORS_H_
#define ONNX_HIER_LIB_CHECKPOINT_SAFETENSORS_H_

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "lib/checkpoint/tensor_layout.h"

namespace onnx_hier {

struct TensorHeader {
  std::vector<TensorLayout> tensors;
  uint64_t hash = 0;  // of the header's bytes
};

// Whether a file that begins so, and is so long, may be one.
bool LooksLikeSafetensors(absl::string_view beginning, uint64_t file_size);
// Reads no more than the header. kInvalidArgument says what is wrong, and where.
absl::StatusOr<TensorHeader> ReadSafetensors(int fd, uint64_t file_size);

// {"weight_map": {"fc.weight": "model-00001-of-00002.safetensors", ...}}: tensors, and the files
// that they are in, beside the index. kInvalidArgument likewise.
absl::StatusOr<std::vector<std::pair<std::string, std::string>>> ReadSafetensorsIndex(
    absl::string_view text);

}  // namespace onnx_hier

#endif  // ONNX_HIER_LIB_CHECKPOINT_SAFETENSORS_H_
