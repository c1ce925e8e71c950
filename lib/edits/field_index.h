// SPDX-License-Identifier: Apache-2.0

// What a layout says, by what is asked of it again and again: the many parts of a split are made of
// one layout, and none of them should look at all of it.
#ifndef ONNX_HIER_LIB_EDITS_FIELD_INDEX_H_
#define ONNX_HIER_LIB_EDITS_FIELD_INDEX_H_

#include <cstdint>
#include <utility>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "absl/strings/string_view.h"
#include "absl/types/span.h"
#include "lib/edits/splices.h"
#include "lib/onnx/model_layout.h"
#include "lib/onnx/scanner.h"

namespace onnx_hier {

// Fields side by side in one message.
struct FieldRun {
  ByteSpan bytes;
  uint32_t frame = kNoFrame;
};

class FieldIndex {
 public:
  // Both must outlive this. Linear, as each of what follows is in all calls.
  FieldIndex(const ScannedModel& model, const ModelLayout& layout);

  // Of a graph.
  const FieldSpan& initializer(TensorId id);
  // The last piece of the block's message.
  uint32_t last_frame(BlockId block) const { return last_frames_[block]; }
  // Of the model, but graphs and functions.
  absl::Span<const FieldSpan> model_fields() const { return model_fields_; }

  // Behind the last field whose number is not larger, in the last piece of the block's message or,
  // where none is given, in the model: there a serializer would put one more.
  uint64_t EndOf(BlockId block, uint32_t number);

  // --- Of the main graph, once they were read.

  void ReadMainGraph();
  const FieldSpan& input(size_t index) const { return *inputs_[index]; }
  const FieldSpan& output(size_t index) const { return *outputs_[index]; }
  // What speaks of values of this name, value_infos and quantization annotations, is added to
  // `fields`.
  void AddDescribing(absl::string_view name, std::vector<const FieldSpan*>& fields) const;
  // Nodes, initializers, inputs, outputs and what describes values of the main graph, functions and
  // training: in file order. Nothing new goes between the fields of one run.
  const std::vector<FieldRun>& runs() const { return runs_; }

 private:
  struct Describing {
    const FieldSpan* field = nullptr;
    size_t earlier = 0;  // the one before it of the same name, counted from 1; 0: none
  };

  void FindInitializers();
  void AddToRuns(const FieldSpan& field, const std::vector<uint64_t>& borders);

  const ScannedModel& model_;
  const ModelLayout& layout_;
  IdVector<BlockId, uint32_t> last_frames_;
  IdVector<TensorId, const FieldSpan*> initializers_;  // once one was asked for
  std::vector<FieldSpan> model_fields_;
  std::vector<const FieldSpan*> inputs_;
  std::vector<const FieldSpan*> outputs_;
  std::vector<Describing> describing_;
  absl::flat_hash_map<absl::string_view, size_t> last_describing_;  // counted from 1
  std::vector<FieldRun> runs_;
  absl::flat_hash_map<std::pair<BlockId, uint32_t>, uint64_t> ends_;
};

}  // namespace onnx_hier

#endif  // ONNX_HIER_LIB_EDITS_FIELD_INDEX_H_
