#include "lib/contamination/referee.h"

#include <algorithm>
#include <utility>

#include "absl/container/flat_hash_set.h"
#include "lib/contamination/ballots.h"
#include "lib/contamination/judgement.h"
#include "lib/contamination/segments.h"
#include "lib/contamination/siblings.h"
#include "lib/contamination/statements.h"
#include "lib/contamination/structure.h"
#include "lib/contamination/twins.h"

namespace onnx_hier {
namespace {

constexpr int kMostRounds = 12;
constexpr float kSure = 0.75f;
constexpr float kMostConfidence = 0.95f;
// Edges around a node that a structure hash sees.
constexpr size_t kRadius = 4;

class Referee {
 public:
  Referee(const Graph& graph, const ModuleMap& module_map, Tags& tags)
      : graph_(graph),
        tags_(tags),
        paths_(tags.paths()),
        statements_(CollectStatements(graph, module_map, tags)),
        original_(graph.node_count()) {
    for (NodeId node : graph.node_ids()) original_[node] = tags[node].primary;
  }

  std::vector<Finding> Judge() {
    const bool classes = TagsAreClasses(tags_, statements_.nodes);
    const Siblings siblings(paths_, UsedPaths(classes));
    Trial trial{graph_, siblings, original_};
    Verdicts verdicts;
    verdicts.settled.assign(graph_.node_count(), 0);
    (classes ? JudgeClassTags : JudgePathTags)(trial, statements_.nodes, paths_, verdicts);
    for (const Finding& finding : verdicts.findings) trial.tags[finding.node] = finding.expected;
    settled_ = std::move(verdicts.settled);
    findings_ = std::move(verdicts.findings);
    if (AnyOpen()) HearComparisons(classes, trial);
    std::sort(findings_.begin(), findings_.end(),
              [](const Finding& a, const Finding& b) { return a.node < b.node; });
    return std::move(findings_);
  }

 private:
  std::vector<PathId> UsedPaths(bool classes) const {
    std::vector<PathId> used;
    for (NodeId node : graph_.node_ids()) {
      if (original_[node].valid()) used.push_back(original_[node]);
      if (!classes && statements_.nodes[node].best().valid())
        used.push_back(statements_.nodes[node].best());
      if (!classes && statements_.nodes[node].owner.valid())
        used.push_back(statements_.nodes[node].owner);
    }
    return used;
  }

  bool AnyOpen() const {
    for (NodeId node : graph_.node_ids()) {
      if (settled_[node] == 0 && original_[node].valid()) return true;
    }
    return false;
  }

  void HearComparisons(bool classes, Trial& trial) {
    const FreshTags fresh =
        classes ? FreshTags() : ResolveFresh(trial, statements_.evidence, paths_);
    const std::vector<IdVector<NodeId, uint64_t>> hashes = StructureHashes(graph_, kRadius);
    IdVector<NodeId, Ballot> accepted(graph_.node_count());
    for (int round = 0; round < kMostRounds; ++round) {
      const IdVector<ListId, Segmentation> cuts = CutLists(trial, paths_);
      std::vector<Proposal> proposals;
      if (!classes) AskFresh(trial, paths_, fresh, proposals);
      AskTwins(trial, paths_, hashes, cuts, proposals);
      AskSegments(trial, paths_, cuts, proposals);
      AskNeighbours(trial, paths_, proposals);
      std::vector<Ballot> ballots = Convincing(trial, proposals);
      if (!Accept(ballots, trial, accepted)) break;
    }
    NarrowDown(trial, accepted);
    for (NodeId node : graph_.node_ids()) {
      if (accepted[node].valid() && trial.tags[node] != original_[node]) {
        AddFinding(trial.siblings, accepted[node]);
      }
    }
  }

