// SPDX-License-Identifier: Apache-2.0
#include "lib/edits/edit_changes.h"

#include <algorithm>
#include <optional>
#include <set>
#include <tuple>
#include <utility>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "absl/container/flat_hash_set.h"
#include "lib/base/status_macros.h"
#include "lib/edits/edit_checks.h"
#include "lib/edits/edit_list.h"
#include "lib/edits/field_index.h"
#include "lib/edits/splices.h"
#include "lib/edits/tensor_changes.h"
#include "lib/graph/domain.h"
#include "lib/onnx/model_layout.h"
#include "lib/onnx/scanner.h"
#include "lib/onnx/schema.h"

namespace onnx_hier {
namespace {

// --- What goes where only some of a model is kept: all between that.

// In file order.
std::vector<ByteSpan> KeptBytes(const KeptOnly& kept, const ScannedModel& model,
                                FieldIndex& index) {
  std::vector<ByteSpan> spans;
  const auto add_frame = [&](uint32_t frame) {
    spans.push_back({model.frames[frame].start(), model.frames[frame].end});
  };
  const auto add = [&](const FieldSpan& field) { spans.push_back({field.begin, field.end}); };
  for (NodeId node : kept.nodes) add_frame(model.node_frames[node]);
  for (BlockId function : kept.functions) add_frame(index.last_frame(function));
  for (TensorId tensor : kept.initializers) add(index.initializer(tensor));
  for (const size_t input : kept.inputs) add(index.input(input));
  for (const size_t output : kept.outputs) add(index.output(output));
  std::vector<const FieldSpan*> describing;
  for (const KeptOnly::Value& value : kept.values) {
    describing.clear();
    index.AddDescribing(value.name, describing);
    for (const FieldSpan* field : describing) {
      const bool is_type = field->Is(schema::graph::kValueInfo);
      if (!is_type || !value.is_new) add(*field);
    }
  }
  std::sort(spans.begin(), spans.end(),
            [](const ByteSpan& a, const ByteSpan& b) { return a.begin < b.begin; });
  return spans;
}

// Takes no longer than there are things that are kept, and places of others between them.
void AddChangesToKeep(const KeptOnly& kept, const ScannedModel& model, FieldIndex& index,
                      std::vector<Change>& changes) {
  index.ReadMainGraph();
  const std::vector<ByteSpan> spans = KeptBytes(kept, model, index);
  auto next = spans.begin();
  for (const FieldRun& run : index.runs()) {
    uint64_t from = run.bytes.begin;
    const auto remove_until = [&](uint64_t to) {
      if (from < to) changes.push_back({.at = from, .remove = to - from, .frame = run.frame});
    };
    for (; next != spans.end() && next->begin < run.bytes.end; ++next) {
      remove_until(next->begin);
      from = next->end;
    }
    remove_until(run.bytes.end);
  }
}

using Fields = absl::Span<const FieldSpan>;

// For all edits but those of doc_strings.
class ChangeMaker {
 public:
  ChangeMaker(const ScannedModel& model, const ModelLayout& layout, FieldIndex& index,
              const EditList& edits, ChangeList& changes)
      : model_(model),
        graph_(model.graph),
        layout_(layout),
        index_(index),
        edits_(edits),
        changes_(changes.changes),
        moves_(changes.moves) {}

