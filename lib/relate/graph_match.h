// SPDX-License-Identifier: Apache-2.0

// Two graphs of which one was made from the other, by an optimiser, a quantiser or a converter:
// what each node of the new one stands for in the old one.
//
//   from  /fc/MatMul -> /fc/Add -> /act/Relu       to  "fused /fc/Gemm" makes /act/Relu_output_0
//
//   matches.region(gemm).front()    its counterpart: /act/Relu, which made the value
//   matches.main_of(gemm)           /fc/MatMul, with the weight
//
// Nodes are matched by the values that they make, by names, by the parameters that they read, then
// by where they stand. Linear in nodes and edges.
#ifndef ONNX_HIER_LIB_RELATE_GRAPH_MATCH_H_
#define ONNX_HIER_LIB_RELATE_GRAPH_MATCH_H_

#include <cstdint>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/types/span.h"
#include "lib/graph/tensor_values.h"
#include "lib/relate/pairing.h"
#include "onnx_hier/graph.h"
#include "onnx_hier/ids.h"

namespace onnx_hier {

struct NodeMatch {
  Method by = Method::kNone;  // what showed it, as in Pairing
  // What it stands for above all is a call of a function, of whose body it is one node.
  bool in_call = false;
  Range mains;   // in GraphMatch::mains; empty: it has no counterpart
  Range region;  // in GraphMatch::regions: all that it stands for, its counterpart first
};

struct GraphMatch {
  IdVector<NodeId, NodeMatch> nodes;  // of the new graph
  std::vector<NodeId> regions;        // of the old one
  std::vector<NodeId> mains;          // likewise
  // How much of the new graph agrees with the old one: see agreement.h.
  uint64_t compared = 0;
  uint64_t agreed = 0;

  absl::Span<const NodeId> region(NodeId node) const {
    const Range range = nodes[node].region;
    return absl::MakeConstSpan(regions).subspan(range.begin, range.size());
  }
  // What it stands for above all: those with a weight, if there are any, else its counterpart.
  absl::Span<const NodeId> mains_of(NodeId node) const {
    const Range range = nodes[node].mains;
    return absl::MakeConstSpan(mains).subspan(range.begin, range.size());
  }
  // The first of these; none: it has no counterpart.
  NodeId main_of(NodeId node) const {
    return nodes[node].mains.size() == 0 ? NodeId() : mains_of(node).front();
  }
};

absl::StatusOr<GraphMatch> MatchGraphs(const Graph& from, TensorValues& from_values,
                                       const Graph& to, TensorValues& to_values);

}  // namespace onnx_hier

#endif  // ONNX_HIER_LIB_RELATE_GRAPH_MATCH_H_