  // A wrong tag seldom tells where in the right layer a node is: what runs between two nodes of one
  // module belongs to it.
  void NarrowDown(const Trial& trial, IdVector<NodeId, Ballot>& accepted) const {
    IdVector<NodeId, PathId> before(graph_.node_count());  // tag of the last node that was right
    PathId last;
    for (NodeId node : graph_.node_ids()) {
      before[node] = last;
      if (trial.tags[node].valid() && !accepted[node].valid()) last = trial.tags[node];
    }
    PathId next;
    for (size_t i = graph_.node_count(); i-- > 0;) {
      const NodeId node(i);
      Ballot& ballot = accepted[node];
      if (trial.tags[node].valid() && !ballot.valid()) next = trial.tags[node];
      if (!ballot.valid() || !before[node].valid() || !next.valid()) continue;
      const PathId around = paths_.CommonAncestor(before[node], next);
      if (paths_.Contains(ballot.expected, around)) ballot.expected = around;
    }
  }

  // What to do with each open node, where that is supported well enough: the outermost change
  // first, as what is inside a wrong layer is judged by its wrong surroundings.
  std::vector<Ballot> Convincing(const Trial& trial, const std::vector<Proposal>& proposals) const {
    std::vector<Ballot> convincing;
    const std::vector<Ballot> ballots = CountBallots(trial, paths_, proposals);
    for (size_t begin = 0; begin < ballots.size();) {
      const NodeId node = ballots[begin].node;
      float defence = 0;
      size_t end = begin;
      for (; end < ballots.size() && ballots[end].node == node; ++end) {
        if (ballots[end].expected == trial.tags[node]) defence += ballots[end].sum;
      }
      Ballot best;
      for (size_t i = begin; i < end && settled_[node] == 0; ++i) {
        Ballot ballot = ballots[i];
        if (ballot.sum <= defence || !Convinces(trial, ballot)) continue;
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

  bool Convinces(const Trial& trial, Ballot& ballot) const {
    if (ballot.expected == trial.tags[ballot.node]) return false;
    if (ballot.kind == FindingKind::kCrossModule) {
      if (!ballot.witnesses.Has(TagWitness::kTwin)) return false;
    } else if (ballot.witnesses.count() < 2 && ballot.best < kSure) {
      return false;
    }
    return WeighNeighbours(trial, ballot);
  }

  // Sets `gain`. A stretch that claims a node of which all neighbours in the list carry its present
  // layer is wrong: the node was moved there by an optimiser, or runs again.
  bool WeighNeighbours(const Trial& trial, Ballot& ballot) const {
    const PathId tag = trial.tags[ballot.node];
    const uint32_t depth = trial.siblings.Compare(ballot.expected, tag).depth + 1;
    const PathId here = paths_.AncestorAtDepth(tag, depth);
    const PathId there = paths_.AncestorAtDepth(ballot.expected, depth);
    size_t listed = 0;
    size_t agreeing = 0;
    ForEachNeighbour(ballot.node, [&](NodeId other) {
      const PathId theirs = trial.tags[other];
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
  bool Accept(std::vector<Ballot>& ballots, Trial& trial,
              IdVector<NodeId, Ballot>& accepted) const {
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
      trial.tags[ballot.node] = ballot.expected;
      accepted[ballot.node] = ballot;
      changed = true;
    }
    return changed;
  }

  void AddFinding(const Siblings& siblings, const Ballot& ballot) {
    Finding finding;
    finding.node = ballot.node;
    finding.actual = original_[ballot.node];
    finding.expected = ballot.expected;
    const TagDifference difference = siblings.Compare(finding.expected, finding.actual);
    if (difference.compatible()) return;
    finding.kind = difference.relation == TagRelation::kCrossLayer ? FindingKind::kCrossLayer
                                                                   : FindingKind::kCrossModule;
    finding.depth = difference.depth;
    finding.witnesses = ballot.witnesses;
    finding.confidence = std::min(kMostConfidence, ballot.sum / 2 + 0.2f);
    findings_.push_back(finding);
  }

  const Graph& graph_;
  const Tags& tags_;
  ModulePaths& paths_;
  const Statements statements_;
  IdVector<NodeId, PathId> original_;
  IdVector<NodeId, char> settled_;
  std::vector<Finding> findings_;
};

}  // namespace

std::vector<Finding> FindContamination(const Graph& graph, const ModuleMap& module_map,
                                       Tags& tags) {
  return Referee(graph, module_map, tags).Judge();
}

}  // namespace onnx_hier
