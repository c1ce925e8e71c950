// SPDX-License-Identifier: Apache-2.0

// Who feeds whom, by the ranks of the nodes: their numbers in an order in which producers come
// first.
//
//   const Flow flow(graph);
//   for (const Edge& edge : flow.producers(rank)) ...   // edge.rank < rank
//
// A rank is a node's number in that order: its index in the file, or, where the file breaks the
// rule that a value is made before it is read, or was put into an order that no exporter writes, a
// place in a depth-first order. What still runs backwards (a cycle) is no edge. Linear in nodes and
// edges.
#ifndef ONNX_HIER_LIB_GRAPH_FLOW_H_
#define ONNX_HIER_LIB_GRAPH_FLOW_H_

#include <cstdint>
#include <vector>

#include "absl/types/span.h"
#include "onnx_hier/graph.h"
#include "onnx_hier/ids.h"

namespace onnx_hier {

// A node's number in an order in which producers come first: an id with the arithmetic of
// positions, for ranks differ by numbers of nodes. One that is not valid is nowhere, and behind all
// others.
using Rank = Id<struct RankTag>;

constexpr bool operator>(Rank a, Rank b) { return b < a; }
constexpr bool operator<=(Rank a, Rank b) { return !(b < a); }
constexpr bool operator>=(Rank a, Rank b) { return !(a < b); }

constexpr Rank operator+(Rank rank, uint32_t nodes) { return Rank(rank.index() + nodes); }
// From the second to the first, which is not before it.
constexpr uint32_t operator-(Rank a, Rank b) { return a.index() - b.index(); }
constexpr Rank& operator++(Rank& rank) { return rank = Rank(rank.index() + 1); }
constexpr Rank& operator--(Rank& rank) { return rank = Rank(rank.index() - 1); }

class Flow {
 public:
  // One reading of a value: by input `slot`; `rank` is the other end.
  struct Edge {
    Rank rank;
    uint32_t slot = 0;
  };

  explicit Flow(const Graph& graph);

  const Graph& graph() const { return graph_; }
  size_t size() const { return nodes_.size(); }
  IdRange<Rank> ranks() const { return IdRange<Rank>(nodes_.size()); }
  size_t edge_count() const { return producers_.items().size(); }
  NodeId node(Rank rank) const { return nodes_[rank]; }
  Rank rank(NodeId node) const { return ranks_[node]; }

  // Whether the nodes stand in the order that their names tell, and the file has them in another.
  bool is_restored() const { return is_restored_; }

  // In slot order.
  absl::Span<const Edge> producers(Rank rank) const { return producers_.of(rank); }
  // In order of their ranks.
  absl::Span<const Edge> consumers(Rank rank) const { return consumers_.of(rank); }

  // Whether the node computes from parameters and constants alone.
  bool is_constant(Rank rank) const { return constants_.Has(rank); }
  // Whether the node reads an input of its graph.
  bool reads_input(Rank rank) const { return input_readers_.Has(rank); }
  // Number of constant nodes before `rank`.
  uint32_t constants_before(Rank rank) const { return constants_before_[rank]; }

 private:
  // And which nodes are constants. False: some node reads what comes after it.
  bool ListProducers();
  void ListConsumers();
  void Reorder(IdVector<Rank, NodeId> nodes);
  // Puts nodes in the order that their names tell, if they are in another. Whether it did.
  bool RestoreNumbered();
  void UndoScattering();
  uint64_t ScatteringIn(const IdVector<Rank, NodeId>& nodes) const;

  const Graph& graph_;
  bool is_restored_ = false;
  IdVector<Rank, NodeId> nodes_;
  IdVector<NodeId, Rank> ranks_;
  Grouped<Rank, Edge> producers_;
  Grouped<Rank, Edge> consumers_;
  IdSet<Rank> constants_;
  IdSet<Rank> input_readers_;
  IdVector<Rank, uint32_t> constants_before_;  // likewise
};

}  // namespace onnx_hier

#endif  // ONNX_HIER_LIB_GRAPH_FLOW_H_
