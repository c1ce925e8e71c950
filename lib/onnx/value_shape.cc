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

StatedDim DimensionOf(absl::string_view message) {
  StatedDim dim;
  for (MessageFields fields(message); fields.Next();) {
    if (fields.number() == schema::shape::kValue && !fields.is_bytes()) {
      dim = {static_cast<int64_t>(fields.value()), ""};
    } else if (fields.number() == schema::shape::kParam && !fields.bytes().empty()) {
      dim = {-1, fields.bytes()};
    }
  }
  return dim;
}

// Of the bytes of a TypeProto.
std::optional<std::vector<StatedDim>> ShapeOfType(absl::string_view type_proto) {
  std::optional<std::vector<StatedDim>> dims;
  for (MessageFields kinds(type_proto); kinds.Next();) {
    if (kinds.number() != schema::type::kTensor && kinds.number() != schema::type::kSparseTensor) {
      continue;
    }
    for (MessageFields tensor(kinds.bytes()); tensor.Next();) {
      if (tensor.number() != schema::type::kShape) continue;
      dims.emplace();
      for (MessageFields fields(tensor.bytes()); fields.Next();) {
        if (fields.number() == schema::shape::kDim) dims->push_back(DimensionOf(fields.bytes()));
      }
    }
  }
  return dims;
}

}  // namespace

std::optional<std::vector<StatedDim>> StatedShape(absl::string_view value_info) {
  std::optional<std::vector<StatedDim>> dims;
  for (MessageFields fields(value_info); fields.Next();) {
    if (fields.number() == schema::value_info::kType) dims = ShapeOfType(fields.bytes());
  }
  return dims;
}

std::string ShapeText(absl::string_view value_info) {
  const std::optional<std::vector<StatedDim>> dims = StatedShape(value_info);
  if (!dims) return "";
  const auto append = [](std::string* out, const StatedDim& dim) {
    if (!dim.name.empty()) {
      out->append(dim.name.data(), dim.name.size());
    } else {
      absl::StrAppend(out, dim.number == -1 ? "?" : absl::StrCat(dim.number));
    }
  };
  return absl::StrCat("[", absl::StrJoin(*dims, ",", append), "]");
}

std::string ShapeText(const Graph& graph, TensorId tensor) {
  return absl::StrCat("[", absl::StrJoin(graph.dims(tensor), ","), "]");
}

std::string TensorText(const Graph& graph, TensorId tensor) {
  return absl::StrCat(TypeText(TensorType(graph.tensor(tensor).data_type)),
                      ShapeText(graph, tensor));
}

}  // namespace onnx_hier
