// SPDX-License-Identifier: Apache-2.0

// The numbers that tensors hold, as doubles: of floating point and integer types of a byte or more,
// and of integers of four bits, two of which share a byte.
// Numbers that take as many bytes as they need (int32_data and its like) are read of small tensors
// only.
#ifndef ONNX_HIER_LIB_ONNX_STORED_TENSOR_VALUES_H_
#define ONNX_HIER_LIB_ONNX_STORED_TENSOR_VALUES_H_

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "absl/types/span.h"
#include "lib/graph/tensor_values.h"
#include "lib/onnx/data_file_reader.h"
#include "lib/onnx/tensor_bytes.h"

namespace onnx_hier {

// Of binary16 and bfloat16.
double FromHalf(uint16_t bits);
double FromBfloat16(uint16_t bits);

// Bytes of an element; 0: numbers of this type (a TensorProto.DataType) are not read.
uint64_t NumberSize(int32_t type);
// As many as `to` has room for. `type` has a size.
void ToNumbers(int32_t type, const char* from, absl::Span<double> to);

class StoredTensorValues : public TensorValues {
 public:
  // As of TensorBytes.
  StoredTensorValues(const FileImage& image, const ScannedModel& model, std::string folder)
      : bytes_(image, model, std::move(folder)) {}

  absl::StatusOr<bool> Begin(TensorId tensor) override;
  absl::Status Read(absl::Span<double> values) override;
  absl::Status Skip(uint64_t count) override;

  // Data files that were asked for, and what was wrong with them.
  const std::vector<DataFileReader::Fault>& faults() const { return bytes_.files().faults(); }

 private:
  void ReadVarints(absl::Span<double> values);
  absl::Status ReadHalves(absl::Span<double> values);
  absl::StatusOr<bool> MaySpend(TensorBytes::Span span);

  TensorBytes bytes_;
  // What is left of the tensor that is being read.
  TensorBytes::Span left_;
  int32_t data_type_ = 0;
  uint64_t element_size_ = 0;
  bool is_varint_ = false;
  // Of four bits each: how many were read.
  bool are_halves_ = false;
  uint64_t halves_ = 0;
  std::string left_varints_;
};

}  // namespace onnx_hier

#endif  // ONNX_HIER_LIB_ONNX_STORED_TENSOR_VALUES_H_
