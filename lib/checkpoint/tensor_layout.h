// SPDX-License-Identifier: Apache-2.0

// How the header of a file of tensors says where they stand, and how their numbers are stored.
#ifndef ONNX_HIER_LIB_CHECKPOINT_TENSOR_LAYOUT_H_
#define ONNX_HIER_LIB_CHECKPOINT_TENSOR_LAYOUT_H_

#include <cstdint>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/strings/string_view.h"
#include "absl/types/span.h"

namespace onnx_hier {

// Numbers of a type, which stand in blocks of the same size.
struct StoredType {
  absl::string_view name;
  uint64_t block = 1;     // numbers in one
  uint64_t bytes = 0;     // ... that it takes
  int32_t data_type = 0;  // a TensorProto.DataType, of which blocks are single numbers; or 0
  // Of blocks: what they stand for. Null: these numbers are not read.
  void (*decode)(const char* from, absl::Span<double> to) = nullptr;

  bool is_read() const { return data_type != 0 || decode != nullptr; }
};

struct TensorLayout {
  std::string name;
  const StoredType* type = nullptr;
  std::vector<uint64_t> dims;
  uint64_t elements = 0;
  uint64_t begin = 0;  // in the file
  uint64_t bytes = 0;
};

// More is no tensor of any network.
constexpr size_t kMostLayoutDims = 16;
// More tensors than any network has ten times over.
constexpr size_t kMostTensors = 4'000'000;

// Sets `elements` and `bytes` from the rest. kInvalidArgument: it is too large, or ends inside of a
// block.
absl::Status MeasureLayout(TensorLayout& tensor);
// kInvalidArgument: one stands beyond the file, two share bytes, or have one name.
absl::Status CheckLayouts(absl::Span<const TensorLayout> tensors, uint64_t file_size);

}  // namespace onnx_hier

#endif  // ONNX_HIER_LIB_CHECKPOINT_TENSOR_LAYOUT_H_
