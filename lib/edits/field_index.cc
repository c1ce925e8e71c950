// SPDX-License-Identifier: Apache-2.0
#include "lib/edits/field_index.h"

#include <algorithm>

#include "lib/onnx/schema.h"

namespace onnx_hier {

FieldIndex::FieldIndex(const ScannedModel& model, const ModelLayout& layout)
    : model_(model), layout_(layout), last_frames_(model.graph.block_count(), kNoFrame) {
  for (const BlockFrame& piece : model.block_frames) last_frames_[piece.block] = piece.frame;
  for (const FieldSpan& field : layout.fields()) {
    const bool is_large = field.Is(schema::model::kFunctions) ||
                          field.Is(schema::model::kTrainingInfo) || field.Is(schema::model::kGraph);
    if (!is_large) model_fields_.push_back(field);
  }
}

const FieldSpan& FieldIndex::initializer(TensorId id) {
  if (initializers_.empty()) FindInitializers();
  return *initializers_[id];
}

// Of a block, tensors and fields are in the same order.
void FieldIndex::FindInitializers() {
  const Graph& graph = model_.graph;
  initializers_.assign(graph.tensor_count(), nullptr);
  IdVector<BlockId, size_t> next_fields(graph.block_count(), 0);
  for (TensorId id : graph.tensor_ids()) {
    const BlockId block = graph.tensor(id).block;
    if (!block.valid()) continue;
    const absl::Span<const FieldSpan> fields = layout_.fields(block);
    size_t& next = next_fields[block];
    while (!fields[next].Is(schema::graph::kInitializer) &&
           !fields[next].Is(schema::graph::kSparseInitializer)) {
      ++next;
    }
    initializers_[id] = &fields[next++];
  }
}

void FieldIndex::ReadMainGraph() {
  if (!runs_.empty()) return;
  using namespace schema::graph;  // NOLINT(google-build-using-namespace)
  const BlockId main = model_.graph.main_block();
  std::vector<uint64_t> borders;
  for (const uint32_t number : {kNode, kInitializer, kInput, kOutput, kValueInfo,
                                kQuantizationAnnotation, kSparseInitializer}) {
    borders.push_back(EndOf(main, number));
  }
  for (const FieldSpan& field : layout_.fields(main)) {
    if (field.Is(kInput)) {
      inputs_.push_back(&field);
    } else if (field.Is(kOutput)) {
      outputs_.push_back(&field);
    } else if (field.Is(kValueInfo) || field.Is(kQuantizationAnnotation)) {
      size_t& last = last_describing_[layout_.KeyOf(field)];
      describing_.push_back({&field, last});
      last = describing_.size();
    } else if (!field.Is(kNode) && !field.Is(kInitializer) && !field.Is(kSparseInitializer)) {
      continue;
    }
    AddToRuns(field, borders);
  }
  borders = {EndOf(BlockId(), schema::model::kMetadataProps),
             EndOf(BlockId(), schema::model::kFunctions)};
  for (const FieldSpan& field : layout_.fields()) {
    if (field.Is(schema::model::kFunctions) || field.Is(schema::model::kTrainingInfo)) {
      AddToRuns(field, borders);
    }
  }
  std::sort(runs_.begin(), runs_.end(),
            [](const FieldRun& a, const FieldRun& b) { return a.bytes.begin < b.bytes.begin; });
}

void FieldIndex::AddToRuns(const FieldSpan& field, const std::vector<uint64_t>& borders) {
  const bool joins = !runs_.empty() && runs_.back().frame == field.frame &&
                     runs_.back().bytes.end == field.begin &&
                     std::find(borders.begin(), borders.end(), field.begin) == borders.end();
  if (joins) {
    runs_.back().bytes.end = field.end;
  } else {
    runs_.push_back({{field.begin, field.end}, field.frame});
  }
}

uint64_t FieldIndex::EndOf(BlockId block, uint32_t number) {
  const auto [place, is_new] = ends_.try_emplace(std::pair(block, number), 0);
  uint64_t& at = place->second;
  if (is_new) {
    const uint32_t frame = block.valid() ? last_frames_[block] : kNoFrame;
    at = frame == kNoFrame ? 0 : model_.frames[frame].begin;
    for (const FieldSpan& field : block.valid() ? layout_.fields(block) : layout_.fields()) {
      if (field.frame == frame && field.number <= number) at = field.end;
    }
  }
  return at;
}

void FieldIndex::AddDescribing(absl::string_view name,
                               std::vector<const FieldSpan*>& fields) const {
  const auto last = last_describing_.find(name);
  if (last == last_describing_.end()) return;
  for (size_t i = last->second; i > 0; i = describing_[i - 1].earlier) {
    fields.push_back(describing_[i - 1].field);
  }
}

}  // namespace onnx_hier
