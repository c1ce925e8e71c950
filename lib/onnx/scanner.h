// SPDX-License-Identifier: Apache-2.0

// From a file's bytes to a Graph, and to the places where its doc_strings may be edited.
//
// The protobuf wire format is walked once, from front to back, without recursion and without
// looking into tensors. Protobuf's own rules hold: unknown fields and groups are skipped, fields
// may come in any order, of a singular field given twice the last one counts, a message given in
// pieces is one message (but each piece of a tensor in an attribute counts as a tensor: nobody
// writes those), over-long varints are refused.
#ifndef ONNX_HIER_LIB_ONNX_SCANNER_H_
#define ONNX_HIER_LIB_ONNX_SCANNER_H_

#include <cstdint>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "lib/files/file_image.h"
#include "lib/onnx/leaf_messages.h"
#include "onnx_hier/graph.h"

namespace onnx_hier {

constexpr uint32_t kNoFrame = 0xFFFFFFFFu;

// A message that is a node or holds nodes, as it lies in the file. If the text inside grows, the
// length in front of it must grow too, and so on outwards.
struct Frame {
  uint64_t begin = 0;  // of the contents; the length varint stands before it
  uint64_t end = 0;
  uint64_t doc_at = 0;         // nodes: where a doc_string goes
  uint32_t parent = kNoFrame;  // frames are in file order: a parent comes before its children
  uint8_t length_size = 0;     // bytes of the length varint
  uint8_t tag_size = 0;        // bytes of the tag before it

  // Of the field that the message is.
  uint64_t start() const { return begin - length_size - tag_size; }
};

// A graph or function, or a piece of one.
struct BlockFrame {
  BlockId block;
  uint32_t frame = kNoFrame;
};

// A doc_string field of a node as it lies in the file, its tag and length included.
struct DocField {
  NodeId node;
  uint64_t begin = 0;
  uint64_t end = 0;
};

// A tensor whose contents lie in another file.
struct ExternalTensor {
  TensorId tensor;
  absl::string_view name;
  ExternalPlace place;
};

struct ScannedModel {
  Graph graph;
  std::vector<Frame> frames;
  IdVector<NodeId, uint32_t> node_frames;  // into `frames`
  std::vector<BlockFrame> block_frames;    // in file order
  std::vector<DocField> doc_fields;        // in file order
  IdVector<TensorId, TensorData> tensor_data;
  std::vector<ExternalTensor> external_tensors;  // in order of their ids
};

struct ScanOptions {
  bool parallel = false;  // a second thread may help with large graphs
  // Nodes are walked field by field even where they can be read in one go: what tests compare with.
  bool field_by_field = false;
};

// Errors say at which byte and in which node, and what may be wrong. The views in the result
// point into `image`.
absl::StatusOr<ScannedModel> ScanModel(FileImage& image, const ScanOptions& options = {});

}  // namespace onnx_hier

#endif  // ONNX_HIER_LIB_ONNX_SCANNER_H_
