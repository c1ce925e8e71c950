#include "lib/contamination/comparisons.h"

#include <algorithm>

#include "absl/container/flat_hash_set.h"
#include "lib/contamination/segments.h"
#include "lib/contamination/structure.h"
#include "lib/contamination/twins.h"

namespace onnx_hier {
namespace {

constexpr int kMostRounds = 12;
constexpr float kSure = 0.75f;
// Edges around a node that a structure hash sees.
constexpr size_t kRadius = 4;

class Comparisons {
 public:
  Comparisons(const IdVector<NodeId, char>& settled, const FreshTags& fresh,
              const ModulePaths& paths, Trial& trial)
      : graph_(trial.graph),
        settled_(settled),
        fresh_(fresh),
        paths_(paths),
        trial_(trial),
        accepted_(trial.graph.node_count()) {}

  std::vector<Ballot> Hear() {
    const IdVector<NodeId, PathId> original = trial_.tags;
    const std::vector<IdVector<NodeId, uint64_t>> hashes = StructureHashes(graph_, kRadius);
    for (int round = 0; round < kMostRounds; ++round) {
      const IdVector<ListId, Segmentation> cuts = CutLists(trial_, paths_);
      std::vector<Proposal> proposals;
      if (!fresh_.places.empty()) AskFresh(trial_, paths_, fresh_, proposals);
      AskTwins(trial_, paths_, settled_, hashes, cuts, proposals);
      AskSegments(trial_, paths_, cuts, proposals);
      AskNeighbours(trial_, paths_, settled_, proposals);
      std::vector<Ballot> ballots = Convincing(proposals);
      if (!Accept(ballots)) break;
    }
    NarrowDown();
    std::vector<Ballot> result;
    for (NodeId node : graph_.node_ids()) {
      if (accepted_[node].valid() && trial_.tags[node] != original[node]) {
        result.push_back(accepted_[node]);
      }
    }
    return result;
  }

 private:
  // What to do with each open node, where that is supported well enough: the outermost change
  // first, as what is inside a wrong layer is judged by its wrong surroundings.
  std::vector<Ballot> Convincing(const std::vector<Proposal>& proposals) const {
    std::vector<Ballot> convincing;
    const std::vector<Ballot> ballots = CountBallots(trial_, paths_, proposals);
    for (size_t begin = 0; begin < ballots.size();) {
      const NodeId node = ballots[begin].node;
      float defence = 0;
      size_t end = begin;
      for (; end < ballots.size() && ballots[end].node == node; ++end) {
        if (ballots[end].expected == trial_.tags[node]) defence += ballots[end].sum;
      }
      Ballot best;
      for (size_t i = begin; i < end && settled_[node] == 0; ++i) {
        Ballot ballot = ballots[i];
        if (ballot.sum <= defence || !Convinces(ballot)) continue;
        if (!best.valid() || ballot.depth < best.depth ||
            (ballot.depth == best.depth && ballot.sum > best.sum)) {
          best = ballot;
        }
      }
      if (best.valid()) convincing.push_back(best);
      begin = end;
    }
    return convincing;
  }

  bool Convinces(Ballot& ballot) const {
    if (ballot.expected == trial_.tags[ballot.node]) return false;
    if (ballot.kind == FindingKind::kCrossModule) {
      if (!ballot.witnesses.Has(TagWitness::kTwin)) return false;
    } else if (ballot.witnesses.count() < 2 && ballot.best < kSure) {
      return false;
    }
    return WeighNeighbours(ballot);
  }

  // Sets `gain`. A stretch that claims a node of which all neighbours in the list carry its present
  // layer is wrong: the node was moved there by an optimiser, or runs again.
  bool WeighNeighbours(Ballot& ballot) const {
    const PathId tag = trial_.tags[ballot.node];
    const uint32_t depth = trial_.siblings.Compare(ballot.expected, tag).depth + 1;
    const PathId here = paths_.AncestorAtDepth(tag, depth);
    const PathId there = paths_.AncestorAtDepth(ballot.expected, depth);
    size_t listed = 0;
    size_t agreeing = 0;
    ForEachNeighbour(ballot.node, [&](NodeId other) {
      const PathId theirs = trial_.tags[other];
      if (!theirs.valid() || graph_.inputs(other).empty()) return;
      const PathId at = paths_.AncestorAtDepth(theirs, depth);
      if (paths_.depth(at) == depth && paths_.parent(at) == paths_.parent(there)) {
        ++listed;
        agreeing += at == here ? 1 : 0;
      }
      ballot.gain += (at == there ? 1 : 0) - (at == here ? 1 : 0);
    });
    const bool segment_alone =
        ballot.witnesses.count() == 1 && ballot.witnesses.Has(TagWitness::kSegment);
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
  bool Accept(std::vector<Ballot>& ballots) {
    const auto strength = [](const Ballot& b) {
      return b.witnesses.count() + (b.witnesses.Has(TagWitness::kTwin) ? 1 : 0) +
             (b.witnesses.Has(TagWitness::kFresh) ? 1 : 0);
    };
    std::stable_sort(ballots.begin(), ballots.end(), [&](const Ballot& a, const Ballot& b) {
      if (strength(a) != strength(b)) return strength(a) > strength(b);
      return a.gain != b.gain ? a.gain > b.gain : a.node < b.node;
    });
    absl::flat_hash_set<NodeId> touched;
    bool changed = false;
    for (const Ballot& ballot : ballots) {
      if (!touched.insert(ballot.node).second) continue;
      ForEachNeighbour(ballot.node, [&](NodeId other) {
        if (!graph_.inputs(other).empty()) touched.insert(other);
      });
      trial_.tags[ballot.node] = ballot.expected;
      accepted_[ballot.node] = ballot;
      changed = true;
    }
    return changed;
  }

  // A wrong tag seldom tells where in the right layer a node is: what runs between two nodes of one
  // module belongs to it.
  void NarrowDown() {
    IdVector<NodeId, PathId> before(graph_.node_count());  // tag of the last node that was right
    PathId last;
    for (NodeId node : graph_.node_ids()) {
      before[node] = last;
      if (trial_.tags[node].valid() && !accepted_[node].valid()) last = trial_.tags[node];
    }
    PathId next;
    for (size_t i = graph_.node_count(); i-- > 0;) {
      const NodeId node(i);
      Ballot& ballot = accepted_[node];
      if (trial_.tags[node].valid() && !ballot.valid()) next = trial_.tags[node];
      if (!ballot.valid() || !before[node].valid() || !next.valid()) continue;
      const PathId around = paths_.CommonAncestor(before[node], next);
      if (paths_.Contains(ballot.expected, around)) ballot.expected = around;
    }
  }

  const Graph& graph_;
  const IdVector<NodeId, char>& settled_;
  const FreshTags& fresh_;
  const ModulePaths& paths_;
  Trial& trial_;
  IdVector<NodeId, Ballot> accepted_;
};

}  // namespace

std::vector<Ballot> HearComparisons(const IdVector<NodeId, char>& settled, const FreshTags& fresh,
                                    const ModulePaths& paths, Trial& trial) {
  return Comparisons(settled, fresh, paths, trial).Hear();
}

}  // namespace onnx_hier
