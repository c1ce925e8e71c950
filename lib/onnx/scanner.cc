// SPDX-License-Identifier: Apache-2.0
#include "lib/onnx/scanner.h"

#include <string>
#include <utility>

#include "lib/base/status_macros.h"
#include "lib/onnx/damage.h"
#include "lib/onnx/scanning.h"
#include "lib/onnx/schema.h"

namespace onnx_hier {
namespace {

// Of an attribute at its end. Nodes in graphs may change, and the attribute be the same.
uint64_t HashOf(const OpenMessage& attribute) {
  const bool holds_graphs = attribute.frame != kNoFrame;
  return attribute.whole_hash.has_value() && !holds_graphs ? *attribute.whole_hash : attribute.hash;
}

}  // namespace

absl::StatusOr<ScannedModel> Scanning::Run() {
  OH_RETURN_IF_ERROR(LookAtStart(image_));
  main_ = builder_.AddBlock(Block());
  stack_.emplace_back().extent.end = image_.size();
  while (!stack_.empty()) {
    if (absl::Status status = Step(); !status.ok()) return Explain(status);
  }
  if (!has_graph_) {
    if (const std::string other = OtherFormat(image_); !other.empty()) {
      return absl::InvalidArgumentError(other);
    }
    return absl::InvalidArgumentError(
        "holds no graph: not an ONNX model, or one that was saved without its graph");
  }
  result_.graph = std::move(builder_).Build();
  return std::move(result_);
}

absl::Status Scanning::Step() {
  const uint64_t end = stack_.back().extent.end;
  if (reader_.position() >= end) return Close();
  Field field;
  OH_RETURN_IF_ERROR(reader_.ReadField(end, &field));
  switch (stack_.back().kind) {
    case MessageKind::kModel:
      return ModelField(field);
    case MessageKind::kGraph:
      // Nearly all there is.
      return field.Is(schema::graph::kNode) ? ReadNode(field) : GraphField(field);
    case MessageKind::kFunction:
      return field.Is(schema::function::kNode) ? ReadNode(field) : FunctionField(field);
    case MessageKind::kTraining:
      return TrainingField(field);
    case MessageKind::kNode:
      return NodeField(field);
    case MessageKind::kAttribute:
      return AttributeField(field);
  }
  return absl::OkStatus();
}

// Into the innermost open block.
NodeId Scanning::AddNode(const Extent& extent) {
  const OpenMessage& around = stack_.back();
  const NodeId id = builder_.AddNode(around.block);
  result_.node_frames.push_back(AddFrame(extent, around.frame));
  return id;
}

absl::Status Scanning::ReadNode(const Field& field) {
  if (ReadPlain(field)) {
    AddPlain(field);
    return absl::OkStatus();
  }
  const NodeId id = AddNode(Extent(field));
  const BlockId block = stack_.back().block;
  OpenMessage& message = Open(MessageKind::kNode, field);
  message.block = block;
  message.node = id;
  message.frame = result_.node_frames[id];
  message.index = builder_.node(id).index;
  if (++names_ > kMostItems) return absl::ResourceExhaustedError("holds too many nodes");
  return absl::OkStatus();
}

// Leaves it in plain_, and its tensor, if it has one, in tensor_. False: it is to be read field by
// field, be it only to say what is wrong with it.
bool Scanning::ReadPlain(const Field& field) {
  if (field_by_field_ || field.end > image_.readable_end()) return false;
  if (!ReadPlainNode(image_.Text(field.begin, field.end), &plain_)) return false;
  const size_t names = 1 + plain_.inputs.size() + plain_.outputs.size();
  if (names > kMostItems - names_) return false;
  if (plain_.has_tensor) {
    Field tensor;
    tensor.end = field.begin + plain_.tensor_end;
    reader_.set_position(field.begin + plain_.tensor_begin);
    const bool is_read = ReadTensorField(tensor, /*sparse=*/false).ok();
    reader_.set_position(field.begin);
    if (!is_read) return false;
  }
  names_ += names;
  return true;
}

void Scanning::AddPlain(const Field& field) {
  const NodeId id = AddNode(Extent(field));
  Frame& frame = result_.frames[result_.node_frames[id]];
  frame.doc_at = field.begin + plain_.doc_at;
  builder_.SetSlots(id, plain_.inputs, plain_.outputs);
  for (const StringPair& pair : plain_.metadata) builder_.AddMetadata(id, pair);
  if (plain_.has_tensor) {
    NoteContents(builder_.AddAttributeTensor(id, tensor_.tensor, tensor_.dims));
  }
  builder_.SetOp(id, plain_.domain, plain_.op_type, plain_.overload);
  Node& node = builder_.node(id);
  node.name = plain_.name;
  node.has_name = plain_.has_name;
  node.attribute_hash = plain_.attribute_hash;
  if (plain_.has_doc) {
    builder_.SetDocString(id, plain_.doc_string);
    result_.doc_fields.push_back({id, frame.doc_at, field.begin + plain_.doc_end});
  }
  reader_.Skip(field);
}

absl::Status Scanning::Explain(const absl::Status& status) const {
  if (absl::IsDataLoss(status) && !has_graph_) {
    const std::string other = OtherFormat(image_);
    if (!other.empty()) return absl::InvalidArgumentError(other);
  }
  ReadingState state;
  state.in_outermost = stack_.size() == 1;
  state.has_version = has_version_;
  state.has_graph = has_graph_;
  state.missing_bytes = reader_.missing();
  for (auto message = stack_.rbegin(); message != stack_.rend(); ++message) {
    if (message->kind != MessageKind::kNode) continue;
    state.node_index = message->index;
    state.node_name = message->name;
    break;
  }
  return ExplainDamage(status, state);
}

absl::Status Scanning::Close() {
  const OpenMessage& message = stack_.back();
  switch (message.kind) {
    case MessageKind::kGraph:
      --graph_depth_;
      break;
    case MessageKind::kNode: {
      builder_.SetSlots(message.node, message.inputs, message.outputs);
      builder_.SetOp(message.node, message.domain, message.op, message.overload);
      Node& node = builder_.node(message.node);
      node.name = message.name;
      node.attribute_hash = message.hash;
      break;
    }
    case MessageKind::kAttribute:
      // The name may follow the graphs.
      for (size_t i = message.first_block; i < open_blocks_.size(); ++i) {
        builder_.block(open_blocks_[i]).attribute = message.name;
      }
      open_blocks_.resize(message.first_block);
      stack_[stack_.size() - 2].hash += HashOf(message);
      break;
    default:
      break;
  }
  stack_.pop_back();
  return absl::OkStatus();
}

absl::StatusOr<ScannedModel> ScanModel(FileImage& image, const ScanOptions& options) {
  if (options.parallel) image.ReadAhead();
  return Scanning(image, options).Run();
}

}  // namespace onnx_hier
