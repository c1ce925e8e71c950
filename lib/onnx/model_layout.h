// SPDX-License-Identifier: Apache-2.0

// Where the fields of a model's outer messages stand: of the model itself, of graphs and functions,
// and of the nodes that are asked for.
//
//   const ModelLayout layout = *ModelLayout::Read(image, scanned, nodes);
//   for (const FieldSpan& field : layout.fields(graph.main_block())) ...   // inputs, names,
//   tensors
//
// The file is walked once more for it, which only structural edits need: the scan remembers no more
// than every reader wants. Contents of tensors are stepped over here too.
#ifndef ONNX_HIER_LIB_ONNX_MODEL_LAYOUT_H_
#define ONNX_HIER_LIB_ONNX_MODEL_LAYOUT_H_

#include <cstdint>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "absl/types/span.h"
#include "lib/files/file_image.h"
#include "lib/onnx/scanner.h"
#include "lib/onnx/wire_reader.h"

namespace onnx_hier {

// What a field holds: kNodes is a message in which nodes are, or may be; kOther fixed-size numbers
// and groups.
enum class FieldContents : uint8_t { kVarint, kBytes, kNodes, kOther };

// A field as it lies in the file, its tag and length included; of what nobody asks for one by one,
// nodes and fields that are not known among it, all that stand side by side.
struct FieldSpan {
  uint64_t begin = 0;
  uint64_t end = 0;
  uint32_t frame = kNoFrame;  // what it stands in; a message may come in pieces
  // There may be a field for every two bytes of a file: together they take one word.
  uint32_t number : 29 = 0;
  FieldContents contents : 2 = FieldContents::kBytes;

  bool Is(uint32_t field_number) const {
    return number == field_number &&
           (contents == FieldContents::kBytes || contents == FieldContents::kNodes);
  }
};

class ModelLayout {
 public:
  // `model` was scanned from `image`. `nodes` says of which nodes the fields are wanted. An error
  // if the file was changed since.
  static absl::StatusOr<ModelLayout> Read(const FileImage& image, const ScannedModel& model,
                                          const std::vector<bool>& nodes);

  // In file order.
  absl::Span<const FieldSpan> fields() const { return Of(0); }
  absl::Span<const FieldSpan> fields(BlockId block) const { return Of(1 + block.index()); }
  absl::Span<const FieldSpan> fields(NodeId node) const { return Of(first_node_ + node.index()); }

  // Of kBytes: the text or message. Not of initializers, which nobody reads.
  absl::string_view ContentsOf(const FieldSpan& field) const;
  // Of a metadata_props entry its key, of an opset import its domain, of an attribute its name, of
  // what speaks of a value (inputs and outputs of graphs, value_info, quantization annotations)
  // that value's name. "" of what has no such thing, or holds nodes. Texts lie in the layout.
  absl::string_view KeyOf(const FieldSpan& field) const;

 private:
  friend class LayoutReader;

  struct Messages {
    absl::Span<const FieldSpan> Of(uint32_t message) const;

    std::vector<FieldSpan> fields;     // by message
    std::vector<uint32_t> numbers;     // of those that have fields
    std::vector<size_t> first_fields;  // of each; and one past the last field
  };

  ModelLayout(FileImage image, const Graph& graph);
  // Messages have numbers: the model, then the blocks, then the nodes.
  absl::Span<const FieldSpan> Of(uint32_t message) const {
    return (message < first_node_ ? outer_ : nodes_).Of(message);
  }

  FileImage image_;  // texts point into it
  uint32_t first_node_;
  Messages outer_;
  Messages nodes_;  // apart: in the file, they lie between fields of the outer ones
};

// Its own, by which its nodes mean what they do. Texts lie in `layout`.
std::vector<OpsetImport> FunctionOpsets(const ModelLayout& layout, BlockId function);

}  // namespace onnx_hier

#endif  // ONNX_HIER_LIB_ONNX_MODEL_LAYOUT_H_
