// SPDX-License-Identifier: Apache-2.0
#include "lib/audit/chains.h"

#include <algorithm>

#include "absl/container/flat_hash_map.h"
#include "lib/audit/counterparts.h"
#include "lib/audit/thresholds.h"

namespace onnx_hier {
namespace {

constexpr int32_t kOutside = -1;
// A chain in which one tag speaks against one other is decided by the nodes beside it; how many
// of these are looked at on either side.
constexpr uint32_t kBeside = 24;
constexpr float kTieConfidence = 0.85f;
constexpr float kLooseTieConfidence = 0.5f;
// Members of a chain that must agree on the module inside their layers.
constexpr size_t kLeastPeers = 3;
constexpr double kPeerShare = 0.75;

// Where a chain belongs: its member `i` is in layer `offset` + i.
struct Phase {
  int32_t offset = 0;
  size_t votes = 0;
  size_t members = 0;  // with a tag in the list
  bool decided = false;
};

class ChainWitness {
 public:
  // `implied` is kOutside for every node, and is so again in the end.
  ChainWitness(const TagAudit& audit, const ModulePaths& paths, const IdSet<NodeId>& settled,
               const Segmentation& cut, ListId list, IdVector<NodeId, int32_t>& implied,
               std::vector<Suggestion>& suggestions)
      : audit_(audit),
        paths_(paths),
        settled_(settled),
        cut_(cut),
        list_(list),
        implied_(implied),
        suggestions_(suggestions) {
    ranks_.assign(audit.layers.list(list).layers.size(), kOutside);
    for (size_t i = 0; i < cut.order.size(); ++i) {
      ranks_[audit.layers.place(cut.order[i]).index] = static_cast<int32_t>(i);
    }
  }

  void Hear(const std::vector<std::vector<NodeId>>& chains) {
    std::vector<Phase> phases;
    for (const std::vector<NodeId>& chain : chains) {
      phases.push_back(FindPhase(chain));
      const Phase& phase = phases.back();
      if (!phase.decided || phase.votes < phase.members) continue;
      for (size_t i = 0; i < chain.size(); ++i) {
        implied_[chain[i]] = phase.offset + static_cast<int32_t>(i);
      }
    }
    for (size_t i = 0; i < chains.size(); ++i) {
      if (phases[i].decided && AnyOpen(chains[i])) AskAbout(chains[i], phases[i]);
    }
    for (const std::vector<NodeId>& chain : chains) {
      for (NodeId node : chain) implied_[node] = kOutside;
    }
  }

 private:
  bool AnyOpen(const std::vector<NodeId>& chain) const {
    return std::any_of(chain.begin(), chain.end(),
                       [this](NodeId node) { return !settled_.Has(node); });
  }

  // The place of the node's layer among those that run, by its tag.
  int32_t RankOf(NodeId node) { return PlaceOf(audit_.tags[node]).rank; }

  // Many nodes have the same tag.
  struct TagPlace {
    int32_t rank = kOutside;
    PathId inside;  // the tag as it would be in the first layer; only where it is in some layer
  };
  TagPlace PlaceOf(PathId tag) {
    const auto [entry, added] = places_.try_emplace(tag);
    if (added) {
      const PathId layer = audit_.layers.LayerOf(tag, list_);
      if (layer.valid()) {
        entry->second.rank = ranks_[audit_.layers.place(layer).index];
        entry->second.inside =
            audit_.layers.Transplant(cut_.order[0], tag, paths_.depth(cut_.order[0]));
      }
    }
    return entry->second;
  }

  Phase FindPhase(const std::vector<NodeId>& chain) {
    std::vector<int32_t> offsets;
    int32_t first = 0;  // of the members with a tag in the list; and the last
    int32_t last = 0;
    for (size_t i = 0; i < chain.size(); ++i) {
      const int32_t rank = RankOf(chain[i]);
      if (rank == kOutside) continue;
      last = static_cast<int32_t>(i);
      if (offsets.empty()) first = last;
      offsets.push_back(rank - last);
    }
    // An offset that would put a member before the first layer or after the last is none.
    const auto fits = [&](int32_t offset) {
      return offset + first >= 0 && offset + last < static_cast<int32_t>(cut_.order.size());
    };
    std::sort(offsets.begin(), offsets.end());
    Phase best;
    bool tie = false;
    for (size_t i = 0; i < offsets.size();) {
      size_t end = i;
      while (end < offsets.size() && offsets[end] == offsets[i]) ++end;
      if (fits(offsets[i]) && end - i >= best.votes) {
        tie = end - i == best.votes;
        best.offset = offsets[i];
        best.votes = end - i;
      }
      i = end;
    }
    best.members = offsets.size();
    const bool visits_all = best.members == cut_.order.size();
    best.decided = best.votes > 0 && !tie && (2 * best.votes >= best.members || visits_all);
    return best;
  }