  void Make() {
    if (edits_.kept.has_value()) AddChangesToKeep(*edits_.kept, model_, index_, changes_);
    FindGoneBlocks();
    ChangeNodes();
    MoveNodes();
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

  // Where none is given, to the model.
  void Add(BlockId block, uint32_t number, absl::string_view text) {
    changes_.push_back({.at = index_.EndOf(block, number),
                        .text = text,
                        .frame = block.valid() ? index_.last_frame(block) : kNoFrame,
                        .field = number});
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
  void Remove(const Frame& message) {
    changes_.push_back(
        {.at = message.start(), .remove = message.end - message.start(), .frame = message.parent});
  }

  // Of the node's fields of that number and key (where it matters), the last one's place is kept;
  // the others go.
  void SetKeyed(NodeId node, uint32_t number, std::optional<absl::string_view> key, bool present,
                absl::string_view text) {
    if (SetKeyed(layout_.fields(node), number, key, present, text) || !present) return;
    const uint32_t frame = model_.node_frames[node];
    uint64_t at = model_.frames[frame].begin;
    for (const FieldSpan& field : layout_.fields(node)) {
      if (field.frame == frame && field.number <= number) at = field.end;
    }
    changes_.push_back({.at = at, .text = text, .frame = frame, .field = number});
  }
  // False: there is no such field.
  bool SetKeyed(Fields fields, uint32_t number, std::optional<absl::string_view> key, bool present,
                absl::string_view text) {
    const FieldSpan* last = nullptr;
    for (const FieldSpan& field : fields) {
      if (!field.Is(number)) continue;
      if (key.has_value() && layout_.KeyOf(field) != *key) continue;
      if (last != nullptr) Remove(*last);
      last = &field;
    }
    if (last == nullptr) return false;
    if (present) {
      Replace(*last, text);
    } else {
      Remove(*last);
    }
    return true;
  }

  void FindGoneBlocks();
  void ChangeNodes();
  void RemoveNodes(const NodeRun& run);
  void MoveNodes();
  void ChangeInitializers();
  void ChangeValueInfos();
  void ChangeInterfaces();
  void ChangeOpsets();
  void ChangeModel();

  const ScannedModel& model_;
  const Graph& graph_;
  const ModelLayout& layout_;
  FieldIndex& index_;
  const EditList& edits_;
  std::vector<Change>& changes_;
  std::vector<FrameMove>& moves_;
  IdSet<BlockId> gone_ = IdSet<BlockId>(graph_.block_count());  // where anything is moved
};

void ChangeMaker::ChangeNodes() {
  changes_.reserve(changes_.size() + edits_.names.size() + edits_.metadata.size() +
                   edits_.attributes.size());
  for (const NameEdit& edit : edits_.names) {
    SetKeyed(edit.node, schema::node::kName, std::nullopt, edit.present, edit.name);
  }
  for (const MetadataEdit& edit : edits_.metadata) {
    if (edit.of_model) continue;
    SetKeyed(edit.node, schema::node::kMetadataProps, edit.key, edit.present, edit.entry);
  }
  for (const NewNode& edit : edits_.new_nodes) {
    const BlockId block = edit.at_end ? edit.block : graph_.node(edit.before).block;
    const uint32_t number = IsFunction(block) ? schema::function::kNode : schema::graph::kNode;
    if (edit.at_end) {
      Add(block, number, edit.node);
      continue;
    }
    const Frame& next = model_.frames[model_.node_frames[edit.before]];
    changes_.push_back(
        {.at = next.start(), .text = edit.node, .frame = next.parent, .field = number});
  }
  for (const AttributeEdit& edit : edits_.attributes) {
    SetKeyed(edit.node, schema::node::kAttribute, edit.name, edit.present, edit.attribute);
  }
  for (const NodeRun& run : edits_.left_out_nodes) RemoveNodes(run);
}

// Nodes that stand side by side go as one, unless others may come between them.
void ChangeMaker::RemoveNodes(const NodeRun& run) {
  const bool joins = edits_.new_nodes.empty() && edits_.moves.empty();
  const size_t before = changes_.size();
  for (size_t i = 0; i < run.count; ++i) {
    const Frame& node = model_.frames[model_.node_frames[NodeId(run.first.index() + i)]];
    if (joins && changes_.size() > before) {
      Change& last = changes_.back();
      if (last.frame == node.parent && last.at + last.remove == node.start()) {
        last.remove += node.end - node.start();
        continue;
      }
    }
    Remove(node);
  }
}

// What goes as a whole takes the places along that nodes are moved from.
void ChangeMaker::MoveNodes() {
  for (const MoveEdit& edit : edits_.moves) {
    if (!edit.node.valid()) continue;
    moves_.push_back({.frame = model_.node_frames[edit.node],
                      .at = index_.EndOf(edit.to, schema::graph::kNode),
                      .to = index_.last_frame(edit.to),
                      .field = schema::graph::kNode});
    if (!gone_.Has(graph_.node(edit.node).block)) {
      Remove(model_.frames[model_.node_frames[edit.node]]);
    }
  }
}

// A node comes before the blocks that it holds, and these before their own nodes.
void ChangeMaker::FindGoneBlocks() {
  if (edits_.moves.empty()) return;
  IdSet<NodeId> stays(graph_.node_count());
  stays.AddAll();
  if (edits_.kept.has_value()) {
    for (NodeId node : graph_.nodes(graph_.main_block())) stays.Remove(node);
    for (NodeId node : edits_.kept->nodes) stays.Add(node);
    for (BlockId block : graph_.block_ids()) {
      const BlockKind kind = graph_.block(block).kind;
      if (kind == BlockKind::kFunction || kind == BlockKind::kTraining) gone_.Add(block);
    }
    for (BlockId function : edits_.kept->functions) gone_.Remove(function);
  }
  for (const NodeRun& run : edits_.left_out_nodes) {
    for (size_t i = 0; i < run.count; ++i) stays.Remove(NodeId(run.first.index() + i));
  }
  for (BlockId function : edits_.left_out_functions) gone_.Add(function);
  for (BlockId block : graph_.block_ids()) {
    const bool is_training = graph_.block(block).kind == BlockKind::kTraining;
    if (edits_.leaves_out_training && is_training) gone_.Add(block);
  }
  for (NodeId node : graph_.node_ids()) {
    if (stays.Has(node) && !gone_.Has(graph_.node(node).block)) continue;
    for (BlockId block : graph_.blocks(node)) gone_.Add(block);
  }
}

// Those that stand side by side go as one: nothing is put between them.
void ChangeMaker::ChangeInitializers() {
  const FieldSpan* last = nullptr;
  for (TensorId id : edits_.left_out_initializers) {
    const FieldSpan& field = index_.initializer(id);
    const bool joins = last != nullptr && last->frame == field.frame &&
                       last->number == field.number && last->end == field.begin;
    if (joins) {
      changes_.back().remove += field.end - field.begin;
    } else {
      Remove(field);
    }
    last = &field;
  }
  for (const MoveEdit& edit : edits_.moves) {
    if (!edit.initializer.valid()) continue;
    const FieldSpan& field = index_.initializer(edit.initializer);
    if (!gone_.Has(graph_.tensor(edit.initializer).block)) Remove(field);
  }
}

void ChangeMaker::ChangeValueInfos() {
  for (const NewValueInfo& edit : edits_.new_value_infos) {
    Add(edit.block,
        IsFunction(edit.block) ? schema::function::kValueInfo : schema::graph::kValueInfo,
        edit.value_info);
  }
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
      if (left_out.contains({block, is_quantization, layout_.KeyOf(field)})) Remove(field);
    }
  }
}

void ChangeMaker::ChangeInterfaces() {
  absl::flat_hash_map<std::tuple<BlockId, bool, size_t>, const InterfaceEdit*> known;
  std::set<std::pair<BlockId, bool>> sides;
  for (const InterfaceEdit& edit : edits_.interface) {
    if (edit.index == InterfaceEdit::kNew) {
      Add(edit.block, InterfaceNumber(edit.block, edit.is_output), edit.value);
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

// Those that the model has are in the order of its fields.
void ChangeMaker::ChangeOpsets() {
  absl::flat_hash_map<absl::string_view, const OpsetEdit*> edits;
  for (const OpsetEdit& edit : edits_.opsets) edits.try_emplace(StandardDomain(edit.domain), &edit);
  const std::vector<OpsetImport>& opsets = graph_.info().opset_imports;
  absl::flat_hash_set<absl::string_view> known;
  size_t next = 0;
  for (const FieldSpan& field : index_.model_fields()) {
    if (!field.Is(schema::model::kOpsetImport)) continue;
    const OpsetImport& opset = opsets[next++];
    known.insert(StandardDomain(opset.domain));
    const auto edit = edits.find(StandardDomain(opset.domain));
    if (edit == edits.end() || edit->second->version == opset.version) continue;
    Replace(field, edit->second->opset);
  }
  for (const OpsetEdit& edit : edits_.opsets) {
    if (!known.insert(StandardDomain(edit.domain)).second) continue;
    Add(BlockId(), schema::model::kOpsetImport, edit.opset);
  }
}

void ChangeMaker::ChangeModel() {
  const Fields fields = index_.model_fields();
  const int64_t version = graph_.info().ir_version;
  const bool is_low = edits_.ir_version > version;
  const bool is_other = !edits_.only_raises_ir_version && edits_.ir_version != version;
  if (edits_.ir_version != 0 && (is_low || is_other)) {
    Change change = {.text = edits_.ir_version_field};
    for (const FieldSpan& field : fields) {
      if (field.number != schema::model::kIrVersion || field.contents != FieldContents::kVarint)
        continue;
      change.at = field.begin;
      change.remove = field.end - field.begin;
    }
    changes_.push_back(change);
  }
  for (absl::string_view domain : edits_.left_out_opsets) {
    for (const FieldSpan& field : fields) {
      if (field.Is(schema::model::kOpsetImport) && layout_.KeyOf(field) == domain) {
        Remove(field);
      }
    }
  }
  ChangeOpsets();
  for (const MetadataEdit& edit : edits_.metadata) {
    if (!edit.of_model) continue;
    const bool is_set =
        SetKeyed(fields, schema::model::kMetadataProps, edit.key, edit.present, edit.entry);
    if (!is_set && edit.present) Add(BlockId(), schema::model::kMetadataProps, edit.entry);
  }
  if (edits_.leaves_out_training) {
    for (const FieldSpan& field : layout_.fields()) {
      if (field.Is(schema::model::kTrainingInfo)) Remove(field);
    }
  }
  for (BlockId function : edits_.left_out_functions) {
    Remove(model_.frames[index_.last_frame(function)]);
  }
  for (absl::string_view function : edits_.new_functions) {
    Add(BlockId(), schema::model::kFunctions, function);
  }
}

void AddFirstMetadata(const EditList& edits, const ScannedModel& model, ChangeList& changes) {
  changes.changes.reserve(edits.first_metadata.size());
  for (const FirstMetadata& edit : edits.first_metadata) {
    const uint32_t frame = model.node_frames[edit.node];
    changes.changes.push_back({.at = model.frames[frame].end,
                               .text = edit.fields,
                               .frame = frame,
                               .field = schema::node::kMetadataProps,
                               .is_whole = true});
  }
}

}  // namespace

// Who wants the fields of nodes a second time wants those of others again and again.
absl::Status EditChanges::ReadLayout(const EditList& edits) {
  std::vector<bool> nodes(model_.graph.node_count(), false);
  for (const NameEdit& edit : edits.names) nodes[edit.node.index()] = true;
  for (const AttributeEdit& edit : edits.attributes) nodes[edit.node.index()] = true;
  for (const MetadataEdit& edit : edits.metadata) {
    if (!edit.of_model) nodes[edit.node.index()] = true;
  }
  const bool wants_nodes = std::find(nodes.begin(), nodes.end(), true) != nodes.end();
  if (layout_ != nullptr && (has_all_nodes_ || !wants_nodes)) return absl::OkStatus();
  if (layout_ != nullptr) {
    nodes.assign(nodes.size(), true);
    has_all_nodes_ = true;
  }
  OH_ASSIGN_OR_RETURN(ModelLayout layout, ModelLayout::Read(image_, model_, nodes));
  index_ = nullptr;
  layout_ = std::make_unique<const ModelLayout>(std::move(layout));
  index_ = std::make_unique<FieldIndex>(model_, *layout_);
  return absl::OkStatus();
}

absl::StatusOr<ChangeList> EditChanges::Of(const EditList& edits, const DataMove& data) {
  OH_RETURN_IF_ERROR(CheckEdits(model_, edits));
  ChangeList changes;
  AddFirstMetadata(edits, model_, changes);
  if (edits.only_of_known_places() && data.tensors.empty()) return changes;
  OH_RETURN_IF_ERROR(ReadLayout(edits));
  ChangeMaker maker(model_, *layout_, *index_, edits, changes);
  maker.Make();
  OH_RETURN_IF_ERROR(AddTensorChanges(image_, model_, *index_, edits, data, changes));
  return changes;
}

}  // namespace onnx_hier
