// A node of which all neighbours are in one other layer of its list. Neighbours without a tag are
// looked through; neighbours outside the list count for nothing, but a node that is fed from
// there alone stands at the list's border, where nothing can be said.
#include <algorithm>
#include <vector>

#include "absl/container/flat_hash_set.h"
#include "lib/contamination/judgement.h"

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

struct Around {
  std::vector<PathId> layers;  // of neighbours in the list, one each
  bool outside = false;        // a producer that is no constant has a tag outside the list
};

class Neighbourhood {
 public:
  Neighbourhood(const Trial& trial, ListId list) : trial_(trial), list_(list) {}

  Around Look(NodeId start, bool upstream) {
    Around around;
    queue_.assign(1, {start, 0});
    seen_.clear();
    seen_.insert(start);
    for (size_t i = 0; i < queue_.size() && seen_.size() < kMostNeighbours; ++i) {
      const Item item = queue_[i];
      if (upstream) {
        for (ValueId value : trial_.graph.inputs(item.node)) {
          if (value.valid()) Visit(trial_.graph.value(value).producer, item.distance, &around);
        }
        continue;
      }
      for (ValueId value : trial_.graph.outputs(item.node)) {
        if (!value.valid()) continue;
        for (const Use& use : trial_.graph.uses(value)) {
          if (seen_.size() >= kMostNeighbours) break;
          Visit(use.node, item.distance, &around);
        }
      }
    }
    return around;
  }

 private:
  struct Item {
    NodeId node;
    uint32_t distance = 0;
  };

  void Visit(NodeId node, uint32_t distance, Around* around) {
    if (!node.valid() || !seen_.insert(node).second) return;
    const PathId tag = trial_.tags[node];
    // Constants go with their readers: they say nothing of where those are.
    const bool constant = trial_.graph.inputs(node).empty();
    const PathId layer = trial_.siblings.LayerOf(tag, list_);
    if (layer.valid()) {
      if (!constant) around->layers.push_back(layer);
    } else if (!tag.valid() && distance + 1 < kLookThrough) {
      queue_.push_back({node, distance + 1});
    }
    if (distance == 0 && !layer.valid() && !constant) around->outside = true;
  }

  const Trial& trial_;
  const ListId list_;
  std::vector<Item> queue_;
  absl::flat_hash_set<NodeId> seen_;
};

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

void AskAbout(const Trial& trial, const ModulePaths& paths, NodeId node, ListId list, PathId layer,
              std::vector<Proposal>& proposals) {
  Neighbourhood neighbourhood(trial, list);
  const Around before = neighbourhood.Look(node, true);
  const Around after = neighbourhood.Look(node, false);
  if (after.layers.empty()) return;
  const PathId other = after.layers[0];
  if (other == layer || !AllSame(after.layers, other) || !AllSame(before.layers, other)) return;
  if (before.layers.empty()) {
    if (before.outside) return;
    if (after.layers.size() < 2 && ReadsValues(trial.graph, node)) return;
  }
  Proposal proposal;
  proposal.node = node;
  proposal.witness = TagWitness::kNeighbours;
  proposal.confidence = !before.layers.empty()        ? kBetween
                        : IsMerged(trial.graph, node) ? kMergedConstant
                                                      : kReadersOnly;
  proposal.expected = trial.siblings.Transplant(other, trial.tags[node], paths.depth(layer));
  proposals.push_back(proposal);
}

}  // namespace

void AskNeighbours(const Trial& trial, const ModulePaths& paths,
                   const IdVector<NodeId, char>& settled, std::vector<Proposal>& proposals) {
  for (NodeId node : trial.graph.node_ids()) {
    if (settled[node] != 0) continue;
    for (PathId path = trial.tags[node]; path.valid(); path = paths.parent(path)) {
      const ListId list = trial.siblings.place(path).list;
      if (list.valid()) AskAbout(trial, paths, node, list, path, proposals);
    }
  }
}

}  // namespace onnx_hier
