// SPDX-License-Identifier: Apache-2.0

// One scan of a file: the messages that are open, and what was found so far.
//
// scanner.cc goes from message to message and reads plain nodes in one go. What the fields are to
// it: scanning_graphs.cc for messages that hold nodes, scanning_nodes.cc for nodes that are not
// plain, and what is in them.
#ifndef ONNX_HIER_LIB_ONNX_SCANNING_H_
#define ONNX_HIER_LIB_ONNX_SCANNING_H_

#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "lib/base/status_macros.h"
#include "lib/files/file_image.h"
#include "lib/graph/graph_builder.h"
#include "lib/onnx/leaf_messages.h"
#include "lib/onnx/node_spans.h"
#include "lib/onnx/scanner.h"
#include "lib/onnx/wire_reader.h"
#include "onnx_hier/ids.h"

namespace onnx_hier {

// A message that is being read, while the scanner is inside of it.
// Only messages that hold nodes, and nodes, are kept open on a stack; all others nest to a fixed
// depth and are read by a function of their own.
enum class MessageKind { kModel, kGraph, kFunction, kTraining, kNode, kAttribute };

struct OpenMessage {
  MessageKind kind = MessageKind::kModel;
  Frame extent;
  uint32_t frame = kNoFrame;               // where `extent` is kept, if it is
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

class Scanning {
 public:
  Scanning(FileImage& image, const ScanOptions& options)
      : image_(image),
        reader_(image),
        threads_(options.threads),
        field_by_field_(options.field_by_field),
        builder_(options.threads > 1) {}

  absl::StatusOr<ScannedModel> Run();

 private:
  absl::Status Explain(const absl::Status& status) const;

  // One field of the innermost open message, or its end.
  absl::Status Step();

  absl::Status ModelField(const Field& field);
  absl::Status GraphField(const Field& field);
  absl::Status FunctionField(const Field& field);
  absl::Status HashHeader(const Field& field, BlockId block);
  absl::Status TrainingField(const Field& field);
  absl::Status NodeField(const Field& field);
  absl::Status AttributeField(const Field& field);
  absl::Status Close();

  OpenMessage& Open(MessageKind kind, const Field& field);
  uint32_t AddFrame(Frame frame, uint32_t parent) {
    frame.parent = parent;
    result_.frames.push_back(frame);
    return static_cast<uint32_t>(result_.frames.size() - 1);
  }
  absl::Status OpenGraph(const Field& field, BlockId block);
  absl::Status ReadNodes(const Field& first);
  bool IsAtHand(const Field& node);
  void FindNodesFrom(const Field& first);
  absl::Status TakeNodes();
  absl::Status Take(ScannedSpan& span, uint32_t end);
  absl::Status TakeAll(ScannedSpan& span) {
    return Take(span, static_cast<uint32_t>(span.nodes.nodes.size()));
  }
  absl::Status OpenNode(const Field& field);
  // More nodes and names.
  absl::Status Count(size_t more) {
    if (more > kMostItems - items_)
      return absl::ResourceExhaustedError("holds too many nodes and names");
    items_ += more;
    return absl::OkStatus();
  }
  absl::Status OpenAttributeGraph(const Field& field, bool in_list);

  absl::Status ReadText(const Field& field, absl::string_view* text) {
    return reader_.ReadText(field, text);
  }
  absl::Status SkipField(const Field& field) {
    reader_.Skip(field);
    return absl::OkStatus();
  }
  // An entry of the metadata of a node or block.
  template <class Owner>
  absl::Status ReadMetadata(const Field& field, Owner owner) {
    StringPair pair;
    OH_RETURN_IF_ERROR(ReadEntry(reader_, field, &pair));
    builder_.AddMetadata(owner, pair);
    return absl::OkStatus();
  }
  absl::Status AddAttributeTensor(const Field& field, bool sparse);
  absl::Status ReadTensorField(const Field& field, bool sparse);
  void NoteContents(TensorId tensor);

  // Enough for a thread to take at a time.
  static constexpr size_t kSpanNodes = 512;
  static constexpr size_t kMostAhead = 32 * kSpanNodes;
  // What is read takes several times its size, until it has its place.
  static constexpr uint64_t kMostBytesAhead = 8 << 20;
  // Nodes are loaded to be read ahead, unless they are as large as a gap that is skipped.
  static constexpr uint64_t kLargestAhead = 16 << 10;
  // Ids are 32 bits wide, one value is "none"; half of the range is beyond any real model.
  static constexpr size_t kMostItems = size_t{1} << 31;

  FileImage& image_;
  WireReader reader_;
  const size_t threads_;
  const bool field_by_field_;
  GraphBuilder builder_;
  ScannedModel result_;
  std::vector<OpenMessage> stack_;
  std::vector<BlockId> open_blocks_;  // graphs of the open attributes, those of the innermost last
  BlockId main_;
  bool has_version_ = false;
  bool has_graph_ = false;
  uint32_t training_infos_ = 0;
  size_t items_ = 0;
  size_t graph_depth_ = 0;
  TensorContents tensor_;  // read last; kept for its memory
  // The nodes from the position on that were read ahead, in a block of `depth` open messages;
  // until the last of them was taken, those of blocks inside are read one by one.
  struct Ahead {
    std::vector<Field> fields;
    std::vector<ScannedSpan> spans;
    size_t depth = 0;  // 0: none
    size_t span = 0;   // the next to be taken, and of it those in front of its `other`th other
    size_t other = 0;
  };
  Ahead ahead_;
  ScannedSpan alone_;
  size_t at_once_ = kSpanNodes;  // how many nodes to read ahead the next time
};

}  // namespace onnx_hier

#endif  // ONNX_HIER_LIB_ONNX_SCANNING_H_
