// Who feeds whom, seen from the places of the nodes in an order in which producers come first.
//
//   const Flow flow(graph);
//   for (const Edge& edge : flow.producers(7)) ...   // edge.place < 7
//
// A place is a node's number in that order: its index in the file, or where the file breaks the
// rule that a value is made before it is read, a place in a topological order. What still runs
// backwards (a cycle) is no edge. Linear in nodes and edges.
#ifndef ONNX_HIER_LIB_GRAPH_FLOW_H_
#define ONNX_HIER_LIB_GRAPH_FLOW_H_

#include <cstdint>
#include <vector>

#include "absl/types/span.h"
#include "onnx_hier/graph.h"
#include "onnx_hier/ids.h"

namespace onnx_hier {

using Place = uint32_t;
constexpr Place kNowhere = 0xFFFFFFFFu;

class Flow {
 public:
  // One reading of a value: by input `slot`; `place` is the other end.
  struct Edge {
    Place place = 0;
    uint32_t slot = 0;
  };

  explicit Flow(const Graph& graph);

  const Graph& graph() const { return graph_; }
  Place size() const { return static_cast<Place>(nodes_.size()); }
  size_t edge_count() const { return producers_.items.size(); }
  NodeId node(Place place) const { return nodes_[place]; }
  Place place(NodeId node) const { return places_[node]; }

  // In slot order.
  absl::Span<const Edge> producers(Place place) const { return producers_.of(place); }
  // In order of their places.
  absl::Span<const Edge> consumers(Place place) const { return consumers_.of(place); }

  // Whether the node computes from parameters and constants alone.
  bool is_constant(Place place) const { return constant_[place]; }
  // Number of constant nodes before `place`.
  uint32_t constants_before(Place place) const { return constants_before_[place]; }

 private:
  struct Edges {
    std::vector<uint32_t> begin;
    std::vector<Edge> items;
    absl::Span<const Edge> of(Place place) const {
      return absl::MakeConstSpan(items).subspan(begin[place], begin[place + 1] - begin[place]);
    }
  };

  void OrderNodes();
  void ListProducers();
  void ListConsumers();
  void FindConstants();

  const Graph& graph_;
  std::vector<NodeId> nodes_;
  IdVector<NodeId, Place> places_;
  Edges producers_;
  Edges consumers_;
  std::vector<bool> constant_;
  std::vector<uint32_t> constants_before_;
};

}  // namespace onnx_hier

#endif  // ONNX_HIER_LIB_GRAPH_FLOW_H_
