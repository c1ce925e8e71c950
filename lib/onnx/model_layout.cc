// SPDX-License-Identifier: Apache-2.0
#include "lib/onnx/model_layout.h"

#include <algorithm>
#include <utility>

#include "absl/strings/str_cat.h"
#include "lib/base/status_macros.h"
#include "lib/onnx/leaf_messages.h"
#include "lib/onnx/message_fields.h"
#include "lib/onnx/schema.h"

namespace onnx_hier {
namespace {

constexpr uint32_t kModelMessage = 0;
constexpr uint32_t kOtherMessage = 0xFFFFFFFFu;
constexpr uint32_t kLargestNumber = (1u << 29) - 1;
// The field with the name or key, the same in all messages that are told apart by one.
constexpr uint32_t kKey = 1;

}  // namespace

// Walks the file. The scan's frames are all messages that may have others inside, in file order, so
// that nothing needs to be known here of how ONNX nests them.
class LayoutReader {
 public:
  LayoutReader(const ScannedModel& model, ModelLayout& layout)
      : model_(model),
        layout_(layout),
        reader_(layout.image_),
        messages_(model.frames.size(), kOtherMessage) {}

  absl::Status Read(const std::vector<bool>& nodes) {
    for (const BlockFrame& piece : model_.block_frames) {
      messages_[piece.frame] = 1 + piece.block.index();
    }
    for (NodeId node : model_.graph.node_ids()) {
      if (nodes[node.index()]) messages_[model_.node_frames[node]] = FirstNode() + node.index();
    }
    // The scan steps over more than this walk does, and the caller thinks of an output by now.
    if (const absl::Status status = Walk(); !status.ok()) {
      return absl::Status(status.code(), absl::StrCat("the input is damaged: ", status.message()));
    }
    OH_RETURN_IF_ERROR(layout_.image_.VerifyUnchanged());
    Group(layout_.outer_);
    Group(layout_.nodes_);
    return absl::OkStatus();
  }

 private:
  struct OpenMessage {
    uint32_t message = kModelMessage;
    uint32_t frame = kNoFrame;
    uint64_t end = 0;
  };
  uint32_t FirstNode() const { return 1 + static_cast<uint32_t>(model_.graph.block_count()); }
  bool HoldsNodes(uint32_t message) const {
    return message != kModelMessage && message < FirstNode();
  }
  bool IsFunction(uint32_t message) const {
    return HoldsNodes(message) &&
           model_.graph.block(BlockId(message - 1)).kind == BlockKind::kFunction;
  }

  absl::Status Walk() {
    open_.push_back({kModelMessage, kNoFrame, layout_.image_.size()});
    while (!open_.empty()) {
      const OpenMessage outer = open_.back();
      if (reader_.position() >= outer.end) {
        open_.pop_back();
        continue;
      }
      Field field;
      OH_RETURN_IF_ERROR(reader_.ReadField(outer.end, &field));
      const bool is_frame = next_frame_ < model_.frames.size() && field.type == WireType::kBytes &&
                            field.begin == model_.frames[next_frame_].begin;
      if (outer.message != kOtherMessage) OH_RETURN_IF_ERROR(Add(field, outer, is_frame));
      if (is_frame) {
        Enter(field);
      } else {
        reader_.Skip(field);
      }
    }
    return absl::OkStatus();
  }

  // Goes on inside a message, if there is anything to be found.
  void Enter(const Field& field) {
    const uint32_t frame = next_frame_++;
    const bool holds_frames =
        next_frame_ < model_.frames.size() && model_.frames[next_frame_].parent == frame;
    if (holds_frames || messages_[frame] != kOtherMessage) {
      open_.push_back({messages_[frame], frame, field.end});
    } else {
      reader_.Skip(field);
    }
  }

  absl::Status Add(const Field& field, const OpenMessage& outer, bool is_frame) {
    std::vector<FieldSpan>& fields =
        (outer.message < FirstNode() ? layout_.outer_ : layout_.nodes_).fields;
    const FieldContents contents = is_frame                          ? FieldContents::kNodes
                                   : field.type == WireType::kBytes  ? FieldContents::kBytes
                                   : field.type == WireType::kVarint ? FieldContents::kVarint
                                                                     : FieldContents::kOther;
    const bool is_single = IsAskedFor(field, outer.message);
    if (!is_single && !fields.empty()) {
      FieldSpan& last = fields.back();
      if (last.frame == outer.frame && last.number == field.number && last.contents == contents &&
          last.end == field.start) {
        last.end = field.end;
        return absl::OkStatus();
      }
    }
    if (is_single && !is_frame) OH_RETURN_IF_ERROR(Load(field, outer.message));
    FieldSpan& span = fields.emplace_back(FieldSpan{field.start, field.end, outer.frame});
    span.number = field.number & kLargestNumber;
    span.contents = contents;
    return absl::OkStatus();
  }

  // Whether somebody wants that field, and not only where fields of its number end.
  bool IsAskedFor(const Field& field, uint32_t message) const {
    if (message == kModelMessage) {
      return field.number == schema::model::kIrVersion || field.Is(schema::model::kOpsetImport) ||
             field.Is(schema::model::kMetadataProps);
    }
    if (!HoldsNodes(message)) return true;
    if (IsFunction(message)) {
      return field.Is(schema::function::kInput) || field.Is(schema::function::kOutput) ||
             field.Is(schema::function::kOpsetImport) || IsInfo(field, message);
    }
    return field.Is(schema::graph::kInitializer) || field.Is(schema::graph::kSparseInitializer) ||
           field.Is(schema::graph::kQuantizationAnnotation) || IsInfo(field, message);
  }

