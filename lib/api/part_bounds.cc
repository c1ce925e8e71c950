#include "lib/api/part_bounds.h"

#include "absl/strings/str_cat.h"
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
    if (!tensor.valid() || graph.tensor(tensor).block != graph.main_block()) continue;
    bytes += index_.initializer(tensor).end - index_.initializer(tensor).begin;
  }
  sum_ += bytes;
  most_ += kMostForAPart;
  if (sum_ <= most_) return absl::OkStatus();
  return absl::FailedPreconditionError(absl::StrCat(
      "the parts together would hold more than ", kMostTimes,
      " times what the model does, as each has all that it calls and reads; cut into fewer"));
}

}  // namespace onnx_hier
