// SPDX-License-Identifier: Apache-2.0
#include "lib/onnx/stored_tensor_values.h"

#include <algorithm>
#include <cstddef>
#include <vector>

#include "absl/base/casts.h"
#include "lib/base/load_word.h"
#include "lib/base/status_macros.h"
#include "lib/graph/data_type.h"
#include "lib/onnx/schema.h"
#include "lib/onnx/wire_reader.h"

namespace onnx_hier {
// IEEE 754's binary16: a sign, 5 bits of exponent, 10 of fraction.
double FromHalf(uint16_t bits) {
  const uint64_t sign = uint64_t{bits & 0x8000u} << 48;
  const uint64_t exponent = bits >> 10 & 0x1F;
  const uint64_t fraction = bits & 0x3FF;
  if (exponent == 0) {  // fraction times 2 to the -24
    const double value = static_cast<double>(fraction) / (1 << 24);
    return sign != 0 ? -value : value;
  }
  const uint64_t wide = exponent == 0x1F ? 0x7FF : exponent - 15 + 1023;
  return absl::bit_cast<double>(sign | wide << 52 | fraction << 42);
}

double FromBfloat16(uint16_t bits) { return absl::bit_cast<float>(uint32_t{bits} << 16); }

namespace {

template <class Stored, class Convert>
void ConvertAll(const char* from, absl::Span<double> to, Convert convert) {
  for (double& value : to) {
    value = convert(LoadWord<Stored>(from));
    from += sizeof(Stored);
  }
}

template <class Stored>
void ConvertNumbers(const char* from, absl::Span<double> to) {
  ConvertAll<Stored>(from, to, [](Stored number) { return static_cast<double>(number); });
}

}  // namespace

uint64_t NumberSize(int32_t type) {
  switch (type) {
    case data_type::kInt8:
    case data_type::kUint8:
    case data_type::kBool:
      return 1;
    case data_type::kFloat16:
    case data_type::kBfloat16:
    case data_type::kInt16:
    case data_type::kUint16:
      return 2;
    case data_type::kFloat:
    case data_type::kInt32:
    case data_type::kUint32:
      return 4;
    case data_type::kDouble:
    case data_type::kInt64:
    case data_type::kUint64:
      return 8;
    default:
      return 0;
  }
}

void ToNumbers(int32_t type, const char* from, absl::Span<double> to) {
  switch (type) {
    case data_type::kInt8:
      return ConvertNumbers<int8_t>(from, to);
    case data_type::kUint8:
    case data_type::kBool:
      return ConvertNumbers<uint8_t>(from, to);
    case data_type::kFloat16:
      return ConvertAll<uint16_t>(from, to, FromHalf);
    case data_type::kBfloat16:
      return ConvertAll<uint16_t>(from, to, FromBfloat16);
    case data_type::kInt16:
      return ConvertNumbers<int16_t>(from, to);
    case data_type::kUint16:
      return ConvertNumbers<uint16_t>(from, to);
    case data_type::kFloat:
      return ConvertNumbers<float>(from, to);
    case data_type::kInt32:
      return ConvertNumbers<int32_t>(from, to);
    case data_type::kUint32:
      return ConvertNumbers<uint32_t>(from, to);
    case data_type::kDouble:
      return ConvertNumbers<double>(from, to);
    case data_type::kInt64:
      return ConvertNumbers<int64_t>(from, to);
    default:
      return ConvertNumbers<uint64_t>(from, to);
  }
}

absl::StatusOr<bool> StoredTensorValues::Begin(TensorId tensor) {
  const Tensor& about = bytes_.model().graph.tensor(tensor);
  data_type_ = about.data_type;
  element_size_ = NumberSize(data_type_);
  are_halves_ = data_type_ == data_type::kInt4 || data_type_ == data_type::kUint4;
  is_varint_ = false;
  const std::optional<TensorBytes::Span> span = bytes_.Find(tensor);
  if (!span || (element_size_ == 0 && !are_halves_)) return false;
  if (are_halves_) {
    const bool is_raw =
        span->in_data_file || bytes_.model().tensor_data[tensor].field == schema::tensor::kRawData;
    if (!is_raw || span->size() != about.elements / 2 + about.elements % 2) return false;
    halves_ = 0;
    return MaySpend(*span);
  }
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
  return MaySpend(*span);
}

absl::StatusOr<bool> StoredTensorValues::MaySpend(TensorBytes::Span span) {
  if (span.in_data_file) {
    OH_RETURN_IF_ERROR(bytes_.files().VerifyUnchanged());
    if (!bytes_.files().MaySpend(span.size())) return false;
  }
  left_ = span;
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
  if (are_halves_) return ReadHalves(values);
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

// The lower half of a byte comes first.
absl::Status StoredTensorValues::ReadHalves(absl::Span<double> values) {
  while (!values.empty()) {
    const uint64_t count = std::min<uint64_t>(values.size(), TensorBytes::kBlock);
    TensorBytes::Span block = left_;
    block.begin += halves_ / 2;
    block.end = left_.begin + (halves_ + count + 1) / 2;
    OH_ASSIGN_OR_RETURN(const char* const bytes, bytes_.Read(block));
    const uint64_t first = halves_ % 2;
    for (uint64_t i = 0; i < count; ++i) {
      const int byte = static_cast<unsigned char>(bytes[(first + i) / 2]);
      const int half = (first + i) % 2 == 0 ? byte & 0xF : byte >> 4;
      values[i] = data_type_ == data_type::kInt4 && half >= 8 ? half - 16 : half;
    }
    halves_ += count;
    values.remove_prefix(count);
  }
  return absl::OkStatus();
}

absl::Status StoredTensorValues::Skip(uint64_t count) {
  if (are_halves_) {
    halves_ += count;
  } else if (is_varint_) {
    std::vector<double> skipped(count);
    ReadVarints(absl::MakeSpan(skipped));
  } else {
    left_.begin += count * element_size_;
  }
  return absl::OkStatus();
}

}  // namespace onnx_hier
