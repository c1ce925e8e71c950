// SPDX-License-Identifier: Apache-2.0
#include "lib/base/status_macros.h"
#include "lib/onnx/scanning.h"
#include "lib/onnx/schema.h"

namespace onnx_hier {

absl::Status Scanning::NodeField(const Field& field) {
  OpenMessage& node = stack_.back();
  Frame& frame = result_.frames[node.frame];
  // The serializer writes fields by number: a doc_string goes before the first one above it.
  if (field.number > schema::node::kDocString && frame.doc_at == frame.end &&
      !builder_.HasDocString(node.node)) {
    frame.doc_at = field.start;
  }
  if (field.number > schema::node::kMetadataProps) frame.has_fields_behind_metadata = true;
  if (field.type != WireType::kBytes) return absl::OkStatus();
  absl::string_view text;
  switch (field.number) {
    case schema::node::kInput:
    case schema::node::kOutput:
      OH_RETURN_IF_ERROR(ReadText(field, &text));
      OH_RETURN_IF_ERROR(Count(1));
      (field.number == schema::node::kInput ? node.inputs : node.outputs).push_back(text);
      return absl::OkStatus();
    case schema::node::kName:
      builder_.node(node.node).has_name = true;
      return ReadText(field, &node.name);
    case schema::node::kOpType:
      return ReadText(field, &node.op);
    case schema::node::kDomain:
      return ReadText(field, &node.domain);
    case schema::node::kOverload:
      return ReadText(field, &node.overload);
    case schema::node::kDocString:
      OH_RETURN_IF_ERROR(ReadText(field, &text));
      builder_.SetDocString(node.node, text);
      // A doc_string is replaced where it stands; of several, the last one counts.
      frame.doc_at = field.start;
      result_.doc_fields.push_back({node.node, field.start, field.end});
      return absl::OkStatus();
    case schema::node::kMetadataProps:
      return ReadMetadata(field, node.node);
    case schema::node::kAttribute: {
      const NodeId id = node.node;
      OpenMessage& attribute = Open(MessageKind::kAttribute, field);
      attribute.node = id;
      attribute.first_block = open_blocks_.size();
      const Frame& extent = attribute.extent;
      if (extent.end - extent.begin > kHashedBytes) return absl::OkStatus();
      OH_RETURN_IF_ERROR(image_.Require(extent.begin, extent.end));
      attribute.whole_hash = HashAttribute(image_.Text(extent.begin, extent.end));
      return absl::OkStatus();
    }
    default:
      return SkipField(field);
  }
}

absl::Status Scanning::AttributeField(const Field& field) {
  OpenMessage& attribute = stack_.back();
  if (field.Is(schema::attribute::kGraph)) return OpenAttributeGraph(field, /*in_list=*/false);
  if (field.Is(schema::attribute::kGraphs)) return OpenAttributeGraph(field, /*in_list=*/true);
  if (field.end - field.start <= kHashedBytes) {
    OH_RETURN_IF_ERROR(image_.Require(field.start, field.end));
  }
  attribute.hash = HashField(attribute.hash, field.number, image_.Text(field.start, field.end));
  if (field.Is(schema::attribute::kName)) return ReadText(field, &attribute.name);
  if (field.Is(schema::attribute::kTensor) || field.Is(schema::attribute::kTensors)) {
    return AddAttributeTensor(field, /*sparse=*/false);
  }
  if (field.Is(schema::attribute::kSparseTensor) || field.Is(schema::attribute::kSparseTensors)) {
    return AddAttributeTensor(field, /*sparse=*/true);
  }
  return SkipField(field);
}

absl::Status Scanning::OpenAttributeGraph(const Field& field, bool in_list) {
  OpenMessage& attribute = stack_.back();
  const OpenMessage& node = stack_[stack_.size() - 2];
  BlockId id = in_list ? BlockId() : attribute.single;
  if (!id.valid()) {
    Block block;
    block.kind = BlockKind::kSubgraph;
    block.parent = node.block;
    block.owner = node.node;
    block.position = in_list ? attribute.graphs++ : -1;
    id = builder_.AddBlock(block);
    open_blocks_.push_back(id);
    if (!in_list) attribute.single = id;
  }
  if (attribute.frame == kNoFrame) attribute.frame = AddFrame(attribute.extent, node.frame);
  return OpenGraph(field, id);
}

absl::Status Scanning::AddAttributeTensor(const Field& field, bool sparse) {
  OH_RETURN_IF_ERROR(ReadTensorField(field, sparse));
  NoteContents(builder_.AddAttributeTensor(stack_.back().node, tensor_.tensor, tensor_.dims));
  return absl::OkStatus();
}

// Leaves it in tensor_.
absl::Status Scanning::ReadTensorField(const Field& field, bool sparse) {
  return sparse ? ReadSparseTensor(reader_, field, &tensor_) : ReadTensor(reader_, field, &tensor_);
}

// `tensor` is what tensor_ has become.
void Scanning::NoteContents(TensorId tensor) {
  result_.tensor_data.push_back(tensor_.data);
  if (tensor_.indices.end != 0) result_.sparse_indices.emplace_back(tensor, tensor_.indices);
  for (const ExternalPlace& place : tensor_.external_places) {
    result_.external_tensors.push_back({tensor, tensor_.tensor.name, place});
  }
}

}  // namespace onnx_hier