  // Inputs and outputs of functions are names. Defaults of attributes are like values: their name
  // is the first field.
  bool IsInfo(const Field& field, uint32_t message) const {
    return IsFunction(message)
               ? field.Is(schema::function::kValueInfo) ||
                     field.Is(schema::function::kAttributeProto)
               : field.Is(schema::graph::kValueInfo) || field.Is(schema::graph::kInput) ||
                     field.Is(schema::graph::kOutput);
  }

  // What ContentsOf() and KeyOf() are asked for, as far as the scan has not looked at it.
  absl::Status Load(const Field& field, uint32_t message) {
    static_assert(schema::value_info::kName == kKey && schema::attribute::kName == kKey &&
                  schema::tensor_annotation::kTensorName == kKey &&
                  schema::opset::kDomain == kKey && schema::string_entry::kKey == kKey);
    absl::string_view key;
    if (message == kModelMessage) {
      return field.type == WireType::kBytes ? reader_.ReadText(field, &key) : absl::OkStatus();
    }
    if (!HoldsNodes(message)) {
      if (field.Is(schema::node::kMetadataProps)) return reader_.ReadText(field, &key);
      if (field.Is(schema::node::kAttribute)) return ReadValueName(reader_, field, &key);
      return absl::OkStatus();
    }
    const bool is_function = IsFunction(message);
    if (is_function && field.Is(schema::function::kOpsetImport)) {
      return reader_.ReadText(field, &key);
    }
    if (!IsInfo(field, message) &&
        (is_function || !field.Is(schema::graph::kQuantizationAnnotation))) {
      return absl::OkStatus();
    }
    OH_RETURN_IF_ERROR(layout_.image_.Require(field.begin, field.end));
    return ReadValueName(reader_, field, &key);
  }

  uint32_t MessageOf(const FieldSpan& field) const {
    return field.frame == kNoFrame ? kModelMessage : messages_[field.frame];
  }

  // From file order to the order of messages.
  void Group(ModelLayout::Messages& messages) const {
    std::vector<FieldSpan>& fields = messages.fields;
    const auto before = [this](const FieldSpan& a, const FieldSpan& b) {
      return std::pair(MessageOf(a), a.begin) < std::pair(MessageOf(b), b.begin);
    };
    // In place: there may be many.
    if (!std::is_sorted(fields.begin(), fields.end(), before)) {
      std::sort(fields.begin(), fields.end(), before);
    }
    for (size_t i = 0; i < fields.size(); ++i) {
      const uint32_t message = MessageOf(fields[i]);
      if (!messages.numbers.empty() && messages.numbers.back() == message) continue;
      messages.numbers.push_back(message);
      messages.first_fields.push_back(i);
    }
    messages.first_fields.push_back(fields.size());
  }

  const ScannedModel& model_;
  ModelLayout& layout_;
  WireReader reader_;
  std::vector<uint32_t> messages_;  // by frame
  std::vector<OpenMessage> open_;
  uint32_t next_frame_ = 0;
};

ModelLayout::ModelLayout(FileImage image, const Graph& graph)
    : image_(std::move(image)), first_node_(1 + static_cast<uint32_t>(graph.block_count())) {}

absl::StatusOr<ModelLayout> ModelLayout::Read(const FileImage& image, const ScannedModel& model,
                                              const std::vector<bool>& nodes) {
  OH_ASSIGN_OR_RETURN(FileImage again, image.Again());
  ModelLayout layout(std::move(again), model.graph);
  OH_RETURN_IF_ERROR(LayoutReader(model, layout).Read(nodes));
  return layout;
}

absl::Span<const FieldSpan> ModelLayout::Messages::Of(uint32_t message) const {
  if (numbers.empty() || message < numbers[0]) return {};
  // Mostly all of them have fields.
  size_t index = message - numbers[0];
  if (index >= numbers.size() || numbers[index] != message) {
    const auto found = std::lower_bound(numbers.begin(), numbers.end(), message);
    if (found == numbers.end() || *found != message) return {};
    index = static_cast<size_t>(found - numbers.begin());
  }
  return absl::MakeConstSpan(fields).subspan(first_fields[index],
                                             first_fields[index + 1] - first_fields[index]);
}

absl::string_view ModelLayout::ContentsOf(const FieldSpan& field) const {
  MessageFields fields(image_.Text(field.begin, field.end));
  return fields.Next() ? fields.bytes() : absl::string_view();
}

absl::string_view ModelLayout::KeyOf(const FieldSpan& field) const {
  absl::string_view key;
  if (field.contents != FieldContents::kBytes) return key;
  for (MessageFields parts(ContentsOf(field)); parts.Next();) {
    if (parts.number() == kKey && parts.is_bytes()) key = parts.bytes();
  }
  return key;
}

std::vector<OpsetImport> FunctionOpsets(const ModelLayout& layout, BlockId function) {
  std::vector<OpsetImport> opsets;
  for (const FieldSpan& field : layout.fields(function)) {
    if (!field.Is(schema::function::kOpsetImport)) continue;
    OpsetImport opset;
    for (MessageFields fields(layout.ContentsOf(field)); fields.Next();) {
      if (fields.number() == schema::opset::kDomain) opset.domain = fields.bytes();
      if (fields.number() == schema::opset::kVersion) {
        opset.version = static_cast<int64_t>(fields.value());
      }
    }
    opsets.push_back(opset);
  }
  return opsets;
}

}  // namespace onnx_hier
