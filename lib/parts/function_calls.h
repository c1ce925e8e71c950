// SPDX-License-Identifier: Apache-2.0

// How the bodies of local functions come to run: the nodes that call them, from the main graph
// inwards.
//
//   main graph:  node 3 calls F, node 7 calls G        F: node 0 calls G
//   G runs twice: by way of nodes 3 and 0, and of node 7
#ifndef ONNX_HIER_LIB_PARTS_FUNCTION_CALLS_H_
#define ONNX_HIER_LIB_PARTS_FUNCTION_CALLS_H_

#include <cstdint>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "lib/graph/callees.h"
#include "onnx_hier/graph.h"
#include "onnx_hier/ids.h"

namespace onnx_hier {

// The weights that the inputs of a function are given, by these inputs.
using GivenTensors = absl::flat_hash_map<ValueId, TensorId>;

class FunctionCalls {
 public:
  static constexpr uint32_t kNever = 0xFFFFFFFFu;

  // `graph` must outlive this. Linear.
  explicit FunctionCalls(const Graph& graph);

  // The function that the node calls; none: it is an operator's.
  BlockId CalleeOf(NodeId node) const {
    return onnx_hier::CalleeOf(graph_.node(node).op, callees_);
  }
  // The main graph, training graph or function that the block is, or lies in.
  BlockId TopOf(BlockId block) const { return tops_[block]; }
  // Calls that lie in each other until the body runs, at least; 0: it is the main graph. kNever: it
  // does not run.
  uint32_t DepthOf(BlockId top) const { return depths_[top]; }
  // In how many ways; each node counts once, be it in a loop. At most kNever.
  uint32_t CountOf(BlockId function) const { return counts_[function]; }
  // The nodes that call in the `call`-th of these, in the order in which they run: the last one
  // calls the function. None of the main graph.
  std::vector<NodeId> WayTo(BlockId function, uint32_t call) const;
  // What the inputs of the last function on a way are given of the main graph's initializers, each
  // at most once.
  GivenTensors GivenOn(const std::vector<NodeId>& way) const;

 private:
  // Of nodes in it, graphs inside of these included; in order.
  const std::vector<NodeId>& CallsIn(BlockId top) const { return calls_[top]; }
  void SortInnerFirst();
  void CountWays();
  // By block: how often the function runs in each run of it.
  IdVector<BlockId, uint32_t> RunsOf(BlockId function) const;

  const Graph& graph_;
  IdVector<OpId, BlockId> callees_;
  IdVector<BlockId, BlockId> tops_;
  IdVector<BlockId, std::vector<NodeId>> calls_;
  IdVector<BlockId, uint32_t> depths_;
  IdVector<BlockId, uint32_t> counts_;
  std::vector<BlockId> inner_first_;  // blocks with calls: what is called before what calls it
};

}  // namespace onnx_hier

#endif  // ONNX_HIER_LIB_PARTS_FUNCTION_CALLS_H_
