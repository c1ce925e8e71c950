// SPDX-License-Identifier: Apache-2.0

// The nodes of one graph as units of work: each with the graphs inside it, as one thing that reads
// values and makes others.
//
//   const Units units(graph, graph.main_block());
//   for (Unit unit : units.ids()) {
//     for (ValueId value : units.reads(unit)) ...   // what an If's branches take from outside, too
//   }
//
// Units stand in an order in which makers come first: that of the file, unless it breaks the rule.
// Linear in nodes and edges.
#ifndef ONNX_HIER_LIB_PARTS_UNITS_H_
#define ONNX_HIER_LIB_PARTS_UNITS_H_

#include "absl/types/span.h"
#include "lib/parts/function_calls.h"
#include "onnx_hier/graph.h"
#include "onnx_hier/ids.h"

namespace onnx_hier {

using Unit = Id<struct UnitTag>;

class Units {
 public:
  // `graph` must outlive this. `given`: of a function's body, weights that its inputs are given.
  Units(const Graph& graph, BlockId block, GivenTensors given = {});

  const Graph& graph() const { return graph_; }
  BlockId block() const { return block_; }
  size_t size() const { return nodes_.size(); }
  IdRange<Unit> ids() const { return IdRange<Unit>(nodes_.size()); }
  NodeId node(Unit unit) const { return nodes_[unit]; }
  // The one that the node is, or that holds it; none: it is in another graph.
  Unit unit(NodeId node) const { return units_[node]; }

  // Values from outside of it, in order of first reading, each once.
  absl::Span<const ValueId> reads(Unit unit) const { return reads_.of(unit); }
  // Ids that are not valid are outputs that were left out.
  absl::Span<const ValueId> makes(Unit unit) const { return graph_.outputs(nodes_[unit]); }
  // None: it is not made in this graph.
  Unit maker(ValueId value) const { return makers_[value]; }
  // In their order.
  absl::Span<const Unit> readers(ValueId value) const { return readers_.of(value); }
  // Whether the graph gives the value out.
  bool is_output(ValueId value) const { return outputs_.Has(value); }
  // That the value has as a parameter; none: it has none.
  TensorId tensor(ValueId value) const {
    const TensorId own = graph_.value(value).tensor;
    if (own.valid() || given_.empty()) return own;
    const auto given = given_.find(value);
    return given == given_.end() ? own : given->second;
  }

 private:
  void FindUnits();
  bool IsSorted() const;
  void Sort();
  void ListReadings();
  void ListReaders();

  const Graph& graph_;
  const BlockId block_;
  const GivenTensors given_;
  IdVector<Unit, NodeId> nodes_;
  IdVector<NodeId, Unit> units_;
  Grouped<Unit, ValueId> reads_;
  Grouped<ValueId, Unit> readers_;
  IdVector<ValueId, Unit> makers_;
  IdSet<ValueId> outputs_;
};

}  // namespace onnx_hier

#endif  // ONNX_HIER_LIB_PARTS_UNITS_H_
