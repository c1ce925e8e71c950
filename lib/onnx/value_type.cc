// SPDX-License-Identifier: Apache-2.0
#include "lib/onnx/value_type.h"

#include <iterator>

#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "lib/onnx/message_fields.h"
#include "lib/onnx/schema.h"
#include "lib/onnx/wire_writer.h"

namespace onnx_hier {
namespace {

// Optional sequences of sequences of tensors are as deep as operators go.
constexpr int kDeepest = 8;

constexpr absl::string_view kElements[] = {
    "",
    "float32",
    "uint8",
    "int8",
    "uint16",
    "int16",
    "int32",
    "int64",
    "string",
    "bool",
    "float16",
    "float64",
    "uint32",
    "uint64",
    "complex64",
    "complex128",
    "bfloat16",
    "float8e4m3fn",
    "float8e4m3fnuz",
    "float8e5m2",
    "float8e5m2fnuz",
    "uint4",
    "int4",
    "float4e2m1",
    "float8e8m0",
    "uint2",
    "int2",
};

std::string Wrapped(uint32_t kind, absl::string_view type) {
  if (type.empty()) return "";
  std::string inner;
  AppendField(schema::type::kElement, type, &inner);
  std::string outer;
  AppendField(kind, inner, &outer);
  return outer;
}

std::string TensorText(uint32_t kind, uint64_t element) {
  if (element == 0) return "";
  std::string inner;
  AppendNumber(schema::type::kElement, static_cast<int64_t>(element), &inner);
  std::string outer;
  AppendField(kind, inner, &outer);
  return outer;
}

std::string MapOf(uint64_t key, absl::string_view value) {
  if (value.empty()) return "";
  std::string inner;
  AppendNumber(schema::type::kElement, static_cast<int64_t>(key), &inner);
  AppendField(schema::type::kMapValue, value, &inner);
  std::string outer;
  AppendField(schema::type::kMap, inner, &outer);
  return outer;
}

// The last field of that number: the one that counts.
bool FindField(absl::string_view message, uint32_t number, MessageFields* found) {
  bool any = false;
  for (MessageFields fields(message); fields.Next();) {
    if (fields.number() != number) continue;
    *found = fields;
    any = true;
  }
  return any;
}

std::string WithoutShape(absl::string_view type_proto, int depth) {
  if (depth == kDeepest) return "";
  std::string type;
  for (MessageFields fields(type_proto); fields.Next();) {
    if (!fields.is_bytes()) continue;
    MessageFields element("");
    const bool has_element = FindField(fields.bytes(), schema::type::kElement, &element);
    switch (fields.number()) {
      case schema::type::kTensor:
      case schema::type::kSparseTensor:
        type = has_element ? TensorText(fields.number(), element.value()) : "";
        break;
      case schema::type::kSequence:
      case schema::type::kOptional:
        type =
            has_element ? Wrapped(fields.number(), WithoutShape(element.bytes(), depth + 1)) : "";
        break;
      case schema::type::kMap: {
        MessageFields value("");
        const bool has_value = FindField(fields.bytes(), schema::type::kMapValue, &value);
        type = has_element && has_value
                   ? MapOf(element.value(), WithoutShape(value.bytes(), depth + 1))
                   : "";
        break;
      }
      case schema::type::kOpaque:
        type = std::string(fields.whole());
        break;
      default:
        break;
    }
  }
  return type;
}

std::string ElementText(uint64_t element) {
  return element < std::size(kElements) ? std::string(kElements[element])
                                        : absl::StrCat("type ", element);
}

// "opaque(domain.name)"
std::string OpaqueText(absl::string_view opaque) {
  std::string text;
  for (MessageFields fields(opaque); fields.Next();) {
    absl::StrAppend(&text, text.empty() ? "" : ".", fields.bytes());
  }
  return absl::StrCat("opaque(", text, ")");
}

}  // namespace

std::string TensorType(int32_t element) {
  return element > 0 ? TensorText(schema::type::kTensor, static_cast<uint64_t>(element)) : "";
}
std::string SequenceOf(absl::string_view type) { return Wrapped(schema::type::kSequence, type); }
std::string OptionalOf(absl::string_view type) { return Wrapped(schema::type::kOptional, type); }

std::string ElementOf(absl::string_view type) {
  MessageFields outer(type);
  if (!outer.Next()) return "";
  if (outer.number() != schema::type::kSequence && outer.number() != schema::type::kOptional) {
    return "";
  }
  MessageFields inner(outer.bytes());
  return inner.Next() ? std::string(inner.bytes()) : "";
}

bool IsOptional(absl::string_view type) {
  MessageFields outer(type);
  return outer.Next() && outer.number() == schema::type::kOptional;
}

int32_t DataTypeOf(absl::string_view type) {
  MessageFields outer(type);
  if (!outer.Next() || outer.number() != schema::type::kTensor) return 0;
  MessageFields inner(outer.bytes());
  return inner.Next() ? static_cast<int32_t>(inner.value()) : 0;
}

std::string WithoutShape(absl::string_view type_proto) { return WithoutShape(type_proto, 0); }

std::string WithShape(absl::string_view tensor_type, absl::Span<const std::string> dims) {
  std::string shape;
  for (const std::string& text : dims) {
    std::string dim;
    int64_t number;
    if (absl::SimpleAtoi(text, &number)) {
      AppendNumber(schema::shape::kValue, number, &dim);
    } else if (!text.empty()) {
      AppendField(schema::shape::kParam, text, &dim);
    }
    AppendField(schema::shape::kDim, dim, &shape);
  }
  std::string inner;
  AppendNumber(schema::type::kElement, DataTypeOf(tensor_type), &inner);
  AppendField(schema::type::kShape, shape, &inner);
  std::string outer;
  AppendField(schema::type::kTensor, inner, &outer);
  return outer;
}

std::string TypeText(absl::string_view type) {
  MessageFields outer(type);
  if (!outer.Next()) return "unknown";
  MessageFields inner(outer.bytes());
  if (outer.number() == schema::type::kOpaque) return OpaqueText(outer.bytes());
  if (!inner.Next()) return "unknown";
  switch (outer.number()) {
    case schema::type::kSequence:
      return absl::StrCat("seq(", TypeText(inner.bytes()), ")");
    case schema::type::kOptional:
      return absl::StrCat("optional(", TypeText(inner.bytes()), ")");
    default:
      break;
  }
  const std::string element = ElementText(inner.value());
  if (outer.number() == schema::type::kMap && inner.Next()) {
    return absl::StrCat("map(", element, ",", TypeText(inner.bytes()), ")");
  }
  return outer.number() == schema::type::kSparseTensor ? absl::StrCat("sparse(", element, ")")
                                                       : element;
}

}  // namespace onnx_hier
