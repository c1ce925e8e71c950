// SPDX-License-Identifier: Apache-2.0
#include "lib/onnx/stored_tensor_values.h"

#include <algorithm>
#include <cstddef>

#include "lib/base/status_macros.h"
#include "lib/graph/data_type.h"
#include "lib/onnx/numbers.h"
#include "lib/onnx/schema.h"
#include "lib/onnx/wire_reader.h"

namespace onnx_hier {

absl::StatusOr<bool> StoredTensorValues::Begin(TensorId tensor) {
  const Tensor& about = bytes_.model().graph.tensor(tensor);
  data_type_ = about.data_type;
  element_size_ = NumberSize(data_type_);
  const std::optional<TensorBytes::Span> span = bytes_.Find(tensor);
  if (!span || element_size_ == 0) return false;
  const uint32_t field = bytes_.model().tensor_data[tensor].field;
  is_varint_ = !span->in_data_file &&
               (field == schema::tensor::kInt32Data || field == schema::tensor::kInt64Data ||
                field == schema::tensor::kUint64Data);
  if (is_varint_) {
    // Of more than these the reading would have to be done in blocks, and nobody asks.
    if (span->size() > TensorBytes::kBlock) return false;
    OH_ASSIGN_OR_RETURN(const char* const bytes, bytes_.Read(*span));
    left_varints_ = std::string(bytes, span->size());
    const auto ends = std::count_if(left_varints_.begin(), left_varints_.end(),
                                    [](char byte) { return static_cast<uint8_t>(byte) < 0x80; });
    return static_cast<uint64_t>(ends) == about.elements;
  }
  const bool is_packed = span->in_data_file || field == schema::tensor::kRawData ||
                         field == schema::tensor::kFloatData ||
                         field == schema::tensor::kDoubleData;
  if (!is_packed || span->size() / element_size_ != about.elements) return false;
  if (span->in_data_file) {
    OH_RETURN_IF_ERROR(bytes_.files().VerifyUnchanged());
    if (!bytes_.files().MaySpend(span->size())) return false;
  }
  left_ = *span;
  return true;
}

void StoredTensorValues::ReadVarints(absl::Span<double> values) {
  absl::string_view left = left_varints_;
  for (double& value : values) {
    uint64_t number = 0;
    TakeVarint(&left, &number);
    const auto bits = static_cast<uint16_t>(number);
    value = data_type_ == data_type::kFloat16    ? FromHalf(bits)
            : data_type_ == data_type::kBfloat16 ? FromBfloat16(bits)
            : data_type_ == data_type::kUint64   ? static_cast<double>(number)
                                               : static_cast<double>(static_cast<int64_t>(number));
  }
  left_varints_ = std::string(left);
}

absl::Status StoredTensorValues::Read(absl::Span<double> values) {
  if (is_varint_) {
    ReadVarints(values);
    return absl::OkStatus();
  }
  while (!values.empty()) {
    const uint64_t count = std::min<uint64_t>(values.size(), TensorBytes::kBlock / element_size_);
    TensorBytes::Span block = left_;
    block.end = block.begin + count * element_size_;
    left_.begin = block.end;
    OH_ASSIGN_OR_RETURN(const char* const bytes, bytes_.Read(block));
    ToNumbers(data_type_, bytes, values.subspan(0, count));
    values.remove_prefix(count);
  }
  return absl::OkStatus();
}

}  // namespace onnx_hier
