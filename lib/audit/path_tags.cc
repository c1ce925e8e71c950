// SPDX-License-Identifier: Apache-2.0
#include "lib/audit/path_tags.h"

#include <algorithm>
#include <map>

#include "absl/container/flat_hash_map.h"
#include "lib/audit/class_numbers.h"
#include "lib/audit/wrappers.h"

namespace onnx_hier {
namespace {

// Confidence that a tag is wrong, as measured on files with known owners.
constexpr float kNameConfidence = 0.99f;
constexpr float kOutputConfidence = 0.95f;
constexpr float kParameterConfidence = 0.97f;

class PathTagChecker {
 public:
  PathTagChecker(const TagAudit& audit, const IdVector<NodeId, NodeNameEvidence>& name_evidence,
                 ModulePaths& paths, NameFindings& result)
      : audit_(audit),
        name_evidence_(name_evidence),
        paths_(paths),
        result_(result),
        skeletons_(paths) {}

  void Check() {
    spelled_as_modules_ = TagsAreModules();
    wrappers_ = FindWrappers();
    LearnLevels();
    for (NodeId node : audit_.graph.node_ids()) {
      if (!audit_.tags[node].valid() || result_.settled.Has(node)) continue;
      if (name_evidence_[node].best().valid()) {
        CheckByNames(node);
        result_.settled.Add(node);
      } else if (name_evidence_[node].owner.valid()) {
        CheckByOwner(node);
        result_.settled.Add(node);
      }
    }
  }

 private:
  // Whether tags are spelled as modules are called rather than as scopes are printed.
  bool TagsAreModules() const {
    size_t modules = 0;
    size_t scopes = 0;
    for (NodeId node : audit_.graph.node_ids()) {
      const NodeNameEvidence& said = name_evidence_[node];
      if (!said.module.valid() || !said.best().valid() || said.module == said.best()) continue;
      modules += said.module == audit_.tags[node] ? 1 : 0;
      scopes += said.best() == audit_.tags[node] ? 1 : 0;
    }
    return modules > scopes;
  }

  // Of the names of a fused node the one that the tag ends like: then only its layer is wrong.
  PathId Expected(const NodeNameEvidence& said, PathId tag) const {
    const PathId best = spelled_as_modules_ && said.module.valid() ? said.module : said.best();
    for (PathId place : {best, said.output, said.other_module}) {
      if (place.valid() && paths_.name(place) == paths_.name(tag)) return place;
    }
    return best;
  }

  // A fused node stands for several: a tag that agrees with either of its names is right.
  void CheckByNames(NodeId node) {
    const NodeNameEvidence& said = name_evidence_[node];
    const PathId tag = audit_.tags[node];
    for (PathId place : {said.name, said.output, said.module, said.other_module}) {
      if (place.valid() && audit_.layers.Vouches(place, tag)) return;
    }
    Finding finding;
    finding.node = node;
    finding.actual = tag;
    finding.expected = Expected(said, tag);
    if (said.name.valid()) finding.witnesses.Add(TagWitness::kName);
    if (said.output.valid()) finding.witnesses.Add(TagWitness::kOutput);
    if (!said.name.valid() && !said.output.valid()) finding.witnesses.Add(TagWitness::kModule);
    finding.confidence = said.name.valid() ? kNameConfidence : kOutputConfidence;
    const TagDifference difference = audit_.layers.Compare(finding.expected, tag);
    finding.kind = KindOf(difference.relation);
    finding.depth = difference.depth;
    // It may as well be where another of its parts was.
    if (said.fused && finding.kind == FindingKind::kCrossModule) return;
    result_.findings.push_back(finding);
  }

  uint32_t FindWrappers() {
    IdVector<NodeId, PathId> owners(name_evidence_.size());
    for (NodeId node : audit_.graph.node_ids()) owners[node] = name_evidence_[node].owner;
    return CountWrappers(audit_, owners, paths_);
  }

  // Some modules hold parameters and are never called: their nodes are tagged further out.
  void LearnLevels() {
    for (NodeId node : audit_.graph.node_ids()) {
      const PathId tag = audit_.tags[node];
      if (!name_evidence_[node].owner.valid() || !tag.valid()) continue;
      const PathId owner = WithoutWrappers(name_evidence_[node].owner, wrappers_, paths_);
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
  void CheckByOwner(NodeId node) {
    const PathId tag = audit_.tags[node];
    const PathId owner = WithoutWrappers(name_evidence_[node].owner, wrappers_, paths_);
    const TagDifference difference = audit_.layers.Compare(owner, tag);
    if (difference.relation != TagRelation::kCrossLayer) return;
    if (audit_.layers.OneSkipsAtoms(owner, tag)) return;
    Finding finding;
    finding.node = node;
    finding.actual = tag;
    finding.kind = FindingKind::kCrossLayer;
    finding.depth = difference.depth;
    finding.witnesses.Add(TagWitness::kParameters);
    finding.confidence = kParameterConfidence;
    // The tag may say more than the owner does of where in the layer the node is.
    const PathId layer = paths_.AncestorAtDepth(owner, difference.depth + 1);
    const PathId moved = audit_.layers.Transplant(layer, tag, difference.depth + 1);
    const PathId usual = paths_.AncestorAtDepth(
        owner, std::max(paths_.depth(layer), paths_.depth(owner) - LevelsOut(owner)));
    finding.expected = paths_.depth(moved) > paths_.depth(owner) ? moved : usual;
    result_.findings.push_back(finding);
  }

  const TagAudit& audit_;
  const IdVector<NodeId, NodeNameEvidence>& name_evidence_;
  ModulePaths& paths_;
  NameFindings& result_;
  Skeletons skeletons_;
  // Owners, as skeletons -> levels between owner and tag -> nodes.
  absl::flat_hash_map<PathId, std::map<uint32_t, size_t>> levels_;
  bool spelled_as_modules_ = false;
  uint32_t wrappers_ = 0;
};

}  // namespace

void CheckPathTags(const TagAudit& audit, const IdVector<NodeId, NodeNameEvidence>& name_evidence,
                   ModulePaths& paths, NameFindings& result) {
  PathTagChecker(audit, name_evidence, paths, result).Check();
}

}  // namespace onnx_hier