  // Whether the nodes around are known to be in layer `rank`.
  bool StandsIn(NodeId node, int32_t rank) const {
    const uint32_t at = node.index();
    const auto end = static_cast<uint32_t>(implied_.size());
    for (uint32_t i = 1; i <= kBeside && i <= at; ++i) {
      const int32_t known = implied_[NodeId(at - i)];
      if (known == kOutside) continue;
      if (known == rank) return true;
      break;
    }
    for (uint32_t i = 1; i <= kBeside && at + i < end; ++i) {
      const int32_t known = implied_[NodeId(at + i)];
      if (known == kOutside) continue;
      return known == rank;
    }
    return false;
  }

  // Whether the node is inside its layer where `expected` is in `layer`, as far as its tag says.
  bool SameInside(NodeId node, PathId layer, PathId expected) const {
    const PathId own = audit_.layers.Transplant(layer, audit_.tags[node], paths_.depth(layer));
    return own == expected || (own != layer && paths_.Contains(own, expected));
  }

  // `same_inside`: its place inside its layer is that of its counterparts.
  float ConfidenceIn(const Phase& phase, NodeId node, int32_t rank, bool same_inside) const {
    if (2 * phase.votes > phase.members && phase.votes > 1) {
      return 0.6f + 0.35f * static_cast<float>(phase.votes) / static_cast<float>(phase.members);
    }
    const bool tie = 2 * phase.votes >= phase.members;
    return (tie || same_inside) && StandsIn(node, rank) ? kTieConfidence : kLooseTieConfidence;
  }

  // The member whose place inside its layer most of the members in the right layer share.
  NodeId TypicalMember(const std::vector<NodeId>& chain, const Phase& phase, size_t* peers,
                       size_t* share) {
    std::vector<std::pair<PathId, NodeId>> insides;
    *peers = 0;
    *share = 0;
    for (size_t i = 0; i < chain.size(); ++i) {
      const TagPlace place = PlaceOf(audit_.tags[chain[i]]);
      if (place.rank == kOutside || place.rank != phase.offset + static_cast<int32_t>(i)) continue;
      insides.emplace_back(place.inside, chain[i]);
    }
    std::sort(insides.begin(), insides.end());
    *peers = insides.size();
    NodeId typical;
    for (size_t i = 0; i < insides.size();) {
      size_t end = i;
      while (end < insides.size() && insides[end].first == insides[i].first) ++end;
      if (end - i > *share) {
        *share = end - i;
        typical = insides[i].second;
      }
      i = end;
    }
    return typical;
  }

  void AskAbout(const std::vector<NodeId>& chain, const Phase& phase) {
    size_t peers = 0;
    size_t share = 0;
    const NodeId typical = TypicalMember(chain, phase, &peers, &share);
    for (size_t i = 0; i < chain.size(); ++i) {
      const int32_t tagged = RankOf(chain[i]);
      if (tagged == kOutside || settled_.Has(chain[i])) continue;
      const int32_t rank = phase.offset + static_cast<int32_t>(i);
      const PathId layer = cut_.order[static_cast<size_t>(rank)];
      const uint32_t depth = paths_.depth(layer);
      Suggestion suggestion;
      suggestion.node = chain[i];
      suggestion.witness = TagWitness::kTwin;
      suggestion.expected =
          audit_.layers.Transplant(layer, audit_.tags[typical.valid() ? typical : chain[i]], depth);
      if (tagged != rank) {
        suggestion.confidence =
            ConfidenceIn(phase, chain[i], rank, SameInside(chain[i], layer, suggestion.expected));
        suggestions_.push_back(suggestion);
      } else if (peers >= kLeastPeers && audit_.layers.exists(suggestion.expected) &&
                 static_cast<double>(share) >= kPeerShare * static_cast<double>(peers) &&
                 audit_.layers.Compare(suggestion.expected, audit_.tags[chain[i]]).relation ==
                     TagRelation::kCrossModule) {
        suggestion.kind = FindingKind::kCrossModule;
        suggestion.confidence = static_cast<float>(share) / static_cast<float>(peers);
        suggestions_.push_back(suggestion);
      }
    }
  }

  const TagAudit& audit_;
  const ModulePaths& paths_;
  const IdSet<NodeId>& settled_;
  const Segmentation& cut_;
  const ListId list_;
  IdVector<NodeId, int32_t>& implied_;  // the layer of nodes in chains that agree with themselves
  std::vector<Suggestion>& suggestions_;
  std::vector<int32_t> ranks_;  // by the layer's number in the list
  absl::flat_hash_map<PathId, TagPlace> places_;
};

}  // namespace

void AskChains(const TagAudit& audit, const ModulePaths& paths, const IdSet<NodeId>& settled,
               const std::vector<IdVector<NodeId, uint64_t>>& hashes,
               const IdVector<ListId, Segmentation>& cuts, std::vector<Suggestion>& suggestions) {
  Counterparts counterparts(hashes);
  IdVector<NodeId, int32_t> implied(audit.graph.node_count(), kOutside);
  for (ListId list : audit.layers.lists()) {
    const Segmentation& cut = cuts[list];
    if (cut.order.size() < 2 || cut.agreement < kLeastAgreement) continue;
    counterparts.Link(cut);
    ChainWitness(audit, paths, settled, cut, list, implied, suggestions)
        .Hear(counterparts.Chains());
  }
}

}  // namespace onnx_hier
