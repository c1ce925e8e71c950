// SPDX-License-Identifier: Apache-2.0
#include "tools/onnx-hier-verify/newer_fields.h"

#include <google/protobuf/descriptor.h>
#include <google/protobuf/unknown_field_set.h>

#include <utility>

namespace onnx_hier::verify {
namespace {

using google::protobuf::FieldDescriptor;
using google::protobuf::Message;
using google::protobuf::UnknownField;
using google::protobuf::UnknownFieldSet;

constexpr int kOverloadOfNode = 8;
constexpr int kMetadataOfNode = 9;
constexpr int kDefaultsOfFunction = 11;
constexpr int kOverloadOfFunction = 13;

const UnknownFieldSet& UnknownOf(const Message& message) {
  return message.GetReflection()->GetUnknownFields(message);
}

std::string TextOf(const Message& message, int number) {
  const FieldDescriptor* known = message.GetDescriptor()->FindFieldByNumber(number);
  if (known != nullptr) return message.GetReflection()->GetString(message, known);
  std::string text;
  const UnknownFieldSet& fields = UnknownOf(message);
  for (int i = 0; i < fields.field_count(); ++i) {
    const UnknownField& field = fields.field(i);
    if (field.number() == number && field.type() == UnknownField::TYPE_LENGTH_DELIMITED) {
      text = field.length_delimited();
    }
  }
  return text;
}

}  // namespace

std::string OverloadOf(const onnx::FunctionProto& function) {
  return TextOf(function, kOverloadOfFunction);
}

std::string OverloadOf(const onnx::NodeProto& node) { return TextOf(node, kOverloadOfNode); }

std::vector<onnx::AttributeProto> DefaultsOf(const onnx::FunctionProto& function) {
  std::vector<onnx::AttributeProto> defaults;
  const Message& message = function;
  const FieldDescriptor* known = message.GetDescriptor()->FindFieldByNumber(kDefaultsOfFunction);
  if (known != nullptr) {
    const google::protobuf::Reflection& reflection = *message.GetReflection();
    for (int i = 0; i < reflection.FieldSize(message, known); ++i) {
      defaults.emplace_back().CopyFrom(reflection.GetRepeatedMessage(message, known, i));
    }
    return defaults;
  }
  const UnknownFieldSet& fields = UnknownOf(message);
  for (int i = 0; i < fields.field_count(); ++i) {
    const UnknownField& field = fields.field(i);
    if (field.number() != kDefaultsOfFunction ||
        field.type() != UnknownField::TYPE_LENGTH_DELIMITED) {
      continue;
    }
    onnx::AttributeProto attribute;
    if (attribute.ParsePartialFromString(field.length_delimited())) {
      defaults.push_back(std::move(attribute));
    }
  }
  return defaults;
}

std::string OtherFieldsOf(const onnx::NodeProto& node) {
  UnknownFieldSet others;
  const UnknownFieldSet& fields = UnknownOf(node);
  for (int i = 0; i < fields.field_count(); ++i) {
    const int number = fields.field(i).number();
    if (number != kOverloadOfNode && number != kMetadataOfNode) others.AddField(fields.field(i));
  }
  std::string bytes;
  others.SerializeToString(&bytes);
  return bytes;
}

}  // namespace onnx_hier::verify
