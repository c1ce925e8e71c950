// SPDX-License-Identifier: Apache-2.0

// The type of a value as the bytes of a TypeProto without shapes: what a graph must declare of its
// inputs and outputs. "" is a type that is not known.
//
//   TypeText(TensorType(data_type::kFloat))               // "float32"
//   TypeText(SequenceOf(TensorType(data_type::kInt64)))   // "seq(int64)"
#ifndef ONNX_HIER_LIB_ONNX_VALUE_TYPE_H_
#define ONNX_HIER_LIB_ONNX_VALUE_TYPE_H_

#include <cstdint>
#include <string>

#include "absl/strings/string_view.h"
#include "absl/types/span.h"

namespace onnx_hier {

// `element` is a TensorProto.DataType; of 0 the type is not known.
std::string TensorType(int32_t element);
// Of types that are known; else not known.
std::string SequenceOf(absl::string_view type);
std::string OptionalOf(absl::string_view type);

// What a sequence or an optional value holds; not known for others.
std::string ElementOf(absl::string_view type);
bool IsOptional(absl::string_view type);

// Of a tensor: the TensorProto.DataType of its elements; 0 for others.
int32_t DataTypeOf(absl::string_view type);

// A TypeProto as files have it, without its shapes. Not known: one that is not spelled out, or that
// nests deeper than types of values do.
std::string WithoutShape(absl::string_view type_proto);

// Of a tensor's type: the same with a shape. Dimensions are texts: numbers, names, "": not stated.
std::string WithShape(absl::string_view tensor_type, absl::Span<const std::string> dims);

// For people: "float32", "seq(int64)", "optional(...)"; "unknown".
std::string TypeText(absl::string_view type);

}  // namespace onnx_hier

#endif  // ONNX_HIER_LIB_ONNX_VALUE_TYPE_H_
