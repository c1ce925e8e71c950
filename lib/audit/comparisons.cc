// SPDX-License-Identifier: Apache-2.0
#include "lib/audit/comparisons.h"

#include <algorithm>
#include <utility>

#include "absl/container/flat_hash_map.h"
#include "absl/container/flat_hash_set.h"
#include "lib/audit/chains.h"
#include "lib/audit/segments.h"
#include "lib/audit/thresholds.h"
#include "lib/audit/wrappers.h"
#include "lib/base/rules.h"
#include "lib/graph/structure_hashes.h"
#include "lib/graph/weight.h"
#include "lib/owners/infer.h"

namespace onnx_hier {
namespace {

// How surely a node must be in the layer that it is wanted in: one of several that are built alike,
// or a member of a Sequential, of which each has its own kind. Of 7,827 wrong tags in 675 drawn
// families without names .1 % more are found with .75 for layers, and 34 more findings are wrong;
// with .95 for members .1 % and 24.
constexpr float kSureOfLayer = 0.85f;
constexpr float kSureOfMember = 0.97f;

// A witness that compares: a node that would be tagged with another layer.
class FreshWitness {
 public:
  FreshWitness(const TagAudit& audit, const ModulePaths& paths, const FreshTags& fresh)
      : audit_(audit), paths_(paths), fresh_(fresh), shares_(paths.size()) {}

  void Hear(std::vector<Suggestion>& suggestions) {
    for (NodeId node : audit_.graph.node_ids()) {
      if (audit_.tags[node].valid() && fresh_.containments[node] >= kSureOfLayer) Compare(node);
    }
    for (const auto& [suggestion, list] : wishes_) {
      if (shares_[list].enough()) suggestions.push_back(suggestion);
    }
  }

 private:
  struct Share {
    size_t agreeing = 0;
    size_t all = 0;
    bool enough() const {
      return static_cast<double>(agreeing) >= kLeastAgreement * static_cast<double>(all);
    }
  };

  // A tag is defended, or moved to another layer, in the innermost list that both are in.
  void Compare(NodeId node) {
    const PathId place = fresh_.places[node];
    bool wished = false;
    for (PathId path = audit_.tags[node]; path != paths_.root(); path = paths_.parent(path)) {
      const PathId layer = LayerBeside(path, place);
      if (!layer.valid()) continue;
      const PathId list = paths_.parent(path);
      const bool agrees = layer == path;
      const bool is_member = !audit_.layers.place(path).list.valid();
      if (!agrees && is_member && fresh_.containments[node] < kSureOfMember) continue;
      ++shares_[list].all;
      shares_[list].agreeing += agrees ? 1 : 0;
      if (fresh_.parameters.Has(node)) continue;
      if (std::exchange(wished, true)) continue;
      Suggestion suggestion;
      suggestion.node = node;
      suggestion.witness = TagWitness::kFresh;
      suggestion.confidence = fresh_.containments[node];
      suggestion.expected = agrees ? audit_.tags[node] : place;
      if (place == audit_.tags[node]) suggestion.kind = FindingKind::kCrossModule;
      wishes_.emplace_back(suggestion, list);
    }
  }

  // The member of a list that `place` is in, where `path` is one of the same list; or none.
  PathId LayerBeside(PathId path, PathId place) const {
    const ListId list = audit_.layers.place(path).list;
    const PathId alike = list.valid() ? audit_.layers.LayerOf(place, list) : PathId();
    const uint32_t depth = paths_.depth(path);
    if (alike.valid() || !paths_.is_number(path) || paths_.depth(place) < depth) return alike;
    const PathId member = paths_.AncestorAtDepth(place, depth);
    const bool is_beside = paths_.parent(member) == paths_.parent(path);
    return is_beside && paths_.is_number(member) ? member : PathId();
  }

  const TagAudit& audit_;
  const ModulePaths& paths_;
  const FreshTags& fresh_;
  IdVector<PathId, Share> shares_;  // by what is around a list
  std::vector<std::pair<Suggestion, PathId>> wishes_;
};

// Real models are done after two.
constexpr int kMostRounds = 3;
// Edges around a node that a structure hash sees.
constexpr size_t kRadius = 4;

class Comparisons {
 public:
  Comparisons(const Flow& flow, const IdSet<NodeId>& settled, const FreshTags& fresh,
              const ModulePaths& paths, TagAudit& audit)
      : flow_(flow),
        graph_(audit.graph),
        settled_(settled),
        fresh_(fresh),
        paths_(paths),
        audit_(audit),
        accepted_(audit.graph.node_count()) {}

