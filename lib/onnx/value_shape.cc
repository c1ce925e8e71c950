// SPDX-License-Identifier: Apache-2.0
#include "lib/onnx/value_shape.h"

#include <cstdint>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "lib/onnx/message_fields.h"
#include "lib/onnx/schema.h"
#include "lib/onnx/value_type.h"

namespace onnx_hier {
namespace {

std::string DimensionText(absl::string_view dimension) {
  std::string text = "?";
  for (MessageFields fields(dimension); fields.Next();) {
    if (fields.number() == schema::shape::kValue && !fields.is_bytes()) {
      text = absl::StrCat(static_cast<int64_t>(fields.value()));
    } else if (fields.number() == schema::shape::kParam && !fields.bytes().empty()) {
      text = std::string(fields.bytes());
    }
  }
  return text;
}

std::string DimensionsText(absl::string_view shape) {
  std::string text = "[";
  for (MessageFields fields(shape); fields.Next();) {
    if (fields.number() != schema::shape::kDim) continue;
    absl::StrAppend(&text, text.size() > 1 ? "," : "", DimensionText(fields.bytes()));
  }
  return text + "]";
}

std::string TensorShape(absl::string_view type_proto) {
  std::string text;
  for (MessageFields kinds(type_proto); kinds.Next();) {
    if (kinds.number() != schema::type::kTensor && kinds.number() != schema::type::kSparseTensor) {
      continue;
    }
    for (MessageFields tensor(kinds.bytes()); tensor.Next();) {
      if (tensor.number() == schema::type::kShape) text = DimensionsText(tensor.bytes());
    }
  }
  return text;
}

}  // namespace

std::string ShapeText(absl::string_view value_info) {
  std::string text;
  for (MessageFields fields(value_info); fields.Next();) {
    if (fields.number() == schema::value_info::kType) text = TensorShape(fields.bytes());
  }
  return text;
}

std::string ShapeText(const Graph& graph, TensorId tensor) {
  return absl::StrCat("[", absl::StrJoin(graph.dims(tensor), ","), "]");
}

std::string TensorText(const Graph& graph, TensorId tensor) {
  return absl::StrCat(TypeText(TensorType(graph.tensor(tensor).data_type)),
                      ShapeText(graph, tensor));
}

}  // namespace onnx_hier
