// SPDX-License-Identifier: Apache-2.0
#include "lib/onnx/node_attributes.h"

#include "lib/onnx/message_fields.h"
#include "lib/onnx/wire_writer.h"

namespace onnx_hier {
namespace {

absl::Status ReadAttribute(WireReader& reader, const Field& outer, NodeAttribute* attribute) {
  while (reader.position() < outer.end) {
    Field field;
    OH_RETURN_IF_ERROR(reader.ReadField(outer.end, &field));
    if (field.Is(schema::attribute::kName)) {
      OH_RETURN_IF_ERROR(reader.ReadText(field, &attribute->name));
      continue;
    }
    if (field.IsVarint(schema::attribute::kInteger)) {
      attribute->integer = static_cast<int64_t>(field.value);
    }
    if (field.Is(schema::attribute::kRefAttrName)) {
      OH_RETURN_IF_ERROR(reader.ReadText(field, &attribute->reference));
      continue;
    }
    reader.Skip(field);
  }
  return absl::OkStatus();
}

}  // namespace

absl::StatusOr<std::vector<NodeAttribute>> ReadAttributes(FileImage& image,
                                                          const ScannedModel& model,
                                                          absl::Span<const NodeId> nodes) {
  std::vector<NodeAttribute> attributes;
  WireReader reader(image);
  for (NodeId node : nodes) {
    OH_RETURN_IF_ERROR(ForEachAttribute(reader, model, node, [&](const Field& field) {
      NodeAttribute attribute = {.node = node, .begin = field.begin, .end = field.end};
      OH_RETURN_IF_ERROR(ReadAttribute(reader, field, &attribute));
      attributes.push_back(attribute);
      return absl::OkStatus();
    }));
  }
  OH_RETURN_IF_ERROR(image.VerifyUnchanged());
  return attributes;
}

std::string RenamedAttribute(absl::string_view attribute, absl::string_view name) {
  std::string renamed;
  AppendField(schema::attribute::kName, name, &renamed);
  for (MessageFields fields(attribute); fields.Next();) {
    if (fields.number() == schema::attribute::kName) continue;
    renamed.append(fields.whole().data(), fields.whole().size());
  }
  return renamed;
}

}  // namespace onnx_hier
