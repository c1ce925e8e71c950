// SPDX-License-Identifier: Apache-2.0
#include "lib/audit/known_classes.h"

#include <string>
#include <vector>

#include "absl/container/flat_hash_set.h"

namespace onnx_hier {
namespace {

constexpr float kConfidence = 0.99f;

class KnownClassChecker {
 public:
  KnownClassChecker(const TagAudit& audit, const IdVector<NodeId, NodeNameEvidence>& name_evidence,
                    ModulePaths& paths, NameFindings& result)
      : audit_(audit), name_evidence_(name_evidence), paths_(paths), result_(result) {}

  void Check() {
    last_numbers_ = TagsHaveLastNumbers();
    FindLibraryClasses();
    for (NodeId node : audit_.graph.node_ids()) {
      if (!audit_.tags[node].valid() || !name_evidence_[node].classes.path.valid()) continue;
      result_.settled.Add(node);
      const PathId expected = Expected(node);
      const TagDifference difference = audit_.layers.Compare(expected, audit_.tags[node]);
      if (!difference.compatible() && !LeavesOutNumbers(audit_.tags[node], expected)) {
        Report(node, expected, difference);
      }
    }
  }

 private:
  bool TagsHaveLastNumbers() const {
    size_t all = 0;
    size_t last = 0;
    for (NodeId node : audit_.graph.node_ids()) {
      const KnownClasses& classes = name_evidence_[node].classes;
      if (classes.path == classes.path_last_numbers) continue;
      all += audit_.tags[node] == classes.path ? 1 : 0;
      last += audit_.tags[node] == classes.path_last_numbers ? 1 : 0;
    }
    return last > all;
  }

  // Some tools number no layers at all: "/Net/Block" for "/Net/Block.2".
  bool LeavesOutNumbers(PathId tag, PathId expected) {
    for (PathId at = tag; at != paths_.root(); at = paths_.parent(at)) {
      if (paths_.is_number(at)) return false;
    }
    return audit_.layers.Compare(WithoutNumbers(expected), tag).compatible();
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
    for (NodeId node : audit_.graph.node_ids()) {
      const PathId tag = audit_.tags[node];
      const std::string& own = name_evidence_[node].classes.library_class;
      if (!own.empty() && tag.valid() && tag != paths_.root() && paths_.name(tag) == own) {
        library_classes_.insert(own);
      }
    }
  }

  // With the module's own class of torch.nn only where tags go as deep as that. A module that
  // another one calls than the one that holds it is tagged where it runs.
  PathId Expected(NodeId node) {
    const NodeNameEvidence& said = name_evidence_[node];
    const std::string& own = said.classes.library_class;
    PathId path = last_numbers_ ? said.classes.path_last_numbers : said.classes.path;
    const bool deeper =
        audit_.layers.Compare(path, audit_.tags[node]).relation == TagRelation::kDeeper;
    const bool runs_elsewhere =
        said.best().valid() && paths_.depth(said.best()) > paths_.depth(said.module);
    if (!own.empty() && !runs_elsewhere && (deeper || library_classes_.contains(own))) {
      path = paths_.Child(path, own);
    }
    // As the tool spells it, if other nodes there are tagged right.
    const PathId bare = WithoutNumbers(path);
    return !audit_.layers.exists(path) && audit_.layers.exists(bare) ? bare : path;
  }

  void Report(NodeId node, PathId expected, const TagDifference& difference) {
    Finding finding;
    finding.node = node;
    finding.kind = KindOf(difference.relation);
    finding.actual = audit_.tags[node];
    finding.expected = expected;
    finding.depth = difference.depth;
    finding.witnesses.Add(TagWitness::kModuleMap);
    finding.confidence = kConfidence;
    result_.findings.push_back(finding);
  }

  const TagAudit& audit_;
  const IdVector<NodeId, NodeNameEvidence>& name_evidence_;
  ModulePaths& paths_;
  NameFindings& result_;
  bool last_numbers_ = false;
  absl::flat_hash_set<std::string> library_classes_;
};

}  // namespace

void CheckKnownClasses(const TagAudit& audit,
                       const IdVector<NodeId, NodeNameEvidence>& name_evidence, ModulePaths& paths,
                       NameFindings& result) {
  KnownClassChecker(audit, name_evidence, paths, result).Check();
}

}  // namespace onnx_hier
