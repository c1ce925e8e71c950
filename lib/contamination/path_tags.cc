#include <algorithm>
#include <array>
#include <vector>

#include "lib/contamination/judgement.h"

namespace onnx_hier {
namespace {

// Confidence that a tag is wrong, as measured on files with known owners.
constexpr float kNameConfidence = 0.99f;
constexpr float kOutputConfidence = 0.95f;
constexpr float kParameterConfidence = 0.97f;
// How many modules around the network names may leave out at the front of a parameter's name.
constexpr uint32_t kMostWrappers = 3;

FindingKind KindOf(TagRelation relation) {
  return relation == TagRelation::kCrossLayer ? FindingKind::kCrossLayer
                                              : FindingKind::kCrossModule;
}

class PathTagJudge {
 public:
  PathTagJudge(const Trial& trial, const IdVector<NodeId, NodeStatements>& statements,
               ModulePaths& paths, Verdicts& verdicts)
      : trial_(trial), statements_(statements), paths_(paths), verdicts_(verdicts) {}

  void Judge() {
    spelled_as_modules_ = TagsAreModules();
    wrappers_ = CountWrappers();
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

  // `path` without its first `count` atoms.
  PathId WithoutWrappers(PathId path, uint32_t count) {
    std::vector<PathId> atoms;
    for (; paths_.depth(path) > count; path = paths_.parent(path)) atoms.push_back(path);
    PathId result = paths_.root();
    for (size_t i = atoms.size(); i-- > 0;) result = paths_.Child(result, paths_.name(atoms[i]));
    return result;
  }

  // Parameters may be named from further out than tags: "model.decoder.fc" for /decoder/fc.
  uint32_t CountWrappers() {
    std::array<size_t, kMostWrappers> fits = {};
    for (NodeId node : trial_.graph.node_ids()) {
      const PathId owner = statements_[node].owner;
      const PathId tag = trial_.tags[node];
      if (!owner.valid() || !tag.valid() || tag == paths_.root()) continue;
      for (uint32_t count = 0; count < kMostWrappers && count < paths_.depth(owner); ++count) {
        if (!trial_.siblings.Compare(WithoutWrappers(owner, count), tag).compatible()) continue;
        ++fits[count];
        break;
      }
    }
    return static_cast<uint32_t>(std::max_element(fits.begin(), fits.end()) - fits.begin());
  }

  // Another module of the same layer may hold the parameter for this one: that is no finding.
  void JudgeByOwner(NodeId node) {
    const PathId tag = trial_.tags[node];
    const PathId owner = WithoutWrappers(statements_[node].owner, wrappers_);
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
    finding.expected = paths_.depth(moved) > paths_.depth(owner) ? moved : owner;
    verdicts_.findings.push_back(finding);
  }

  const Trial& trial_;
  const IdVector<NodeId, NodeStatements>& statements_;
  ModulePaths& paths_;
  Verdicts& verdicts_;
  bool spelled_as_modules_ = false;
  uint32_t wrappers_ = 0;
};

}  // namespace

void JudgePathTags(const Trial& trial, const IdVector<NodeId, NodeStatements>& statements,
                   ModulePaths& paths, Verdicts& verdicts) {
  PathTagJudge(trial, statements, paths, verdicts).Judge();
}

}  // namespace onnx_hier
