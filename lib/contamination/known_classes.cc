#include <string>
#include <vector>

#include "absl/container/flat_hash_set.h"
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
    FindLibraryClasses();
    for (NodeId node : trial_.graph.node_ids()) {
      if (!trial_.tags[node].valid() || !statements_[node].classes.path.valid()) continue;
      verdicts_.settled[node] = 1;
      const PathId expected = Expected(node);
      const TagDifference difference = trial_.siblings.Compare(expected, trial_.tags[node]);
      if (!difference.compatible() && !LeavesOutNumbers(trial_.tags[node], expected)) {
        Report(node, expected, difference);
      }
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

  // Some tools number no layers at all: "/Net/Block" for "/Net/Block.2".
  bool LeavesOutNumbers(PathId tag, PathId expected) {
    for (PathId at = tag; at != paths_.root(); at = paths_.parent(at)) {
      if (paths_.is_number(at)) return false;
    }
    return trial_.siblings.Compare(WithoutNumbers(expected), tag).compatible();
  }

  PathId WithoutNumbers(PathId path) {
    std::vector<PathId> atoms;
    for (; path != paths_.root(); path = paths_.parent(path)) {
      if (!paths_.is_number(path)) atoms.push_back(path);
    }
    for (size_t i = atoms.size(); i-- > 0;) path = paths_.Child(path, paths_.name(atoms[i]));
    return path;
  }

  // Classes of torch.nn that end tags of nodes in such modules: most tools leave them out, or some.
  void FindLibraryClasses() {
    for (NodeId node : trial_.graph.node_ids()) {
      const PathId tag = trial_.tags[node];
      const std::string& own = statements_[node].classes.library_class;
      if (!own.empty() && tag.valid() && tag != paths_.root() && paths_.name(tag) == own) {
        library_classes_.insert(own);
      }
    }
  }

  // With the module's own class of torch.nn only where tags go as deep as that. A module that
  // another one calls than the one that holds it is tagged where it runs.
  PathId Expected(NodeId node) {
    const NodeStatements& said = statements_[node];
    const std::string& own = said.classes.library_class;
    PathId path = last_numbers_ ? said.classes.path_last_numbers : said.classes.path;
    const bool deeper =
        trial_.siblings.Compare(path, trial_.tags[node]).relation == TagRelation::kDeeper;
    const bool runs_elsewhere =
        said.best().valid() && paths_.depth(said.best()) > paths_.depth(said.module);
    if (!own.empty() && !runs_elsewhere && (deeper || library_classes_.contains(own))) {
      path = paths_.Child(path, own);
    }
    // As the tool spells it, if other nodes there are tagged right.
    const PathId bare = WithoutNumbers(path);
    return !trial_.siblings.exists(path) && trial_.siblings.exists(bare) ? bare : path;
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
  absl::flat_hash_set<std::string> library_classes_;
};

}  // namespace

void JudgeByKnownClasses(const Trial& trial, const IdVector<NodeId, NodeStatements>& statements,
                         ModulePaths& paths, Verdicts& verdicts) {
  KnownClassJudge(trial, statements, paths, verdicts).Judge();
}

}  // namespace onnx_hier
