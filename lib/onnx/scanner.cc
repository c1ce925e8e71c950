#include "lib/onnx/scanner.h"

#include <utility>

#include "absl/strings/str_cat.h"
#include "lib/base/hash.h"
#include "lib/base/status_macros.h"
#include "lib/graph/graph_builder.h"
#include "lib/onnx/damage.h"
#include "lib/onnx/leaf_messages.h"
#include "lib/onnx/open_message.h"
#include "lib/onnx/plain_node.h"
#include "lib/onnx/schema.h"
#include "lib/onnx/wire_reader.h"

namespace onnx_hier {
namespace {

// Graphs inside graphs. Exporters stay below ten; protobuf's own default stops at 33.
constexpr size_t kDeepestGraph = 1000;
// Ids are 32 bits wide, one value is "none"; half of the range is beyond any real model.
constexpr size_t kMostItems = size_t{1} << 31;

// Of an attribute at its end. Nodes in graphs may change, and the attribute be the same.
uint64_t HashOf(const OpenMessage& attribute) {
  const bool holds_graphs = attribute.frame != kNoFrame;
  return attribute.whole_hash.has_value() && !holds_graphs ? *attribute.whole_hash : attribute.hash;
}

class Scanner {
 public:
  Scanner(FileImage& image, const ScanOptions& options)
      : image_(image),
        reader_(image),
        field_by_field_(options.field_by_field),
        builder_(options.parallel) {}

  absl::StatusOr<ScannedModel> Scan() {
    OH_RETURN_IF_ERROR(LookAtStart(image_));
    main_ = builder_.AddBlock(Block());
    stack_.emplace_back().extent.end = image_.size();
    while (!stack_.empty()) {
      if (absl::Status status = Step(); !status.ok()) return Explain(status);
    }
    if (!has_graph_) {
      return absl::InvalidArgumentError(
          "holds no graph: not an ONNX model, or one that was saved without its graph");
    }
    result_.graph = std::move(builder_).Build();
    return std::move(result_);
  }

 private:
  absl::Status Explain(const absl::Status& status) const;

  // One field of the innermost open message, or its end.
  absl::Status Step() {
    const uint64_t end = stack_.back().extent.end;
    if (reader_.position() >= end) return Close();
    Field field;
    OH_RETURN_IF_ERROR(reader_.ReadField(end, &field));
    switch (stack_.back().kind) {
      case MessageKind::kModel:
        return ModelField(field);
      case MessageKind::kGraph:
        return GraphField(field);
      case MessageKind::kFunction:
        return FunctionField(field);
      case MessageKind::kTraining:
        return TrainingField(field);
      case MessageKind::kNode:
        return NodeField(field);
      case MessageKind::kAttribute:
        return AttributeField(field);
    }
    return absl::OkStatus();
  }

  absl::Status ModelField(const Field& field);
  absl::Status GraphField(const Field& field);
  absl::Status FunctionField(const Field& field);
  absl::Status TrainingField(const Field& field);
  absl::Status NodeField(const Field& field);
  absl::Status AttributeField(const Field& field);
  absl::Status Close();

  OpenMessage& Open(MessageKind kind, const Field& field);
  uint32_t AddFrame(const Extent& extent, uint32_t parent);
  absl::Status OpenGraph(const Field& field, BlockId block);
  NodeId AddNode(const Extent& extent);
  absl::Status ReadNode(const Field& field);
  bool ReadPlain(const Field& field);
  void AddPlain(const Field& field);
  absl::Status OpenAttributeGraph(const Field& field, bool in_list);

  absl::Status ReadText(const Field& field, absl::string_view* text) {
    return reader_.ReadText(field, text);
  }
  absl::Status SkipField(const Field& field) {
    reader_.Skip(field);
    return absl::OkStatus();
  }
  absl::Status AddAttributeTensor(const Field& field, bool sparse);
  absl::Status ReadTensorField(const Field& field, bool sparse);
  void NoteContents(TensorId tensor);

