// SPDX-License-Identifier: Apache-2.0

// Reads nodes that stand one behind the other, ahead of their turn and on any thread.
#ifndef ONNX_HIER_LIB_ONNX_NODE_SPANS_H_
#define ONNX_HIER_LIB_ONNX_NODE_SPANS_H_

#include <cstdint>
#include <vector>

#include "absl/types/span.h"
#include "lib/base/interner.h"
#include "lib/files/file_image.h"
#include "lib/graph/node_span.h"
#include "lib/onnx/leaf_messages.h"
#include "lib/onnx/plain_node.h"
#include "lib/onnx/scanner.h"
#include "lib/onnx/wire_reader.h"

namespace onnx_hier {

// Ids count from the span's beginning.
struct ScannedSpan {
  NodeSpan nodes;
  std::vector<Frame> frames;  // of the nodes; what is around them is not known
  std::vector<DocField> doc_fields;
  std::vector<TensorData> tensor_data;
  std::vector<ExternalTensor> external_tensors;

  // One that has to be read field by field, be it only to say what is wrong with it.
  struct Other {
    uint32_t before;  // how many of `nodes` stand in front of it
    Field field;
  };
  std::vector<Other> others;

  uint32_t taken_externals = 0;  // how many are in the model; of the rest, see NodeSpan

  // Of the node that was read last; kept for their memory.
  PlainNode plain;
  TensorContents tensor;
};

// Of nodes that were loaded; nothing may be loaded meanwhile.
void ReadSpan(FileImage& image, absl::Span<const Field> nodes, const TextHasher& hasher,
              ScannedSpan* span);

}  // namespace onnx_hier

#endif  // ONNX_HIER_LIB_ONNX_NODE_SPANS_H_
