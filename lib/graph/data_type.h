// SPDX-License-Identifier: Apache-2.0

// The numbers of TensorProto.DataType, as in onnx.in.proto of the ONNX project: what the elements
// of a tensor are. A file may hold others.
//
// A test compares each with the constants that protoc made of the installed onnx.
#ifndef ONNX_HIER_LIB_GRAPH_DATA_TYPE_H_
#define ONNX_HIER_LIB_GRAPH_DATA_TYPE_H_

#include <cstdint>

namespace onnx_hier::data_type {

constexpr int32_t kFloat = 1;
constexpr int32_t kUint8 = 2;
constexpr int32_t kInt8 = 3;
constexpr int32_t kUint16 = 4;
constexpr int32_t kInt16 = 5;
constexpr int32_t kInt32 = 6;
constexpr int32_t kInt64 = 7;
constexpr int32_t kString = 8;
constexpr int32_t kBool = 9;
constexpr int32_t kFloat16 = 10;
constexpr int32_t kDouble = 11;
constexpr int32_t kUint32 = 12;
constexpr int32_t kUint64 = 13;
constexpr int32_t kComplex64 = 14;
constexpr int32_t kComplex128 = 15;
constexpr int32_t kBfloat16 = 16;
constexpr int32_t kFloat8E4M3Fn = 17;    // IR 9
constexpr int32_t kFloat8E4M3Fnuz = 18;  // IR 9
constexpr int32_t kFloat8E5M2 = 19;      // IR 9
constexpr int32_t kFloat8E5M2Fnuz = 20;  // IR 9
constexpr int32_t kUint4 = 21;           // IR 10
constexpr int32_t kInt4 = 22;            // IR 10
constexpr int32_t kFloat4E2M1 = 23;      // IR 11
constexpr int32_t kFloat8E8M0 = 24;      // IR 12
constexpr int32_t kUint2 = 25;           // IR 13
constexpr int32_t kInt2 = 26;            // IR 13

// With a sign, an exponent and infinities, of two bytes or more.
inline bool IsFloatingPoint(int32_t type) {
  return type == kFloat || type == kFloat16 || type == kBfloat16 || type == kDouble;
}

// Bits of one element; 0 where elements have no fixed size.
inline uint32_t Bits(int32_t type) {
  switch (type) {
    case kUint8:
    case kInt8:
    case kBool:
    case kFloat8E4M3Fn:
    case kFloat8E4M3Fnuz:
    case kFloat8E5M2:
    case kFloat8E5M2Fnuz:
    case kFloat8E8M0:
      return 8;
    case kUint16:
    case kInt16:
    case kFloat16:
    case kBfloat16:
      return 16;
    case kFloat:
    case kInt32:
    case kUint32:
      return 32;
    case kInt64:
    case kDouble:
    case kUint64:
    case kComplex64:
      return 64;
    case kComplex128:
      return 128;
    case kUint4:
    case kInt4:
    case kFloat4E2M1:
      return 4;
    case kUint2:
    case kInt2:
      return 2;
    default:
      return 0;
  }
}

}  // namespace onnx_hier::data_type

#endif  // ONNX_HIER_LIB_GRAPH_DATA_TYPE_H_
