// SPDX-License-Identifier: Apache-2.0
#include "lib/numerics/tensor_file.h"

#include <algorithm>
#include <cstdint>
#include <memory>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "lib/base/status_macros.h"
#include "lib/files/file_image.h"
#include "lib/numerics/byte_input.h"
#include "lib/onnx/schema.h"
#include "lib/onnx/stored_tensor_values.h"
#include "lib/onnx/wire_reader.h"

namespace onnx_hier {
namespace {

// What is loaded of a field at most; numbers are read piece by piece.
constexpr uint64_t kLargestName = 1 << 16;
constexpr size_t kMostDims = 64;

class ImageBytes : public ByteInput {
 public:
  ImageBytes(FileImage image, uint64_t begin, uint64_t end)
      : image_(std::move(image)), at_(begin), end_(end) {}

  absl::StatusOr<size_t> Read(char* out, size_t size) override {
    const uint64_t count = std::min<uint64_t>(size, end_ - at_);
    OH_RETURN_IF_ERROR(image_.ReadAt(out, count, at_));
    at_ += count;
    return static_cast<size_t>(count);
  }

 private:
  const FileImage image_;
  uint64_t at_;
  const uint64_t end_;
};

struct TensorFields {
  std::string name;
  std::vector<uint64_t> dims;
  int32_t type = 0;
  uint32_t data_field = 0;  // 0: it has no numbers
  uint64_t begin = 0;
  uint64_t end = 0;
};

absl::Status TakeDims(FileImage& image, const Field& field, TensorFields& tensor) {
  if (field.type == WireType::kVarint) {
    tensor.dims.push_back(field.value);
  } else {
    OH_RETURN_IF_ERROR(image.Require(field.begin, field.end));
    absl::string_view packed = image.Text(field.begin, field.end);
    uint64_t dim = 0;
    while (tensor.dims.size() <= kMostDims && !packed.empty() && TakeVarint(&packed, &dim)) {
      tensor.dims.push_back(dim);
    }
  }
  if (tensor.dims.size() <= kMostDims) return absl::OkStatus();
  return absl::InvalidArgumentError(absl::StrCat("it has more than ", kMostDims, " dimensions"));
}

absl::StatusOr<TensorFields> ReadFields(FileImage& image) {
  TensorFields tensor;
  WireReader reader(image);
  while (reader.position() < image.size()) {
    Field field;
    OH_RETURN_IF_ERROR(reader.ReadField(image.size(), &field));
    const bool is_bytes = field.type == WireType::kBytes;
    if (field.number == schema::tensor::kDims) {
      OH_RETURN_IF_ERROR(TakeDims(image, field, tensor));
    } else if (field.IsVarint(schema::tensor::kDataType)) {
      tensor.type = static_cast<int32_t>(field.value);
    } else if (field.Is(schema::tensor::kName) && field.end - field.begin <= kLargestName) {
      OH_RETURN_IF_ERROR(image.Require(field.begin, field.end));
      tensor.name = std::string(image.Text(field.begin, field.end));
    } else if (is_bytes && (field.number == schema::tensor::kRawData ||
                            (field.number >= schema::tensor::kFloatData &&
                             field.number <= schema::tensor::kInt64Data) ||
                            field.number == schema::tensor::kDoubleData ||
                            field.number == schema::tensor::kUint64Data)) {
      tensor.data_field = field.number;
      tensor.begin = field.begin;
      tensor.end = field.end;
    } else if (field.IsVarint(schema::tensor::kDataLocation) && field.value != 0) {
      return absl::InvalidArgumentError("its numbers are in another file");
    }
    reader.set_position(field.end);
  }
  return tensor;
}

}  // namespace

absl::StatusOr<TensorFile> ReadTensorFile(const std::string& path) {
  OH_ASSIGN_OR_RETURN(FileImage image, FileImage::Open(path));
  OH_ASSIGN_OR_RETURN(TensorFields tensor, ReadFields(image));
  if (NumberSize(tensor.type) == 0 || tensor.data_field == schema::tensor::kStringData) {
    return absl::InvalidArgumentError(
        absl::StrCat("elements of type ", tensor.type, " cannot be compared"));
  }
  const bool is_varint = tensor.data_field == schema::tensor::kInt32Data ||
                         tensor.data_field == schema::tensor::kInt64Data ||
                         tensor.data_field == schema::tensor::kUint64Data;
  auto bytes = std::make_unique<ImageBytes>(std::move(image), tensor.begin, tensor.end);
  return TensorFile{std::move(tensor.name),
                    ValueNumbers(std::move(bytes), tensor.type, std::move(tensor.dims), is_varint)};
}

absl::StatusOr<std::string> NameInTensorFile(const std::string& path) {
  OH_ASSIGN_OR_RETURN(FileImage image, FileImage::Open(path));
  OH_ASSIGN_OR_RETURN(TensorFields tensor, ReadFields(image));
  return std::move(tensor.name);
}

}  // namespace onnx_hier
