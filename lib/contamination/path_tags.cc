#include <algorithm>
#include <map>

#include "absl/container/flat_hash_map.h"
#include "lib/contamination/class_numbers.h"
#include "lib/contamination/judgement.h"
#include "lib/contamination/wrappers.h"

namespace onnx_hier {
namespace {

// Confidence that a tag is wrong, as measured on files with known owners.
constexpr float kNameConfidence = 0.99f;
constexpr float kOutputConfidence = 0.95f;
constexpr float kParameterConfidence = 0.97f;

FindingKind KindOf(TagRelation relation) {
  return relation == TagRelation::kCrossLayer ? FindingKind::kCrossLayer
                                              : FindingKind::kCrossModule;
}

class PathTagJudge {
 public:
  PathTagJudge(const Trial& trial, const IdVector<NodeId, NodeStatements>& statements,
               ModulePaths& paths, Verdicts& verdicts)
      : trial_(trial),
        statements_(statements),
        paths_(paths),
        verdicts_(verdicts),
        skeletons_(paths) {}

  void Judge() {
    spelled_as_modules_ = TagsAreModules();
    wrappers_ = FindWrappers();
    LearnLevels();
    for (NodeId node : trial_.graph.node_ids()) {
      if (!trial_.tags[node].valid()) continue;
      if (statements_[node].best().valid()) {
        JudgeByNames(node);
        verdicts_.settled[node] = 1;
      } else if (statements_[node].owner.valid()) {
        JudgeByOwner(node);
        verdicts_.settled[node] = 1;
      }
    }
  }

 private:
  // Whether tags are spelled as modules are called rather than as scopes are printed.
  bool TagsAreModules() const {
    size_t modules = 0;
    size_t scopes = 0;
    for (NodeId node : trial_.graph.node_ids()) {
      const NodeStatements& said = statements_[node];
      if (!said.module.valid() || !said.best().valid() || said.module == said.best()) continue;
      modules += said.module == trial_.tags[node] ? 1 : 0;
      scopes += said.best() == trial_.tags[node] ? 1 : 0;
    }
    return modules > scopes;
  }

  bool Vouches(PathId place, PathId tag) const {
    return place.valid() && (trial_.siblings.Compare(place, tag).compatible() ||
                             trial_.siblings.OneSkipsAtoms(place, tag));
  }

  // A fused node stands for several: a tag that agrees with either of its names is right.
  void JudgeByNames(NodeId node) {
    const NodeStatements& said = statements_[node];
    const PathId tag = trial_.tags[node];
    for (PathId place : {said.name, said.output, said.module, said.other_module}) {
      if (Vouches(place, tag)) return;
    }
    Finding finding;
    finding.node = node;
    finding.actual = tag;
    finding.expected = spelled_as_modules_ && said.module.valid() ? said.module : said.best();
    if (said.name.valid()) finding.witnesses.Add(TagWitness::kName);
    if (said.output.valid()) finding.witnesses.Add(TagWitness::kOutput);
    if (!said.name.valid() && !said.output.valid()) finding.witnesses.Add(TagWitness::kModule);
    finding.confidence = said.name.valid() ? kNameConfidence : kOutputConfidence;
    const TagDifference difference = trial_.siblings.Compare(finding.expected, tag);
    finding.kind = KindOf(difference.relation);
    finding.depth = difference.depth;
    // It may as well be where another of its parts was.
    if (said.fused && finding.kind == FindingKind::kCrossModule) return;
    verdicts_.findings.push_back(finding);
  }

  uint32_t FindWrappers() {
    IdVector<NodeId, PathId> owners(statements_.size());
    for (NodeId node : trial_.graph.node_ids()) owners[node] = statements_[node].owner;
    return CountWrappers(trial_, owners, paths_);
  }

  // Some modules hold parameters and are never called: their nodes are tagged further out.
  void LearnLevels() {
    for (NodeId node : trial_.graph.node_ids()) {
      const PathId tag = trial_.tags[node];
      if (!statements_[node].owner.valid() || !tag.valid()) continue;
      const PathId owner = WithoutWrappers(statements_[node].owner, wrappers_, paths_);
      if (!paths_.Contains(tag, owner)) continue;
      ++levels_[skeletons_.Of(owner)][paths_.depth(owner) - paths_.depth(tag)];
    }
  }

  // How far out most nodes with parameters of such modules are tagged.
  uint32_t LevelsOut(PathId owner) {
    uint32_t levels = 0;
    size_t most = 0;
    for (const auto& [candidate, nodes] : levels_[skeletons_.Of(owner)]) {
      if (nodes <= most) continue;
      most = nodes;
      levels = candidate;
    }
    return levels;
  }

  // Another module of the same layer may hold the parameter for this one: that is no finding.
  void JudgeByOwner(NodeId node) {
    const PathId tag = trial_.tags[node];
    const PathId owner = WithoutWrappers(statements_[node].owner, wrappers_, paths_);
    const TagDifference difference = trial_.siblings.Compare(owner, tag);
    if (difference.relation != TagRelation::kCrossLayer) return;
    if (trial_.siblings.OneSkipsAtoms(owner, tag)) return;
    Finding finding;
    finding.node = node;
    finding.actual = tag;
    finding.kind = FindingKind::kCrossLayer;
    finding.depth = difference.depth;
    finding.witnesses.Add(TagWitness::kParameters);
    finding.confidence = kParameterConfidence;
    // The tag may say more than the owner does of where in the layer the node is.
    const PathId layer = paths_.AncestorAtDepth(owner, difference.depth + 1);
    const PathId moved = trial_.siblings.Transplant(layer, tag, difference.depth + 1);
    const PathId usual = paths_.AncestorAtDepth(
        owner, std::max(paths_.depth(layer), paths_.depth(owner) - LevelsOut(owner)));
    finding.expected = paths_.depth(moved) > paths_.depth(owner) ? moved : usual;
    verdicts_.findings.push_back(finding);
  }

  const Trial& trial_;
  const IdVector<NodeId, NodeStatements>& statements_;
  ModulePaths& paths_;
  Verdicts& verdicts_;
  Skeletons skeletons_;
  // Owners, as skeletons -> levels between owner and tag -> nodes.
  absl::flat_hash_map<PathId, std::map<uint32_t, size_t>> levels_;
  bool spelled_as_modules_ = false;
  uint32_t wrappers_ = 0;
};

}  // namespace

void JudgePathTags(const Trial& trial, const IdVector<NodeId, NodeStatements>& statements,
                   ModulePaths& paths, Verdicts& verdicts) {
  PathTagJudge(trial, statements, paths, verdicts).Judge();
}

}  // namespace onnx_hier
