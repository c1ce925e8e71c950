// SPDX-License-Identifier: Apache-2.0

// Shapes for people: of tensors that the file holds, and what it states of other values.
//
//   ShapeText(types.stated(value))     // "[batch,128,768]"
//   TensorText(graph, weight)          // "float32[32,64]"
#ifndef ONNX_HIER_LIB_ONNX_VALUE_SHAPE_H_
#define ONNX_HIER_LIB_ONNX_VALUE_SHAPE_H_

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "absl/strings/string_view.h"
#include "onnx_hier/graph.h"

namespace onnx_hier {

// A dimension as the file states it.
struct StatedDim {
  int64_t number = -1;     // below 0: none is stated
  absl::string_view name;  // "": likewise
};
// Of the bytes of a ValueInfoProto; none: no shape is stated, or it is no tensor.
std::optional<std::vector<StatedDim>> StatedShape(absl::string_view value_info);

// Of the bytes of a ValueInfoProto; a dimension that has neither a number nor a name is "?". "" if
// nothing is stated, or it is no tensor. Names are as the file has them.
std::string ShapeText(absl::string_view value_info);

std::string ShapeText(const Graph& graph, TensorId tensor);
// With the type of its elements.
std::string TensorText(const Graph& graph, TensorId tensor);

}  // namespace onnx_hier

#endif  // ONNX_HIER_LIB_ONNX_VALUE_SHAPE_H_
