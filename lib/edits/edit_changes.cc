#include "lib/edits/edit_changes.h"

#include <set>
#include <tuple>
#include <utility>

#include "absl/container/flat_hash_map.h"
#include "absl/container/flat_hash_set.h"
#include "lib/base/status_macros.h"
#include "lib/edits/edit_checks.h"
#include "lib/edits/model_layout.h"
#include "lib/onnx/schema.h"

namespace onnx_hier {
namespace {

using Fields = absl::Span<const FieldSpan>;

// For all edits but those of doc_strings.
class ChangeMaker {
 public:
  ChangeMaker(const ScannedModel& model, const ModelLayout& layout, const EditList& edits,
              std::vector<Change>& changes)
      : model_(model), graph_(model.graph), layout_(layout), edits_(edits), changes_(changes) {}

  void Make() {
    for (const BlockFrame& piece : model_.block_frames) last_frames_[piece.block] = piece.frame;
    ChangeNodes();
    ChangeInitializers();
    ChangeValueInfos();
    ChangeInterfaces();
    ChangeModel();
  }

 private:
  bool IsFunction(BlockId block) const { return graph_.block(block).kind == BlockKind::kFunction; }

  uint32_t InterfaceNumber(BlockId block, bool is_output) const {
    if (IsFunction(block)) return is_output ? schema::function::kOutput : schema::function::kInput;
    return is_output ? schema::graph::kOutput : schema::graph::kInput;
  }

  // Behind the last field whose number is not larger, in the message's last piece: there a
  // serializer would put one more.
  void Add(Fields fields, uint32_t frame, uint32_t number, absl::string_view text) {
    const auto [place, is_new] = places_.try_emplace(std::pair(frame, number), 0);
    uint64_t& at = place->second;
    if (is_new) {
      at = frame == kNoFrame ? 0 : model_.frames[frame].begin;
      for (const FieldSpan& field : fields) {
        if (field.frame == frame && field.number <= number) at = field.end;
      }
    }
    changes_.push_back({.at = at, .text = text, .frame = frame, .field = number});
  }
  void AddToBlock(BlockId block, uint32_t number, absl::string_view text) {
    Add(layout_.fields(block), last_frames_[block], number, text);
  }
  void Remove(const FieldSpan& field) {
    changes_.push_back(
        {.at = field.begin, .remove = field.end - field.begin, .frame = field.frame});
  }
  void Replace(const FieldSpan& field, absl::string_view text) {
    changes_.push_back({.at = field.begin,
                        .remove = field.end - field.begin,
                        .text = text,
                        .frame = field.frame,
                        .field = field.number});
  }
  // The message of a frame, as a field of the one around it.
  void RemoveFrame(uint32_t frame) {
    const Frame& message = model_.frames[frame];
    changes_.push_back(
        {.at = message.start(), .remove = message.end - message.start(), .frame = message.parent});
  }

  // Of the fields of that number and key, the last one's place is kept; the others go.
  void SetKeyed(Fields fields, uint32_t frame, uint32_t number, absl::string_view key, bool present,
                absl::string_view text) {
    const FieldSpan* last = nullptr;
    for (const FieldSpan& field : fields) {
      if (!field.Is(number) || field.key != key) continue;
      if (last != nullptr) Remove(*last);
      last = &field;
    }
    if (last == nullptr) {
      if (present) Add(fields, frame, number, text);
    } else if (present) {
      Replace(*last, text);
    } else {
      Remove(*last);
    }
  }

  void ChangeNodes();
  void ChangeInitializers();
  void ChangeValueInfos();
  void ChangeInterfaces();
  void ChangeModel();

