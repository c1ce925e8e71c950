// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <utility>

#include "absl/strings/str_cat.h"
#include "lib/base/status_macros.h"
#include "lib/graph/data_type.h"
#include "lib/numerics/byte_input.h"
#include "lib/onnx/stored_tensor_values.h"
#include "onnx_hier/value_files.h"

namespace onnx_hier {
namespace {

constexpr size_t kNumberPiece = 1 << 15;

}  // namespace

ValueNumbers::ValueNumbers(std::unique_ptr<ByteInput> bytes, int32_t type,
                           std::vector<uint64_t> shape, bool is_varint)
    : bytes_(std::move(bytes)),
      type_(type),
      shape_(std::move(shape)),
      is_varint_(is_varint),
      piece_(new char[kNumberPiece]) {
  for (uint64_t size : shape_) {
    if (__builtin_mul_overflow(count_, size, &count_)) count_ = UINT64_MAX;
  }
  left_ = count_;
}
ValueNumbers::ValueNumbers(ValueNumbers&&) noexcept = default;
ValueNumbers& ValueNumbers::operator=(ValueNumbers&&) noexcept = default;
ValueNumbers::~ValueNumbers() = default;

absl::StatusOr<size_t> ValueNumbers::Next(absl::Span<double> room) {
  const size_t count = std::min<uint64_t>(room.size(), left_);
  if (is_varint_) {
    OH_RETURN_IF_ERROR(NextVarints(room.subspan(0, count)));
  } else {
    const size_t size = NumberSize(type_);
    for (size_t done = 0; done < count;) {
      const size_t some = std::min(kNumberPiece / size, count - done);
      OH_RETURN_IF_ERROR(Fill(piece_.get(), some * size));
      ToNumbers(type_, piece_.get(), room.subspan(done, some));
      done += some;
    }
  }
  left_ -= count;
  if (left_ == 0) OH_RETURN_IF_ERROR(CheckEnd());
  return count;
}

absl::Status ValueNumbers::Fill(char* out, size_t size) {
  absl::Status status = ReadAll(*bytes_, out, size);
  if (!absl::IsOutOfRange(status)) return status;
  return absl::InvalidArgumentError(
      absl::StrCat("it ends early: its shape asks for ", count_, " numbers"));
}

absl::Status ValueNumbers::NextVarints(absl::Span<double> room) {
  constexpr int kMostBits = 63;
  for (double& number : room) {
    uint64_t bits = 0;
    for (int shift = 0;; shift += 7) {
      char byte = 0;
      OH_RETURN_IF_ERROR(Fill(&byte, 1));
      if (shift > kMostBits) return absl::InvalidArgumentError("a number takes too many bytes");
      bits |= static_cast<uint64_t>(byte & 0x7F) << shift;
      if ((byte & 0x80) == 0) break;
    }
    number = type_ == data_type::kFloat16    ? FromHalf(static_cast<uint16_t>(bits))
             : type_ == data_type::kBfloat16 ? FromBfloat16(static_cast<uint16_t>(bits))
             : type_ == data_type::kUint64   ? static_cast<double>(bits)
                                             : static_cast<double>(static_cast<int64_t>(bits));
  }
  return absl::OkStatus();
}

absl::Status ValueNumbers::CheckEnd() {
  char byte = 0;
  OH_ASSIGN_OR_RETURN(const size_t more, bytes_->Read(&byte, 1));
  if (more == 0) return absl::OkStatus();
  return absl::InvalidArgumentError(
      absl::StrCat("there is more of it than the ", count_, " numbers of its shape"));
}

}  // namespace onnx_hier