  std::vector<Correction> Hear() {
    const IdVector<NodeId, PathId> original = audit_.tags;
    const std::vector<IdVector<NodeId, uint64_t>> hashes = StructureHashes(graph_, kRadius);
    for (int round = 0; round < kMostRounds; ++round) {
      const std::vector<Segmentation> cuts = CutLists(audit_, flow_, paths_);
      std::vector<Suggestion> suggestions;
      if (!fresh_.places.empty() && IsOn(Rule::kFresh))
        FreshWitness(audit_, paths_, fresh_).Hear(suggestions);
      if (IsOn(Rule::kChains)) AskChains(audit_, paths_, settled_, hashes, cuts, suggestions);
      if (IsOn(Rule::kSegments)) AskSegments(audit_, paths_, cuts, suggestions);
      if (suggestions.empty()) break;
      CountTags();
      std::vector<Correction> corrections = Convincing(suggestions);
      if (!Accept(corrections)) break;
    }
    if (IsOn(Rule::kNarrowing)) NarrowDown();
    std::vector<Correction> result;
    for (NodeId node : graph_.node_ids()) {
      if (accepted_[node].valid() && audit_.tags[node] != original[node]) {
        result.push_back(accepted_[node]);
      }
    }
    return result;
  }

 private:
  // What to do with each open node, where that is supported well enough: the outermost change
  // first, as what is inside a wrong layer is judged by its wrong surroundings.
  std::vector<Correction> Convincing(const std::vector<Suggestion>& suggestions) const {
    std::vector<Correction> convincing;
    const std::vector<Correction> corrections = SumSuggestions(audit_, paths_, suggestions);
    absl::flat_hash_map<PathId, absl::flat_hash_set<NodeId>> strays;
    for (const Correction& correction : corrections) {
      if (IsStray(correction)) strays[audit_.tags[correction.node]].insert(correction.node);
    }
    for (size_t begin = 0; begin < corrections.size();) {
      const NodeId node = corrections[begin].node;
      float layer_defence = 0;
      float module_defence = 0;
      size_t end = begin;
      for (; end < corrections.size() && corrections[end].node == node; ++end) {
        const Correction& other = corrections[end];
        if (other.expected != audit_.tags[node]) continue;
        layer_defence += other.sum;
        if (other.kind == FindingKind::kCrossModule) module_defence += other.sum;
      }
      Correction best;
      for (size_t i = begin; i < end && !settled_.Has(node); ++i) {
        Correction correction = corrections[i];
        const bool in_layer = correction.kind == FindingKind::kCrossModule;
        if (correction.sum <= (in_layer ? module_defence : layer_defence)) continue;
        if (!Convinces(correction)) continue;
        if (IsStray(correction) && strays[audit_.tags[node]].size() > 1) continue;
        if (!best.valid() || correction.depth < best.depth ||
            (correction.depth == best.depth && correction.sum > best.sum)) {
          best = correction;
        }
      }
      if (best.valid()) convincing.push_back(best);
      begin = end;
    }
    return convincing;
  }

  bool Convinces(Correction& correction) const {
    if (correction.expected == audit_.tags[correction.node]) return false;
    if (correction.kind == FindingKind::kCrossModule) {
      if (!correction.witnesses.Has(TagWitness::kTwin)) return false;
    } else if (correction.witnesses.count() < 2 && correction.best < kSure) {
      return false;
    }
    return WeighNeighbours(correction) && IsUnbalanced(correction);
  }

  // Whether the module that a node leaves and the one that it goes to differ in how many nodes of
  // its operator they have: a wrong tag makes the one too many and the other too few. Of the
  // findings in 390 drawn families that rest on one witness other than inference, 29 of 37 are
  // wrong where both have as many, and 13 of 161 elsewhere.
  bool IsUnbalanced(const Correction& correction) const {
    if (correction.witnesses.count() > 1 || correction.witnesses.Has(TagWitness::kFresh)) {
      return true;
    }
    return CountAt(audit_.tags[correction.node], correction.node) !=
           CountAt(correction.expected, correction.node);
  }

  // Nodes that are tagged so, of the operator that `node` is of.
  size_t CountAt(PathId tag, NodeId node) const {
    const auto found = counts_.find({tag, graph_.node(node).op});
    return found == counts_.end() ? 0 : found->second;
  }

  void CountTags() {
    counts_.clear();
    for (NodeId node : graph_.node_ids()) ++counts_[{audit_.tags[node], graph_.node(node).op}];
  }

  // Whether in the layer that a node is wanted in nothing is called as its tag is. Of several nodes
  // with one such tag, in a module that layers share, that is no mistake; with a weight, which that
  // module would have to have, it is.
  bool IsStray(const Correction& correction) const {
    return correction.kind == FindingKind::kCrossLayer &&
           paths_.depth(correction.expected) < paths_.depth(audit_.tags[correction.node]) &&
           !ReadsWeight(graph_, correction.node);
  }