  const ScannedModel& model_;
  const Graph& graph_;
  const ModelLayout& layout_;
  const EditList& edits_;
  std::vector<Change>& changes_;
  IdVector<BlockId, uint32_t> last_frames_ =
      IdVector<BlockId, uint32_t>(graph_.block_count(), kNoFrame);
  absl::flat_hash_map<std::pair<uint32_t, uint32_t>, uint64_t> places_;  // by frame and number
};

void ChangeMaker::ChangeNodes() {
  for (const NameEdit& edit : edits_.names) {
    SetKeyed(layout_.fields(edit.node), model_.node_frames[edit.node], schema::node::kName, "",
             edit.present, edit.name);
  }
  for (const MetadataEdit& edit : edits_.metadata) {
    if (edit.of_model) continue;
    SetKeyed(layout_.fields(edit.node), model_.node_frames[edit.node], schema::node::kMetadataProps,
             edit.key, edit.present, edit.entry);
  }
  for (const NewNode& edit : edits_.new_nodes) {
    const BlockId block = edit.at_end ? edit.block : graph_.node(edit.before).block;
    const uint32_t number = IsFunction(block) ? schema::function::kNode : schema::graph::kNode;
    if (edit.at_end) {
      AddToBlock(block, number, edit.node);
      continue;
    }
    const Frame& next = model_.frames[model_.node_frames[edit.before]];
    changes_.push_back(
        {.at = next.start(), .text = edit.node, .frame = next.parent, .field = number});
  }
  for (NodeId node : edits_.left_out_nodes) RemoveFrame(model_.node_frames[node]);
}

// Of a block, tensors and fields are in the same order.
void ChangeMaker::ChangeInitializers() {
  if (edits_.left_out_initializers.empty()) return;
  const absl::flat_hash_set<TensorId> left_out(edits_.left_out_initializers.begin(),
                                               edits_.left_out_initializers.end());
  IdVector<BlockId, size_t> next_fields(graph_.block_count(), 0);
  for (TensorId id : graph_.tensor_ids()) {
    const BlockId block = graph_.tensor(id).block;
    if (!block.valid()) continue;
    const Fields fields = layout_.fields(block);
    size_t& next = next_fields[block];
    while (!fields[next].Is(schema::graph::kInitializer) &&
           !fields[next].Is(schema::graph::kSparseInitializer)) {
      ++next;
    }
    if (left_out.contains(id)) Remove(fields[next]);
    ++next;
  }
}

void ChangeMaker::ChangeValueInfos() {
  absl::flat_hash_set<std::tuple<BlockId, bool, absl::string_view>> left_out;
  absl::flat_hash_set<BlockId> blocks;
  for (const ValueInfoEdit& edit : edits_.left_out_value_infos) {
    left_out.emplace(edit.block, edit.of_quantization, edit.name);
    blocks.insert(edit.block);
  }
  if (blocks.empty()) return;
  for (BlockId block : graph_.block_ids()) {
    if (!blocks.contains(block)) continue;
    const uint32_t info =
        IsFunction(block) ? schema::function::kValueInfo : schema::graph::kValueInfo;
    for (const FieldSpan& field : layout_.fields(block)) {
      const bool is_quantization =
          !IsFunction(block) && field.Is(schema::graph::kQuantizationAnnotation);
      if (!is_quantization && !field.Is(info)) continue;
      if (left_out.contains({block, is_quantization, field.key})) Remove(field);
    }
  }
}

void ChangeMaker::ChangeInterfaces() {
  absl::flat_hash_map<std::tuple<BlockId, bool, size_t>, const InterfaceEdit*> known;
  std::set<std::pair<BlockId, bool>> sides;
  for (const InterfaceEdit& edit : edits_.interface) {
    if (edit.index == InterfaceEdit::kNew) {
      AddToBlock(edit.block, InterfaceNumber(edit.block, edit.is_output), edit.value);
    } else {
      known.emplace(std::tuple(edit.block, edit.is_output, edit.index), &edit);
      sides.emplace(edit.block, edit.is_output);
    }
  }
  for (const auto& [block, is_output] : sides) {
    size_t index = 0;
    for (const FieldSpan& field : layout_.fields(block)) {
      if (!field.Is(InterfaceNumber(block, is_output))) continue;
      const auto edit = known.find({block, is_output, index++});
      if (edit == known.end()) continue;
      if (edit->second->present) {
        Replace(field, edit->second->value);
      } else {
        Remove(field);
      }
    }
  }
}

void ChangeMaker::ChangeModel() {
  const Fields fields = layout_.fields();
  if (edits_.ir_version > graph_.info().ir_version) {
    Change change = {.text = edits_.ir_version_field};
    for (const FieldSpan& field : fields) {
      if (field.number != schema::model::kIrVersion || field.type != WireType::kVarint) continue;
      change.at = field.begin;
      change.remove = field.end - field.begin;
    }
    changes_.push_back(change);
  }
  absl::flat_hash_set<absl::string_view> known;
  const auto standard = [](absl::string_view domain) {
    return domain == "ai.onnx" ? absl::string_view() : domain;
  };
  for (const OpsetImport& opset : graph_.info().opset_imports) known.insert(standard(opset.domain));
  for (const OpsetEdit& edit : edits_.opsets) {
    if (!known.insert(standard(edit.domain)).second) continue;
    Add(fields, kNoFrame, schema::model::kOpsetImport, edit.opset);
  }
  for (const MetadataEdit& edit : edits_.metadata) {
    if (!edit.of_model) continue;
    SetKeyed(fields, kNoFrame, schema::model::kMetadataProps, edit.key, edit.present, edit.entry);
  }
  if (edits_.leaves_out_training) {
    for (const FieldSpan& field : fields) {
      if (field.Is(schema::model::kTrainingInfo)) Remove(field);
    }
  }
  for (BlockId function : edits_.left_out_functions) RemoveFrame(last_frames_[function]);
  for (absl::string_view function : edits_.new_functions) {
    Add(fields, kNoFrame, schema::model::kFunctions, function);
  }
}

}  // namespace

absl::StatusOr<std::vector<Change>> EditChanges(const FileImage& image, const ScannedModel& model,
                                                const EditList& edits) {
  OH_RETURN_IF_ERROR(CheckEdits(model.graph, edits));
  std::vector<Change> changes;
  if (edits.only_docs()) return changes;
  std::vector<bool> nodes(model.graph.node_count(), false);
  for (const NameEdit& edit : edits.names) nodes[edit.node.index()] = true;
  for (const MetadataEdit& edit : edits.metadata) {
    if (!edit.of_model) nodes[edit.node.index()] = true;
  }
  OH_ASSIGN_OR_RETURN(const ModelLayout layout, ModelLayout::Read(image, model, nodes));
  ChangeMaker(model, layout, edits, changes).Make();
  return changes;
}

}  // namespace onnx_hier
