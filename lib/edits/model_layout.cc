#include "lib/edits/model_layout.h"

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
    Group();
    return absl::OkStatus();
  }

 private:
  struct OpenMessage {
    uint32_t message = kModelMessage;
    uint32_t frame = kNoFrame;
    uint64_t end = 0;
  };
  struct Located {
    uint32_t message;
    FieldSpan field;
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
    const uint32_t node_number =
        IsFunction(outer.message) ? schema::function::kNode : schema::graph::kNode;
    const bool is_node = HoldsNodes(outer.message) && field.Is(node_number);
    if (is_node && !located_.empty()) {
      Located& last = located_.back();
      if (last.message == outer.message && last.field.Is(node_number) &&
          last.field.end == field.start) {
        last.field.end = field.end;
        return absl::OkStatus();
      }
    }
    Located located = {outer.message,
                       {field.start, field.end, outer.frame, field.number, field.type, "", ""}};
    if (!is_frame) OH_RETURN_IF_ERROR(ReadKey(field, outer.message, &located.field));
    located_.push_back(located);
    return absl::OkStatus();
  }

  absl::Status ReadKey(const Field& field, uint32_t message, FieldSpan* span) {
    if (HoldsNodes(message)) return ReadValue(field, message, span);
    if (message == kModelMessage && field.Is(schema::model::kOpsetImport)) {
      return ReadDomain(field, span);
    }
    const bool is_node = message != kModelMessage;
    if (is_node && field.Is(schema::node::kAttribute)) {
      static_assert(schema::value_info::kName == schema::attribute::kName);
      return ReadValueName(reader_, field, &span->key);
    }
    if (!field.Is(is_node ? schema::node::kMetadataProps : schema::model::kMetadataProps)) {
      return absl::OkStatus();
    }
    StringPair entry;
    OH_RETURN_IF_ERROR(ReadEntry(reader_, field, &entry));
    span->key = entry.key;
    return absl::OkStatus();
  }

  absl::Status ReadDomain(const Field& field, FieldSpan* span) {
    OH_RETURN_IF_ERROR(layout_.image_.Require(field.begin, field.end));
    for (MessageFields parts(layout_.image_.Text(field.begin, field.end)); parts.Next();) {
      if (parts.number() == schema::opset::kDomain) span->key = parts.bytes();
    }
    return absl::OkStatus();
  }

  // Inputs and outputs of functions are names. Defaults of attributes are like values: their name
  // is the first field.
  absl::Status ReadValue(const Field& field, uint32_t message, FieldSpan* span) {
    const bool is_function = IsFunction(message);
    const bool is_annotation = !is_function && field.Is(schema::graph::kQuantizationAnnotation);
    if (is_function && field.Is(schema::function::kOpsetImport)) {
      return reader_.ReadText(field, &span->contents);
    }
    const bool is_info =
        is_function
            ? field.Is(schema::function::kValueInfo) || field.Is(schema::function::kAttributeProto)
            : field.Is(schema::graph::kValueInfo) || field.Is(schema::graph::kInput) ||
                  field.Is(schema::graph::kOutput);
    if (!is_info && !is_annotation) return absl::OkStatus();
    OH_RETURN_IF_ERROR(layout_.image_.Require(field.begin, field.end));
    if (is_info) span->contents = layout_.image_.Text(field.begin, field.end);
    // Of an annotation, too, the name is the first field.
    static_assert(schema::value_info::kName == schema::tensor_annotation::kTensorName);
    return ReadValueName(reader_, field, &span->key);
  }

  // From file order to the order of messages.
  void Group() {
    std::stable_sort(located_.begin(), located_.end(),
                     [](const Located& a, const Located& b) { return a.message < b.message; });
    for (const Located& located : located_) {
      if (layout_.messages_.empty() || layout_.messages_.back() != located.message) {
        layout_.messages_.push_back(located.message);
        layout_.first_fields_.push_back(layout_.fields_.size());
      }
      layout_.fields_.push_back(located.field);
    }
    layout_.first_fields_.push_back(layout_.fields_.size());
  }

  const ScannedModel& model_;
  ModelLayout& layout_;
  WireReader reader_;
  std::vector<uint32_t> messages_;  // by frame
  std::vector<OpenMessage> open_;
  uint32_t next_frame_ = 0;
  std::vector<Located> located_;
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

absl::Span<const FieldSpan> ModelLayout::Of(uint32_t message) const {
  const auto found = std::lower_bound(messages_.begin(), messages_.end(), message);
  if (found == messages_.end() || *found != message) return {};
  const auto index = static_cast<size_t>(found - messages_.begin());
  return absl::MakeConstSpan(fields_).subspan(first_fields_[index],
                                              first_fields_[index + 1] - first_fields_[index]);
}

std::vector<OpsetImport> FunctionOpsets(const ModelLayout& layout, BlockId function) {
  std::vector<OpsetImport> opsets;
  for (const FieldSpan& field : layout.fields(function)) {
    if (!field.Is(schema::function::kOpsetImport)) continue;
    OpsetImport opset;
    for (MessageFields fields(field.contents); fields.Next();) {
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
