// SPDX-License-Identifier: Apache-2.0

// Some nodes of a graph, as a graph of their own.
#ifndef ONNX_HIER_LIB_GRAPH_GRAPH_PART_H_
#define ONNX_HIER_LIB_GRAPH_GRAPH_PART_H_

#include "onnx_hier/graph.h"
#include "onnx_hier/ids.h"

namespace onnx_hier {

class GraphPart {
 public:
  // The nodes for which `nodes` holds, those inside of a node with it; of functions and training
  // graphs all of their nodes or none. What the part reads of others is an input of its main graph,
  // what others read of it an output. It has the parameters that it reads, and those of `unread`
  // that nobody does. `whole` is only read here; its texts must outlive this.
  GraphPart(const Graph& whole, const IdSet<NodeId>& nodes, const IdSet<ValueId>& unread);

  const Graph& graph() const { return graph_; }
  // What stands for it in the whole.
  NodeId InWhole(NodeId id) const { return nodes_[id]; }
  ValueId InWhole(ValueId id) const { return values_[id]; }
  TensorId InWhole(TensorId id) const { return tensors_[id]; }
  // What stands for it here; or none.
  NodeId InPart(NodeId id) const { return parts_[id]; }

 private:
  friend class GraphPartMaker;

  Graph graph_;
  IdVector<NodeId, NodeId> nodes_;
  IdVector<ValueId, ValueId> values_;
  IdVector<TensorId, TensorId> tensors_;
  IdVector<NodeId, NodeId> parts_;
};

}  // namespace onnx_hier

#endif  // ONNX_HIER_LIB_GRAPH_GRAPH_PART_H_
