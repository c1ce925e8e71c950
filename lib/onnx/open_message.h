// A message that is being read, while the scanner is inside of it.
#ifndef ONNX_HIER_LIB_ONNX_OPEN_MESSAGE_H_
#define ONNX_HIER_LIB_ONNX_OPEN_MESSAGE_H_

#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

#include "absl/strings/string_view.h"
#include "lib/onnx/scanner.h"
#include "lib/onnx/wire_reader.h"
#include "onnx_hier/ids.h"

namespace onnx_hier {

// Only messages that hold nodes, and nodes, are kept open on a stack; all others nest to a fixed
// depth and are read by a function of their own.
enum class MessageKind { kModel, kGraph, kFunction, kTraining, kNode, kAttribute };

// Where a message lies in the file.
struct Extent {
  Extent() = default;
  explicit Extent(const Field& field)
      : begin(field.begin),
        end(field.end),
        length_size(field.length_size),
        tag_size(static_cast<uint8_t>(field.begin - field.length_size - field.start)) {}

  uint64_t begin = 0;  // of the contents
  uint64_t end = 0;
  uint8_t length_size = 0;  // bytes of the length varint before it
  uint8_t tag_size = 0;     // bytes of the tag before that
};

struct OpenMessage {
  MessageKind kind = MessageKind::kModel;
  Extent extent;
  uint32_t frame = kNoFrame;
  BlockId block;                           // kGraph, kFunction: itself; kNode: where it is
  NodeId node;                             // kNode: itself; kAttribute: whose it is
  uint32_t index = 0;                      // kNode: position in its block; kTraining: which entry
  absl::string_view name;                  // kNode, kAttribute
  absl::string_view domain, op, overload;  // kNode
  std::vector<absl::string_view> inputs, outputs;  // kNode
  uint64_t hash = 0;                               // kNode, kAttribute
  std::optional<uint64_t> whole_hash;              // kAttribute: if it is short
  BlockId single, initialization, algorithm;       // blocks that may come in several pieces
  size_t first_block = 0;  // kAttribute: the first of its graphs that are open
  int32_t graphs = 0;      // kAttribute: how many in its list
};

}  // namespace onnx_hier

#endif  // ONNX_HIER_LIB_ONNX_OPEN_MESSAGE_H_
