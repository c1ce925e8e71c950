// SPDX-License-Identifier: Apache-2.0

// Where messages that are edited lie in the file.
#ifndef ONNX_HIER_LIB_ONNX_FRAME_H_
#define ONNX_HIER_LIB_ONNX_FRAME_H_

#include <cstdint>

#include "lib/onnx/wire_reader.h"

namespace onnx_hier {

constexpr uint32_t kNoFrame = 0xFFFFFFFFu;

// A message that is a node or holds nodes, as it lies in the file. If the text inside grows, the
// length in front of it must grow too, and so on outwards.
struct Frame {
  Frame() = default;
  // Of the field that the message is.
  explicit Frame(const Field& field)
      : begin(field.begin),
        end(field.end),
        doc_at(field.end),
        length_size(field.length_size),
        tag_size(static_cast<uint8_t>(field.begin - field.length_size - field.start)) {}

  uint64_t begin = 0;  // of the contents; the length varint stands before it
  uint64_t end = 0;
  uint64_t doc_at = 0;         // nodes: where a doc_string goes
  uint32_t parent = kNoFrame;  // frames are in file order: a parent comes before its children
  uint8_t length_size = 0;     // bytes of the length varint
  uint8_t tag_size = 0;        // bytes of the tag before it
  // Nodes: whether fields stand in it that a serializer writes behind metadata.
  bool has_fields_behind_metadata = false;

  // Of that field.
  uint64_t start() const { return begin - length_size - tag_size; }
};

}  // namespace onnx_hier

#endif  // ONNX_HIER_LIB_ONNX_FRAME_H_