  // Sets `gain`. A stretch that claims a node of which all neighbours in the list carry its present
  // layer is wrong: the node was moved there by an optimiser, or runs again.
  bool WeighNeighbours(Correction& correction) const {
    const PathId tag = audit_.tags[correction.node];
    const uint32_t depth = audit_.layers.Compare(correction.expected, tag).depth + 1;
    const PathId here = paths_.AncestorAtDepth(tag, depth);
    const PathId there = paths_.AncestorAtDepth(correction.expected, depth);
    size_t listed = 0;
    size_t agreeing = 0;
    ForEachNeighbour(correction.node, [&](NodeId other) {
      const PathId theirs = audit_.tags[other];
      if (!theirs.valid() || graph_.inputs(other).empty()) return;
      const PathId at = paths_.AncestorAtDepth(theirs, depth);
      if (paths_.depth(at) == depth && paths_.parent(at) == paths_.parent(there)) {
        ++listed;
        agreeing += at == here ? 1 : 0;
      }
      correction.gain += (at == there ? 1 : 0) - (at == here ? 1 : 0);
    });
    const bool segment_alone =
        correction.witnesses.count() == 1 && correction.witnesses.Has(TagWitness::kSegment);
    return !(segment_alone && listed > 0 && agreeing == listed);
  }

  template <class F>
  void ForEachNeighbour(NodeId node, F&& visit) const {
    for (ValueId value : graph_.inputs(node)) {
      if (value.valid() && graph_.value(value).producer.valid()) {
        visit(graph_.value(value).producer);
      }
    }
    for (ValueId value : graph_.outputs(node)) {
      if (!value.valid()) continue;
      for (const Use& use : graph_.uses(value)) visit(use.node);
    }
  }

  // Strongest first; a node next to one that was repaired waits for the next round, as it may have
  // been suspected for its neighbour's sake. Returns whether anything was repaired.
  bool Accept(std::vector<Correction>& corrections) {
    const auto strength = [](const Correction& b) {
      return b.witnesses.count() + (b.witnesses.Has(TagWitness::kTwin) ? 1 : 0) +
             (b.witnesses.Has(TagWitness::kFresh) ? 1 : 0);
    };
    std::stable_sort(corrections.begin(), corrections.end(),
                     [&](const Correction& a, const Correction& b) {
                       if (strength(a) != strength(b)) return strength(a) > strength(b);
                       return a.gain != b.gain ? a.gain > b.gain : a.node < b.node;
                     });
    absl::flat_hash_set<NodeId> touched;
    bool changed = false;
    for (const Correction& correction : corrections) {
      if (!touched.insert(correction.node).second) continue;
      ForEachNeighbour(correction.node, [&](NodeId other) {
        if (!graph_.inputs(other).empty()) touched.insert(other);
      });
      audit_.tags[correction.node] = correction.expected;
      accepted_[correction.node] = correction;
      changed = true;
    }
    return changed;
  }

  // A wrong tag seldom tells where in the right layer a node is: what runs between two nodes of one
  // module belongs to it.
  void NarrowDown() {
    IdVector<NodeId, PathId> before(graph_.node_count());  // tag of the last node that was right
    PathId last;
    for (Rank rank : flow_.ranks()) {
      const NodeId node = flow_.node(rank);
      before[node] = last;
      if (audit_.tags[node].valid() && !accepted_[node].valid()) last = audit_.tags[node];
    }
    PathId next;
    for (size_t i = flow_.size(); i-- > 0;) {
      const NodeId node = flow_.node(Rank(i));
      Correction& correction = accepted_[node];
      if (audit_.tags[node].valid() && !correction.valid()) next = audit_.tags[node];
      if (!correction.valid() || !before[node].valid() || !next.valid()) continue;
      const PathId around = paths_.CommonAncestor(before[node], next);
      if (paths_.Contains(correction.expected, around)) correction.expected = around;
    }
  }

  const Flow& flow_;
  const Graph& graph_;
  const IdSet<NodeId>& settled_;
  const FreshTags& fresh_;
  const ModulePaths& paths_;
  TagAudit& audit_;
  IdVector<NodeId, Correction> accepted_;
  absl::flat_hash_map<std::pair<PathId, OpId>, size_t> counts_;  // of nodes, by tag and operator
};

}  // namespace

FreshTags InferFresh(const TagAudit& audit, const GraphAnalysis& analysis, const Evidence& evidence,
                     ModulePaths& paths) {
  FreshTags fresh;
  fresh.parameters.Resize(audit.graph.node_count());
  const KnownModules known = CollectKnown(analysis.flow(), evidence, paths);
  const NodeOwners inferred = InferOwners(analysis, evidence, known, paths);
  for (NodeId node : audit.graph.node_ids()) {
    const Assignment& assignment = inferred[node];
    fresh.places.push_back(assignment.primary);
    fresh.containments.push_back(assignment.containment);
    if (!evidence.owners_of(node).empty()) fresh.parameters.Add(node);
  }
  const uint32_t wrappers = CountWrappers(audit, fresh.places, paths);
  for (PathId& place : fresh.places) place = WithoutWrappers(place, wrappers, paths);
  return fresh;
}

std::vector<Correction> CompareTags(const Flow& flow, const IdSet<NodeId>& settled,
                                    const FreshTags& fresh, const ModulePaths& paths,
                                    TagAudit& audit) {
  return Comparisons(flow, settled, fresh, paths, audit).Hear();
}

}  // namespace onnx_hier
