// SPDX-License-Identifier: Apache-2.0

// Nodes that stand one behind the other in a block, as a thread of its own may read them before
// those in front of them are in the graph: whatever they refer to counts from the span's beginning.
// GraphBuilder::Take() gives everything its place.
#ifndef ONNX_HIER_LIB_GRAPH_NODE_SPAN_H_
#define ONNX_HIER_LIB_GRAPH_NODE_SPAN_H_

#include <cstdint>
#include <vector>

#include "absl/strings/string_view.h"
#include "lib/graph/op_table.h"
#include "onnx_hier/graph.h"
#include "onnx_hier/ids.h"

namespace onnx_hier {

struct NodeSpan {
  // What some of the nodes have, in their order.
  template <class T>
  struct Owned {
    uint32_t node;
    T item;
  };

  std::vector<Node> nodes;               // slots are places in `names`, operators those in `ops`
  std::vector<absl::string_view> names;  // of the slots of one node after the other
  std::vector<uint32_t> hashes;          // of the names, see TextHasher
  OpTable ops;
  std::vector<Owned<absl::string_view>> docs;
  std::vector<Owned<StringPair>> metadata;
  std::vector<Owned<Tensor>> tensors;  // measured; their dims are places in `dims`
  std::vector<int64_t> dims;

  // How much of it is in the graph.
  struct Taken {
    uint32_t nodes = 0;
    uint32_t names = 0;
    uint32_t docs = 0;
    uint32_t metadata = 0;
    uint32_t tensors = 0;
  };
  Taken taken;
  IdVector<OpId, OpId> graph_ops;  // of `ops`, in the graph; none: of no node that was taken
};

}  // namespace onnx_hier

#endif  // ONNX_HIER_LIB_GRAPH_NODE_SPAN_H_
