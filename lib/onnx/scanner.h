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

#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "lib/files/file_image.h"
#include "lib/onnx/frame.h"
#include "lib/onnx/leaf_messages.h"
#include "onnx_hier/graph.h"

namespace onnx_hier {

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
  std::vector<ExternalTensor> external_tensors;                 // in order of their ids
  std::vector<std::pair<TensorId, TensorData>> sparse_indices;  // likewise
};

struct ScanOptions {
  size_t threads = 1;  // on up to so many, where a graph is large
  // Nodes are walked field by field even where they can be read in one go: what tests compare with.
  bool field_by_field = false;
};

// Errors say at which byte and in which node, and what may be wrong. The views in the result
// point into `image`.
absl::StatusOr<ScannedModel> ScanModel(FileImage& image, const ScanOptions& options = {});

}  // namespace onnx_hier

#endif  // ONNX_HIER_LIB_ONNX_SCANNER_H_
