// SPDX-License-Identifier: Apache-2.0
#include "lib/relate/growth.h"

#include <algorithm>
#include <vector>

#include "absl/strings/match.h"
#include "lib/graph/weight.h"

namespace onnx_hier {
namespace {

// As many nodes as one operator replaces in a row, or a quantiser puts in.
constexpr int kMostSteps = 4;
// Of a value that more nodes read, its readers are not told apart by their operators.
constexpr size_t kMostGrowthReaders = 16;

class PairGrower {
 public:
  explicit PairGrower(Pairing& pairing) : pairing_(pairing), from_(pairing.from), to_(pairing.to) {}

  void Grow() {
    StartAtOutputs();
    for (NodeId node : to_.node_ids()) {
      if (pairing_.Has(node)) open_.push_back(node);
    }
    while (!open_.empty()) {
      GrowAlike();
      PairReplaced();
    }
    PairDecomposed();
  }

 private:
  // Two nodes that stand in the same place and are not alike.
  struct Place {
    NodeId node;
    NodeId other;
  };

  void GrowAlike() {
    // Producers first: which of two alike readers is which, a name further on may tell.
    for (; !open_.empty(); Settle()) {
      while (!open_.empty()) {
        const NodeId node = open_.back();
        open_.pop_back();
        done_.push_back(node);
        GrowUp(node);
      }
    }
  }

  // One operator for several: what makes what is read in the same place, where nothing else does.
  void PairReplaced() {
    for (const Place& place : unlike_) {
      if (pairing_.Has(place.node) || pairing_.taken_by[place.other].valid()) continue;
      pairing_.Pair(place.node, place.other, Method::kTransferRegion);
      open_.push_back(place.node);
    }
    unlike_.clear();
  }

  // Several operators for one: what only nodes read that stand for it.
  void PairDecomposed() {
    for (size_t i = to_.node_count(); i-- > 0;) {
      const NodeId node(i);
      if (pairing_.Has(node) || IsMover(to_.op(node).type)) continue;
      // What a call gave to others is its own.
      const NodeId call = pairing_.calls[node];
      const NodeId whole = call.valid() ? call : OnlyWhole(node);
      if (whole.valid()) pairing_.Pair(node, whole, Method::kTransferRegion);
    }
  }

  // What all readers stand for, without being it; none: they differ, or nobody reads the node.
  NodeId OnlyWhole(NodeId node) const {
    NodeId whole;
    for (ValueId value : to_.outputs(node)) {
      if (!value.valid()) continue;
      for (const Use& use : to_.uses(value)) {
        const NodeId other = pairing_.counterparts[use.node];
        if (!other.valid() || pairing_.AreAlike(use.node, other)) return NodeId();
        if (whole.valid() && whole != other) return NodeId();
        whole = other;
      }
    }
    return whole;
  }

  void StartAtOutputs() {
    const auto outputs = to_.outputs(to_.main_block());
    const auto others = from_.outputs(from_.main_block());
    for (size_t i = 0; i < std::min(outputs.size(), others.size()); ++i) {
      if (!outputs[i].valid() || !others[i].valid()) continue;
      Join(to_.value(outputs[i]).producer, from_.value(others[i]).producer);
    }
  }

  // Down from all that was found, which may open more.
  void Settle() {
    std::vector<NodeId> found;
    found.swap(done_);
    for (NodeId node : found) GrowDown(node);
  }

  void GrowUp(NodeId node) {
    const NodeId other = pairing_.counterparts[node];
    size_t slots = std::min(to_.inputs(node).size(), from_.inputs(other).size());
    if (!pairing_.AreAlike(node, other)) {
      // A QLinearConv reads what the Conv read, and then others.
      const bool is_kept = absl::EndsWith(to_.op(node).type, from_.op(other).type);
      slots = is_kept ? std::min<size_t>(slots, 1) : 0;
    }
    for (size_t slot = 0; slot < slots; ++slot) {
      Join(MakerOf(to_, node, slot), MakerOf(from_, other, slot));
    }
  }

  // The two stand in the same place: they are a pair, or what is behind them on one side is.
  void Join(NodeId node, NodeId other) {
    for (int i = 0; i < kMostSteps && node.valid(); ++i) {
      if (TryPairAbove(node, other) || pairing_.Has(node)) return;
      if (!IsMover(to_.op(node).type)) {
        if (other.valid()) unlike_.push_back({node, other});
        return;
      }
      node = MakerOf(to_, node, 0);
    }
  }

  bool TryPairAbove(NodeId node, NodeId other) {
    for (int i = 0; i < kMostSteps && other.valid(); ++i) {
      if (TryPair(node, other)) return true;
      // What others read as well is not replaced.
      if (i > 0 && !HasOneReader(from_, other)) return false;
      other = MakerOf(from_, other, 0);
    }
    return false;
  }

  static bool HasOneReader(const Graph& graph, NodeId node) {
    const auto outputs = graph.outputs(node);
    return outputs.size() == 1 && outputs[0].valid() && graph.uses(outputs[0]).size() == 1;
  }

  bool TryPair(NodeId node, NodeId other) {
    if (!node.valid() || !other.valid() || pairing_.Has(node) || pairing_.taken_by[other].valid() ||
        !pairing_.AreAlike(node, other)) {
      return false;
    }
    pairing_.Pair(node, other, Method::kTransferRegion);
    open_.push_back(node);
    return true;
  }

  // A reader that is the only one of its operator on both sides.
  void GrowDown(NodeId node) {
    const NodeId other = pairing_.counterparts[node];
    const auto outputs = to_.outputs(node);
    const auto others = from_.outputs(other);
    if (!pairing_.AreAlike(node, other) || outputs.size() != others.size()) return;
    for (size_t i = 0; i < outputs.size(); ++i) {
      if (outputs[i].valid() && others[i].valid()) PairReaders(outputs[i], others[i]);
    }
  }

  void PairReaders(ValueId value, ValueId other) {
    if (to_.uses(value).size() > kMostGrowthReaders ||
        from_.uses(other).size() > kMostGrowthReaders)
      return;
    for (const Use& use : to_.uses(value)) {
      if (pairing_.Has(use.node)) continue;
      const absl::string_view op = to_.op(use.node).type;
      const NodeId only = OnlyReader(to_, value, op);
      if (only == use.node) TryPair(only, OnlyReader(from_, other, op));
    }
  }

  static NodeId OnlyReader(const Graph& graph, ValueId value, absl::string_view op) {
    NodeId only;
    for (const Use& use : graph.uses(value)) {
      if (graph.op(use.node).type != op || use.node == only) continue;
      if (only.valid()) return NodeId();
      only = use.node;
    }
    return only;
  }

  Pairing& pairing_;
  const Graph& from_;
  const Graph& to_;
  std::vector<NodeId> open_;  // pairs whose makers are to be looked at
  std::vector<NodeId> done_;  // ... and whose readers are
  std::vector<Place> unlike_;
};

}  // namespace

void GrowPairs(Pairing& pairing) { PairGrower(pairing).Grow(); }

}  // namespace onnx_hier
