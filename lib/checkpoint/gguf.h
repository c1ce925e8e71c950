// SPDX-License-Identifier: Apache-2.0

// GGUF, versions 2 and 3: keys with values, then names, shapes and types of tensors, then numbers,
// most of them in blocks that share a scale.
//
// Source: ggml's docs/gguf.md; blocks as in ggml-common.h and ggml-quants.c.
#ifndef ONNX_HIER_LIB_CHECKPOINT_GGUF_H_
#define ONNX_HIER_LIB_CHECKPOINT_GGUF_H_

#include <cstdint>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "lib/checkpoint/safetensors.h"
#include "lib/checkpoint/tensor_layout.h"

namespace onnx_hier {

bool LooksLikeGguf(absl::string_view beginning);
// Reads no more than the header. Dimensions are the outermost first, as everywhere else.
// kInvalidArgument says what is wrong, and where.
absl::StatusOr<TensorHeader> ReadGguf(int fd, uint64_t file_size);

}  // namespace onnx_hier

#endif  // ONNX_HIER_LIB_CHECKPOINT_GGUF_H_
