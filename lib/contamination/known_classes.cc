#include "lib/contamination/judgement.h"

namespace onnx_hier {
namespace {

constexpr float kConfidence = 0.99f;

class KnownClassJudge {
 public:
  KnownClassJudge(const Trial& trial, const IdVector<NodeId, NodeStatements>& statements,
                  ModulePaths& paths, Verdicts& verdicts)
      : trial_(trial), statements_(statements), paths_(paths), verdicts_(verdicts) {}

  void Judge() {
    last_numbers_ = TagsHaveLastNumbers();
    for (NodeId node : trial_.graph.node_ids()) {
      if (!trial_.tags[node].valid() || !statements_[node].classes.path.valid()) continue;
      verdicts_.settled[node] = 1;
      const PathId expected = Expected(node);
      const TagDifference difference = trial_.siblings.Compare(expected, trial_.tags[node]);
      if (!difference.compatible()) Report(node, expected, difference);
    }
  }

 private:
  bool TagsHaveLastNumbers() const {
    size_t all = 0;
    size_t last = 0;
    for (NodeId node : trial_.graph.node_ids()) {
      const KnownClasses& classes = statements_[node].classes;
      if (classes.path == classes.path_last_numbers) continue;
      all += trial_.tags[node] == classes.path ? 1 : 0;
      last += trial_.tags[node] == classes.path_last_numbers ? 1 : 0;
    }
    return last > all;
  }

  // With the module's own class of torch.nn only where the tag goes as deep as that. A module that
  // another one calls than the one that holds it is tagged where it runs.
  PathId Expected(NodeId node) {
    const NodeStatements& said = statements_[node];
    const PathId path = last_numbers_ ? said.classes.path_last_numbers : said.classes.path;
    const bool deeper =
        trial_.siblings.Compare(path, trial_.tags[node]).relation == TagRelation::kDeeper;
    const bool runs_elsewhere =
        said.best().valid() && paths_.depth(said.best()) > paths_.depth(said.module);
    if (!deeper || runs_elsewhere || said.classes.library_class.empty()) return path;
    return paths_.Child(path, said.classes.library_class);
  }

  void Report(NodeId node, PathId expected, const TagDifference& difference) {
    Finding finding;
    finding.node = node;
    finding.kind = difference.relation == TagRelation::kCrossLayer ? FindingKind::kCrossLayer
                                                                   : FindingKind::kCrossModule;
    finding.actual = trial_.tags[node];
    finding.expected = expected;
    finding.depth = difference.depth;
    finding.witnesses.Add(TagWitness::kModuleMap);
    finding.confidence = kConfidence;
    verdicts_.findings.push_back(finding);
  }

  const Trial& trial_;
  const IdVector<NodeId, NodeStatements>& statements_;
  ModulePaths& paths_;
  Verdicts& verdicts_;
  bool last_numbers_ = false;
};

}  // namespace

void JudgeByKnownClasses(const Trial& trial, const IdVector<NodeId, NodeStatements>& statements,
                         ModulePaths& paths, Verdicts& verdicts) {
  KnownClassJudge(trial, statements, paths, verdicts).Judge();
}

}  // namespace onnx_hier
