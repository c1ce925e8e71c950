#include "lib/compare/neighbours.h"

#include <algorithm>
#include <vector>

namespace onnx_hier {
namespace {

constexpr float kBetween = 0.9f;  // neighbours on both sides
constexpr float kReadersOnly = 0.75f;
// Exporters merge equal constants: the one that is left may be read from another layer only. It
// then does not stand right before its reader.
constexpr float kMergedConstant = 0.7f;
constexpr uint32_t kRightBefore = 2;  // nodes
constexpr uint32_t kLookThrough = 3;  // edges
// Enough to see that neighbours disagree; a value may have any number of readers.
constexpr size_t kMostNeighbours = 64;
// Edges that are followed to find them: many may lead to the same node. Few nodes have as many.
constexpr size_t kMostEdges = 256;

struct Neighbour {
  PathId tag;
  bool is_constant = false;
  bool is_next = false;  // nothing is between
};
using Neighbours = std::vector<Neighbour>;

// Finds the neighbours of one node after the other.
class Lookout {
 public:
  explicit Lookout(const TagAudit& audit) : audit_(audit), seen_in_(audit.graph.node_count(), 0) {}

  // Those that the node reads from (`upstream`), or feeds, in the order in which they are met.
  const Neighbours& Look(NodeId start, bool upstream) {
    neighbours_.clear();
    queue_.assign(1, {start, 0});
    seen_in_[start] = ++look_;
    seen_ = 1;
    edges_ = 0;
    for (size_t i = 0; i < queue_.size() && seen_ < kMostNeighbours; ++i) {
      const Item item = queue_[i];
      if (upstream) {
        VisitProducers(item);
      } else {
        VisitReaders(item);
      }
    }
    return neighbours_;
  }

 private:
  struct Item {
    NodeId node;
    uint32_t distance = 0;
  };

  void VisitProducers(const Item& item) {
    for (ValueId value : audit_.graph.inputs(item.node)) {
      if (++edges_ > kMostEdges) return;
      if (value.valid()) Visit(audit_.graph.value(value).producer, item.distance);
    }
  }

  void VisitReaders(const Item& item) {
    for (ValueId value : audit_.graph.outputs(item.node)) {
      if (++edges_ > kMostEdges) return;
      if (!value.valid()) continue;
      for (const Use& use : audit_.graph.uses(value)) {
        if (seen_ >= kMostNeighbours || ++edges_ > kMostEdges) return;
        Visit(use.node, item.distance);
      }
    }
  }

  void Visit(NodeId node, uint32_t distance) {
    if (!node.valid() || seen_in_[node] == look_) return;
    seen_in_[node] = look_;
    ++seen_;
    const PathId tag = audit_.tags[node];
    // Constants go with their readers: they say nothing of where those are.
    neighbours_.push_back({tag, audit_.graph.inputs(node).empty(), distance == 0});
    if (!tag.valid() && distance + 1 < kLookThrough) queue_.push_back({node, distance + 1});
  }

  const TagAudit& audit_;
  Neighbours neighbours_;
  std::vector<Item> queue_;
  IdVector<NodeId, uint32_t> seen_in_;  // the number of the look that met the node last
  uint32_t look_ = 0;
  size_t seen_ = 0;  // in this look, as the next
  size_t edges_ = 0;
};

struct Around {
  std::vector<PathId> layers;  // of neighbours in the list, one each
  bool outside = false;        // a producer that is no constant is not in the list
};

Around InList(const Neighbours& neighbours, ListId list, const LayerLists& layers) {
  Around around;
  for (const Neighbour& neighbour : neighbours) {
    if (neighbour.is_constant) continue;
    const PathId layer = layers.LayerOf(neighbour.tag, list);
    if (layer.valid()) {
      around.layers.push_back(layer);
    } else if (neighbour.is_next) {
      around.outside = true;
    }
  }
  return around;
}

bool AllSame(const std::vector<PathId>& layers, PathId layer) {
  return std::all_of(layers.begin(), layers.end(), [layer](PathId x) { return x == layer; });
}

// Whether the node is made from a value of the network and not from weights alone.
bool ReadsValues(const Graph& graph, NodeId node) {
  const absl::Span<const ValueId> inputs = graph.inputs(node);
  return std::any_of(inputs.begin(), inputs.end(), [&](ValueId value) {
    return value.valid() && graph.value(value).kind != ValueKind::kInitializer;
  });
}

// Whether it is a constant that no node right behind it reads.
bool IsMerged(const Graph& graph, NodeId node) {
  if (!graph.inputs(node).empty()) return false;
  for (ValueId value : graph.outputs(node)) {
    if (!value.valid() || graph.uses(value).empty()) continue;
    const NodeId reader = graph.uses(value)[0].node;
    if (node < reader && reader.index() - node.index() <= kRightBefore) return false;
  }
  return true;
}

class NeighbourWitness {
 public:
  NeighbourWitness(const TagAudit& audit, const ModulePaths& paths)
      : audit_(audit), paths_(paths), lookout_(audit) {}

  void AskAbout(NodeId node, std::vector<Suggestion>& suggestions) {
    const Neighbours& readers = lookout_.Look(node, false);
    const PathId layer = LayerInDoubt(node, readers);
    if (!layer.valid()) return;
    const ListId list = audit_.layers.place(layer).list;
    const Around after = InList(readers, list, audit_.layers);
    if (after.layers.empty()) return;
    const PathId other = after.layers[0];
    const Around before = InList(lookout_.Look(node, true), list, audit_.layers);
    if (!AllSame(after.layers, other) || !AllSame(before.layers, other)) return;
    if (before.layers.empty()) {
      if (before.outside) return;
      if (after.layers.size() < 2 && ReadsValues(audit_.graph, node)) return;
    }
    Suggestion suggestion;
    suggestion.node = node;
    suggestion.witness = TagWitness::kNeighbours;
    suggestion.confidence = !before.layers.empty()         ? kBetween
                            : IsMerged(audit_.graph, node) ? kMergedConstant
                                                           : kReadersOnly;
    suggestion.expected = audit_.layers.Transplant(other, audit_.tags[node], paths_.depth(layer));
    suggestions.push_back(suggestion);
  }

 private:
  // The one layer of the tag's that readers can speak against. A reader that is in a layer with the
  // node speaks for that layer and all around it; where the two part, it is in another layer of
  // the list, if in any; and of what is further in it says nothing.
  PathId LayerInDoubt(NodeId node, const Neighbours& readers) const {
    const PathId tag = audit_.tags[node];
    uint32_t shared = 0;
    bool any = false;
    for (const Neighbour& reader : readers) {
      if (reader.is_constant || !reader.tag.valid()) continue;
      shared = std::max(shared, paths_.depth(paths_.CommonAncestor(tag, reader.tag)));
      any = true;
    }
    if (!any || paths_.depth(tag) <= shared) return PathId();
    const PathId layer = paths_.AncestorAtDepth(tag, shared + 1);
    return audit_.layers.place(layer).list.valid() ? layer : PathId();
  }

  const TagAudit& audit_;
  const ModulePaths& paths_;
  Lookout lookout_;
};

}  // namespace

void AskNeighbours(const TagAudit& audit, const ModulePaths& paths, const IdSet<NodeId>& settled,
                   std::vector<Suggestion>& suggestions) {
  NeighbourWitness witness(audit, paths);
  for (NodeId node : audit.graph.node_ids()) {
    if (!settled.Has(node) && audit.tags[node].valid()) witness.AskAbout(node, suggestions);
  }
}

}  // namespace onnx_hier
