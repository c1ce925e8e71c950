// SPDX-License-Identifier: Apache-2.0
#include "lib/edits/kept_changes.h"

#include <algorithm>

#include "lib/onnx/schema.h"

namespace onnx_hier {
namespace {

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

}  // namespace

std::vector<Change> ChangesToKeep(const KeptOnly& kept, const ScannedModel& model,
                                  FieldIndex& index) {
  index.ReadMainGraph();
  const std::vector<ByteSpan> spans = KeptBytes(kept, model, index);
  std::vector<Change> changes;
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
  return changes;
}

}  // namespace onnx_hier
