// SPDX-License-Identifier: Apache-2.0

// Nodes of one graph and their counterparts in the one that it was made from, as they are found.
#ifndef ONNX_HIER_LIB_RELATE_PAIRING_H_
#define ONNX_HIER_LIB_RELATE_PAIRING_H_

#include "onnx_hier/annotation.h"
#include "onnx_hier/graph.h"
#include "onnx_hier/ids.h"

namespace onnx_hier {

// `to` was made from `from`.
struct Pairing {
  Pairing(const Graph& from_graph, const Graph& to_graph)
      : from(from_graph),
        to(to_graph),
        counterparts(to_graph.node_count()),
        by(to_graph.node_count(), Method::kNone),
        taken_by(from_graph.node_count()),
        calls(to_graph.node_count()) {}

  // What made the node's value; several nodes may stand for one, the first is remembered.
  void Pair(NodeId node, NodeId counterpart, Method how) {
    counterparts[node] = counterpart;
    by[node] = how;
    if (!taken_by[counterpart].valid()) taken_by[counterpart] = node;
  }
  bool Has(NodeId node) const { return counterparts[node].valid(); }
  bool AreAlike(NodeId node, NodeId other) const { return to.op(node).type == from.op(other).type; }

  const Graph& from;
  const Graph& to;
  IdVector<NodeId, NodeId> counterparts;  // of nodes of `to`
  IdVector<NodeId, Method> by;  // what showed it: kTransferValue and so on; kNone: it has none
  IdVector<NodeId, NodeId> taken_by;  // of nodes of `from`: whose counterpart it is; or none
  // By nodes of `to`: the call in `from` that made its value, of a function whose body was put in.
  IdVector<NodeId, NodeId> calls;
};

// The node that makes the value of an input slot; none where there is none.
inline NodeId MakerOf(const Graph& graph, NodeId node, size_t slot) {
  const auto inputs = graph.inputs(node);
  if (slot >= inputs.size() || !inputs[slot].valid()) return NodeId();
  return graph.value(inputs[slot]).producer;
}

}  // namespace onnx_hier

#endif  // ONNX_HIER_LIB_RELATE_PAIRING_H_