  FileImage& image_;
  WireReader reader_;
  const bool field_by_field_;
  GraphBuilder builder_;
  ScannedModel result_;
  std::vector<OpenMessage> stack_;
  std::vector<BlockId> open_blocks_;  // graphs of the open attributes, those of the innermost last
  BlockId main_;
  bool has_version_ = false;
  bool has_graph_ = false;
  uint32_t training_infos_ = 0;
  size_t names_ = 0;
  size_t graph_depth_ = 0;
  TensorContents tensor_;  // read last; kept for its memory
  PlainNode plain_;        // the same
};

absl::Status Scanner::Explain(const absl::Status& status) const {
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

OpenMessage& Scanner::Open(MessageKind kind, const Field& field) {
  OpenMessage& message = stack_.emplace_back();
  message.kind = kind;
  message.extent = Extent(field);
  return message;
}

uint32_t Scanner::AddFrame(const Extent& extent, uint32_t parent) {
  Frame frame;
  frame.begin = extent.begin;
  frame.end = frame.doc_at = extent.end;
  frame.parent = parent;
  frame.length_size = extent.length_size;
  frame.tag_size = extent.tag_size;
  result_.frames.push_back(frame);
  return static_cast<uint32_t>(result_.frames.size() - 1);
}

absl::Status Scanner::OpenGraph(const Field& field, BlockId block) {
  if (++graph_depth_ > kDeepestGraph) {
    return absl::ResourceExhaustedError(
        absl::StrCat("byte ", field.start, ": graphs nest more than ", kDeepestGraph, " deep"));
  }
  const uint32_t parent = stack_.back().frame;
  OpenMessage& message = Open(MessageKind::kGraph, field);
  message.block = block;
  message.frame = AddFrame(message.extent, parent);
  result_.block_frames.push_back({block, message.frame});
  return absl::OkStatus();
}

// Into the innermost open block.
NodeId Scanner::AddNode(const Extent& extent) {
  const OpenMessage& around = stack_.back();
  const NodeId id = builder_.AddNode(around.block);
  result_.node_frames.push_back(AddFrame(extent, around.frame));
  return id;
}

absl::Status Scanner::ReadNode(const Field& field) {
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
bool Scanner::ReadPlain(const Field& field) {
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

void Scanner::AddPlain(const Field& field) {
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

absl::Status Scanner::OpenAttributeGraph(const Field& field, bool in_list) {
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

absl::Status Scanner::ModelField(const Field& field) {
  ModelInfo& info = builder_.info();
  if (field.IsVarint(schema::model::kIrVersion)) {
    info.ir_version = static_cast<int64_t>(field.value);
    has_version_ = true;
  } else if (field.IsVarint(schema::model::kModelVersion)) {
    info.model_version = static_cast<int64_t>(field.value);
  } else if (field.Is(schema::model::kProducerName)) {
    return ReadText(field, &info.producer_name);
  } else if (field.Is(schema::model::kProducerVersion)) {
    return ReadText(field, &info.producer_version);
  } else if (field.Is(schema::model::kDomain)) {
    return ReadText(field, &info.domain);
  } else if (field.Is(schema::model::kOpsetImport)) {
    info.opset_imports.emplace_back();
    return ReadOpset(reader_, field, &info.opset_imports.back());
  } else if (field.Is(schema::model::kMetadataProps)) {
    StringPair pair;
    OH_RETURN_IF_ERROR(ReadEntry(reader_, field, &pair));
    info.metadata.push_back(pair);
    return absl::OkStatus();
  } else if (field.Is(schema::model::kGraph)) {
    has_graph_ = true;
    return OpenGraph(field, main_);
  } else if (field.Is(schema::model::kFunctions)) {
    Block block;
    block.kind = BlockKind::kFunction;
    const BlockId id = builder_.AddBlock(block);
    OpenMessage& message = Open(MessageKind::kFunction, field);
    message.block = id;
    message.frame = AddFrame(message.extent, kNoFrame);
    result_.block_frames.push_back({id, message.frame});
    return absl::OkStatus();
  } else if (field.Is(schema::model::kTrainingInfo)) {
    OpenMessage& message = Open(MessageKind::kTraining, field);
    message.index = training_infos_++;
    message.frame = AddFrame(message.extent, kNoFrame);
    return absl::OkStatus();
  }
  return SkipField(field);
}

absl::Status Scanner::GraphField(const Field& field) {
  const BlockId block = stack_.back().block;
  if (field.Is(schema::graph::kNode)) return ReadNode(field);
  if (field.Is(schema::graph::kInitializer) || field.Is(schema::graph::kSparseInitializer)) {
    OH_RETURN_IF_ERROR(ReadTensorField(field, field.number == schema::graph::kSparseInitializer));
    NoteContents(builder_.AddInitializer(block, tensor_.tensor, tensor_.dims));
    return absl::OkStatus();
  }
  if (field.Is(schema::graph::kName)) return ReadText(field, &builder_.block(block).name);
  if (field.Is(schema::graph::kInput) || field.Is(schema::graph::kOutput)) {
    absl::string_view name;
    OH_RETURN_IF_ERROR(ReadValueName(reader_, field, &name));
    if (field.number == schema::graph::kInput) {
      builder_.AddInput(block, name);
    } else {
      builder_.AddOutput(block, name);
    }
    return absl::OkStatus();
  }
  if (field.Is(schema::graph::kMetadataProps)) {
    StringPair pair;
    OH_RETURN_IF_ERROR(ReadEntry(reader_, field, &pair));
    builder_.AddMetadata(block, pair);
    return absl::OkStatus();
  }
  return SkipField(field);
}

absl::Status Scanner::FunctionField(const Field& field) {
  const BlockId block = stack_.back().block;
  if (field.Is(schema::function::kNode)) return ReadNode(field);
  if (field.Is(schema::function::kName)) return ReadText(field, &builder_.block(block).name);
  if (field.Is(schema::function::kDomain)) return ReadText(field, &builder_.block(block).domain);
  if (field.Is(schema::function::kOverload)) {
    return ReadText(field, &builder_.block(block).overload);
  }
  if (field.Is(schema::function::kInput) || field.Is(schema::function::kOutput)) {
    absl::string_view name;
    OH_RETURN_IF_ERROR(ReadText(field, &name));
    if (field.number == schema::function::kInput) {
      builder_.AddInput(block, name);
    } else {
      builder_.AddOutput(block, name);
    }
    return absl::OkStatus();
  }
  if (field.Is(schema::function::kMetadataProps)) {
    StringPair pair;
    OH_RETURN_IF_ERROR(ReadEntry(reader_, field, &pair));
    builder_.AddMetadata(block, pair);
    return absl::OkStatus();
  }
  return SkipField(field);
}

absl::Status Scanner::TrainingField(const Field& field) {
  const bool initialization = field.Is(schema::training_info::kInitialization);
  if (!initialization && !field.Is(schema::training_info::kAlgorithm)) return SkipField(field);
  BlockId& id = initialization ? stack_.back().initialization : stack_.back().algorithm;
  if (!id.valid()) {
    Block block;
    block.kind = BlockKind::kTraining;
    block.parent = main_;
    block.attribute = initialization ? "initialization" : "algorithm";
    block.position = static_cast<int32_t>(stack_.back().index);
    id = builder_.AddBlock(block);
  }
  return OpenGraph(field, id);
}

absl::Status Scanner::NodeField(const Field& field) {
  OpenMessage& node = stack_.back();
  Frame& frame = result_.frames[node.frame];
  // The serializer writes fields by number: a doc_string goes before the first one above it.
  if (field.number > schema::node::kDocString && frame.doc_at == frame.end &&
      !builder_.HasDocString(node.node)) {
    frame.doc_at = field.start;
  }
  if (field.type != WireType::kBytes) return absl::OkStatus();
  absl::string_view text;
  switch (field.number) {
    case schema::node::kInput:
    case schema::node::kOutput:
      OH_RETURN_IF_ERROR(ReadText(field, &text));
      if (++names_ > kMostItems) return absl::ResourceExhaustedError("holds too many names");
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
    case schema::node::kMetadataProps: {
      StringPair pair;
      OH_RETURN_IF_ERROR(ReadEntry(reader_, field, &pair));
      builder_.AddMetadata(node.node, pair);
      return absl::OkStatus();
    }
    case schema::node::kAttribute: {
      const NodeId id = node.node;
      OpenMessage& attribute = Open(MessageKind::kAttribute, field);
      attribute.node = id;
      attribute.first_block = open_blocks_.size();
      const Extent& extent = attribute.extent;
      if (extent.end - extent.begin > kHashedBytes) return absl::OkStatus();
      OH_RETURN_IF_ERROR(image_.Require(extent.begin, extent.end));
      attribute.whole_hash = HashAttribute(image_.Text(extent.begin, extent.end));
      return absl::OkStatus();
    }
    default:
      return SkipField(field);
  }
}

absl::Status Scanner::AttributeField(const Field& field) {
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

absl::Status Scanner::AddAttributeTensor(const Field& field, bool sparse) {
  OH_RETURN_IF_ERROR(ReadTensorField(field, sparse));
  NoteContents(builder_.AddAttributeTensor(stack_.back().node, tensor_.tensor, tensor_.dims));
  return absl::OkStatus();
}

// Leaves it in tensor_.
absl::Status Scanner::ReadTensorField(const Field& field, bool sparse) {
  return sparse ? ReadSparseTensor(reader_, field, &tensor_) : ReadTensor(reader_, field, &tensor_);
}

// `tensor` is what tensor_ has become.
void Scanner::NoteContents(TensorId tensor) {
  result_.tensor_data.push_back(tensor_.data);
  for (const ExternalPlace& place : tensor_.external_places) {
    result_.external_tensors.push_back({tensor, tensor_.tensor.name, place});
  }
}

absl::Status Scanner::Close() {
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

}  // namespace

absl::StatusOr<ScannedModel> ScanModel(FileImage& image, const ScanOptions& options) {
  if (options.parallel) image.ReadAhead();
  return Scanner(image, options).Scan();
}

}  // namespace onnx_hier
