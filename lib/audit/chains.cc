// SPDX-License-Identifier: Apache-2.0
#include "lib/audit/chains.h"

#include <algorithm>
#include <cstdint>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "lib/audit/longest_run.h"
#include "lib/audit/segments.h"
#include "lib/audit/thresholds.h"
#include "onnx_hier/ids.h"

namespace onnx_hier {
namespace {

// --- Which node of the next layer does what a node does in its own.

// Counterparts along one list, as links between nodes of adjacent layers.
class Counterparts {
 public:
  explicit Counterparts(const std::vector<IdVector<NodeId, uint64_t>>& hashes);

  // Links the layers of a list; links of the last list are dropped. Each two adjacent stretches
  // are matched at what is unique in both, and from there on in both directions as long as nodes
  // look alike: over the borders of the stretches too, as these may be cut wrongly. Stretches of
  // different lists may overlap: together they cost no more than a bounded number of nodes for each
  // node of the file; what is beyond is not linked.
  void Link(const Segmentation& cut);

  // Chains of counterparts, in the order of their first nodes.
  std::vector<std::vector<NodeId>> Chains() const;

 private:
  struct Stretch {
    uint32_t begin = 0;
    uint32_t end = 0;
    bool contains(uint32_t i) const { return begin <= i && i < end; }
  };
  struct Anchor {
    uint32_t first;
    uint32_t second;
  };

  void Clear();
  std::vector<Anchor> FindAnchors(Stretch first, Stretch second) const;
  void LinkStretches(Stretch first, Stretch second);
  bool TryLink(uint32_t first, uint32_t second);

  const std::vector<IdVector<NodeId, uint64_t>>& hashes_;
  IdVector<NodeId, NodeId> next_;
  IdVector<NodeId, NodeId> previous_;
  std::vector<NodeId> linked_;  // nodes with a link
  uint64_t budget_;             // nodes that may yet be looked at, in all lists together
};

// Each layer stands in two pairs, and lists are in lists: of some thousand real models none needs
// more than five.
constexpr uint64_t kLooksPerNode = 64;

Counterparts::Counterparts(const std::vector<IdVector<NodeId, uint64_t>>& hashes)
    : hashes_(hashes),
      next_(hashes[0].size()),
      previous_(hashes[0].size()),
      budget_(kLooksPerNode * hashes[0].size()) {}

void Counterparts::Clear() {
  for (NodeId node : linked_) next_[node] = previous_[node] = NodeId();
  linked_.clear();
}

void Counterparts::Link(const Segmentation& cut) {
  Clear();
  std::vector<Stretch> stretches(cut.order.size());
  for (size_t i = 0; i < cut.nodes.size(); ++i) {
    Stretch& stretch = stretches[cut.cut[i]];
    if (stretch.end == 0) stretch.begin = cut.nodes[i].index();
    stretch.end = cut.nodes[i].index() + 1;
  }
  for (size_t i = 0; i + 1 < stretches.size(); ++i) {
    if (stretches[i].end > 0 && stretches[i + 1].end > 0) {
      LinkStretches(stretches[i], stretches[i + 1]);
    }
  }
}

// What is unique in both, by the widest view in which there is anything.
std::vector<Counterparts::Anchor> Counterparts::FindAnchors(Stretch first, Stretch second) const {
  struct Seen {
    uint32_t in_first = 0;
    uint32_t in_second = 0;
    Anchor anchor = {0, 0};
  };
  for (size_t radius = hashes_.size(); radius-- > 0;) {
    const IdVector<NodeId, uint64_t>& hash = hashes_[radius];
    absl::flat_hash_map<uint64_t, Seen> seen;
    for (uint32_t i = first.begin; i < first.end; ++i) {
      Seen& entry = seen[hash[NodeId(i)]];
      ++entry.in_first;
      entry.anchor.first = i;
    }
    for (uint32_t i = second.begin; i < second.end; ++i) {
      Seen& entry = seen[hash[NodeId(i)]];
      ++entry.in_second;
      entry.anchor.second = i;
    }
    std::vector<Anchor> anchors;
    std::vector<uint32_t> seconds;
    for (uint32_t i = first.begin; i < first.end; ++i) {
      const Seen& entry = seen[hash[NodeId(i)]];
      if (entry.in_first != 1 || entry.in_second != 1) continue;
      anchors.push_back(entry.anchor);
      seconds.push_back(entry.anchor.second);
    }
    if (anchors.empty()) continue;
    const std::vector<char> in_run = LongestRun(seconds);
    std::vector<Anchor> ordered;
    for (size_t i = 0; i < anchors.size(); ++i) {
      if (in_run[i] != 0) ordered.push_back(anchors[i]);
    }
    return ordered;
  }
  return {};
}

bool Counterparts::TryLink(uint32_t first, uint32_t second) {
  const NodeId a(first);
  const NodeId b(second);
  if (next_[a].valid() || previous_[b].valid() || hashes_[0][a] != hashes_[0][b]) return false;
  next_[a] = b;
  previous_[b] = a;
  linked_.push_back(a);
  linked_.push_back(b);
  return true;
}

void Counterparts::LinkStretches(Stretch first, Stretch second) {
  const uint32_t looks = first.end - first.begin + second.end - second.begin;
  if (looks > budget_) return;
  budget_ -= looks;
  const std::vector<Anchor> anchors = FindAnchors(first, second);
  for (const Anchor& anchor : anchors) TryLink(anchor.first, anchor.second);
  const auto end = static_cast<uint32_t>(next_.size());
  const auto inside = [&](uint32_t a, uint32_t b) {
    return first.contains(a) || second.contains(b);
  };
  for (const Anchor& anchor : anchors) {
    for (uint32_t a = anchor.first + 1, b = anchor.second + 1; b < end && inside(a, b); ++a, ++b) {
      if (!TryLink(a, b)) break;
    }
    for (uint32_t a = anchor.first, b = anchor.second; a > 0 && inside(a - 1, b - 1); --a, --b) {
      if (!TryLink(a - 1, b - 1)) break;
    }
  }
}

std::vector<std::vector<NodeId>> Counterparts::Chains() const {
  std::vector<NodeId> starts;
  for (NodeId node : linked_) {
    if (next_[node].valid() && !previous_[node].valid()) starts.push_back(node);
  }
  std::sort(starts.begin(), starts.end());
  starts.erase(std::unique(starts.begin(), starts.end()), starts.end());
  std::vector<std::vector<NodeId>> chains;
  chains.reserve(starts.size());
  for (NodeId start : starts) {
    std::vector<NodeId> chain;
    for (NodeId node = start; node.valid(); node = next_[node]) chain.push_back(node);
    chains.push_back(std::move(chain));
  }
  return chains;
}

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
               const Segmentation& cut, IdVector<NodeId, int32_t>& implied,
               std::vector<Suggestion>& suggestions)
      : audit_(audit),
        paths_(paths),
        settled_(settled),
        cut_(cut),
        list_(cut.list),
        implied_(implied),
        suggestions_(suggestions) {
    ranks_.assign(audit.layers.list(list_).layers.size(), kOutside);
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
               const std::vector<Segmentation>& cuts, std::vector<Suggestion>& suggestions) {
  Counterparts counterparts(hashes);
  IdVector<NodeId, int32_t> implied(audit.graph.node_count(), kOutside);
  for (const Segmentation& cut : cuts) {
    if (cut.order.size() < 2 || cut.agreement < kLeastAgreement) continue;
    counterparts.Link(cut);
    ChainWitness(audit, paths, settled, cut, implied, suggestions).Hear(counterparts.Chains());
  }
}

}  // namespace onnx_hier
