// SPDX-License-Identifier: Apache-2.0
#include "lib/api/part_bounds.h"

#include <algorithm>

#include "absl/strings/str_cat.h"
#include "lib/onnx/data_cut.h"
#include "lib/onnx/schema.h"

namespace onnx_hier {
namespace {

// Of the main graph's fields, those that are in every part.
bool IsInAll(const FieldSpan& field) {
  using namespace schema::graph;  // NOLINT(google-build-using-namespace)
  for (const uint32_t number : {kNode, kInitializer, kInput, kOutput, kValueInfo,
                                kQuantizationAnnotation, kSparseInitializer}) {
    if (field.Is(number)) return false;
  }
  return true;
}

// Of a tensor in a data file, and what it may take to align it; no more than files can have.
uint64_t DataOf(const Graph& graph, TensorId tensor) {
  constexpr uint64_t kMost = uint64_t{1} << 48;
  return std::min(graph.tensor(tensor).bytes, kMost) + DataCut::kAlignment;
}

// Models say what they like of sizes.
void AddUp(uint64_t bytes, uint64_t& sum) {
  constexpr uint64_t kMost = uint64_t{1} << 60;
  sum = std::min(sum + bytes, kMost);
}

}  // namespace

absl::Status CheckPartCount(size_t parts) {
  if (parts <= kMostParts) return absl::OkStatus();
  return absl::FailedPreconditionError(
      absl::StrCat("these would be ", parts, " parts, and ", kMostParts,
                   " are the most; cut at fewer modules (--at), or into fewer parts (--parts)"));
}

PartBytes::PartBytes(const ScannedModel& model, uint64_t file_size, const ModelLayout& layout)
    : model_(model), index_(model, layout) {
  for (const FieldSpan& field : index_.model_fields()) common_ += field.end - field.begin;
  for (const FieldSpan& field : layout.fields(model.graph.main_block())) {
    if (IsInAll(field)) common_ += field.end - field.begin;
  }
  most_ = file_size * kMostTimes;
  for (const ExternalTensor& tensor : model.external_tensors) {
    AddUp(kMostTimes * DataOf(model.graph, tensor.tensor), most_data_);
  }
}

uint64_t PartBytes::SizeOf(uint32_t frame) const {
  return model_.frames[frame].end - model_.frames[frame].start();
}

absl::Status PartBytes::Add(const Kept& part) {
  const Graph& graph = model_.graph;
  uint64_t bytes = common_;
  for (NodeId node : part.nodes()) {
    if (graph.block(graph.node(node).block).kind != BlockKind::kFunction) {
      bytes += SizeOf(model_.node_frames[node]);
    }
  }
  for (BlockId function : part.functions()) bytes += SizeOf(index_.last_frame(function));
  for (ValueId value : part.parameters()) {
    const TensorId tensor = graph.value(value).tensor;
    if (!tensor.valid()) continue;
    if (graph.tensor(tensor).external) AddUp(DataOf(graph, tensor), data_);
    if (graph.tensor(tensor).block != graph.main_block()) continue;
    bytes += index_.initializer(tensor).end - index_.initializer(tensor).begin;
  }
  sum_ += bytes;
  most_ += kMostForAPart;
  AddUp(kMostForAPart, most_data_);
  if (sum_ <= most_ && data_ <= most_data_) return absl::OkStatus();
  return absl::FailedPreconditionError(absl::StrCat(
      "the parts together would hold more than ", kMostTimes,
      " times what the model does, as each has all that it calls and reads; cut into fewer"));
}

}  // namespace onnx_hier
