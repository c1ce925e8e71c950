// SPDX-License-Identifier: Apache-2.0

// Elements of tensors as numbers: of floating point and integer types of a byte or more.
#ifndef ONNX_HIER_LIB_ONNX_NUMBERS_H_
#define ONNX_HIER_LIB_ONNX_NUMBERS_H_

#include <cstdint>

#include "absl/types/span.h"

namespace onnx_hier {

// Of binary16 and bfloat16.
double FromHalf(uint16_t bits);
double FromBfloat16(uint16_t bits);

// Bytes of an element; 0: numbers of this type (a TensorProto.DataType) are not read.
uint64_t NumberSize(int32_t type);
// As many as `to` has room for. `type` has a size.
void ToNumbers(int32_t type, const char* from, absl::Span<double> to);

}  // namespace onnx_hier

#endif  // ONNX_HIER_LIB_ONNX_NUMBERS_H_
