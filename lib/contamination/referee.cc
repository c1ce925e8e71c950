#include "lib/contamination/referee.h"

#include <algorithm>
#include <utility>

#include "lib/contamination/comparisons.h"
#include "lib/contamination/judgement.h"
#include "lib/contamination/siblings.h"
#include "lib/contamination/statements.h"

namespace onnx_hier {
namespace {

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
    if (AnyOpen()) HearOthers(classes, trial);
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

  void HearOthers(bool classes, Trial& trial) {
    const FreshTags fresh =
        classes ? FreshTags() : ResolveFresh(trial, statements_.evidence, paths_);
    for (const Ballot& ballot : HearComparisons(settled_, fresh, paths_, trial)) {
      AddFinding(trial.siblings, ballot);
    }
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
    finding.confidence = ballot.confidence();
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
