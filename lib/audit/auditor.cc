// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <map>
#include <utility>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "absl/container/inlined_vector.h"
#include "lib/audit/class_numbers.h"
#include "lib/audit/class_tags.h"
#include "lib/audit/comparisons.h"
#include "lib/audit/name_evidence.h"
#include "lib/audit/name_findings.h"
#include "lib/audit/tag_audit.h"
#include "lib/audit/wrappers.h"
#include "lib/names/layer_lists.h"
#include "lib/names/named_parameters.h"
#include "lib/names/readable_graph.h"
#include "lib/tags/method_name.h"
#include "onnx_hier/annotation.h"
#include "onnx_hier/check.h"
#include "onnx_hier/ids.h"
#include "onnx_hier/module_paths.h"

namespace onnx_hier {
namespace {

// --- Tags that are instance names ("/encoder/layer.0"): compared with the scopes in names, then
// with the modules of parameters.

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

// New paths may be added to `paths`.
void CheckPathTags(const TagAudit& audit, const IdVector<NodeId, NodeNameEvidence>& name_evidence,
                   ModulePaths& paths, NameFindings& result) {
  PathTagChecker(audit, name_evidence, paths, result).Check();
}

// A node and the modules of what it stands for in the model that its own was made from: its own
// first, then those of what was fused to it.
struct CarriedPlace {
  NodeId node;
  absl::InlinedVector<PathId, 2> paths;
  float confidence = 0;
};
using CarriedPlaces = std::vector<CarriedPlace>;

Finding FindingOf(const TagAudit& audit, const CarriedPlace& place) {
  Finding finding;
  finding.node = place.node;
  finding.actual = audit.tags[place.node];
  finding.expected = place.paths.front();
  finding.confidence = place.confidence;
  finding.witnesses.Add(TagWitness::kOriginal);
  const TagDifference difference = audit.layers.Compare(finding.expected, finding.actual);
  finding.kind = KindOf(difference.relation);
  finding.depth = difference.depth;
  return finding;
}

// Of nodes that stand for nodes of the original, in graph order; their paths are added to `paths`.
CarriedPlaces PlacesOf(const Annotation& carried, ModulePaths& paths) {
  CarriedPlaces places;
  const auto own = [&](PathId path) { return paths.Copy(carried.paths, path); };
  for (NodeId node : IdRange<NodeId>(carried.assignments.size())) {
    const Assignment& assignment = carried.assignments[node];
    if (!IsTransfer(assignment.method)) continue;
    CarriedPlace place = {node, {own(assignment.primary)}, assignment.confidence};
    for (PathId path : carried.auxiliary_of(node)) place.paths.push_back(own(path));
    places.push_back(std::move(place));
  }
  return places;
}

// Settles each of these nodes that has a tag.
void CheckCarried(const TagAudit& audit, const CarriedPlaces& places, NameFindings& result) {
  for (const CarriedPlace& place : places) {
    const PathId tag = audit.tags[place.node];
    if (!tag.valid()) continue;
    result.settled.Add(place.node);
    const auto vouches = [&](PathId path) { return audit.layers.Vouches(path, tag); };
    if (std::any_of(place.paths.begin(), place.paths.end(), vouches)) continue;
    result.findings.push_back(FindingOf(audit, place));
  }
}

class Auditor {
 public:
  // `carried` may be null.
  Auditor(const Graph& graph, const ModuleMap& module_map, const Annotation* carried, Tags& tags)
      : named_(graph, tags.parameter_names),
        readable_(named_.graph()),
        graph_(readable_.graph()),
        carried_(carried),
        tags_(tags),
        paths_(tags.paths()),
        name_evidence_(CollectNameEvidence(readable_, module_map, tags)),
        original_(graph.node_count()) {
    for (NodeId node : graph.node_ids()) original_[node] = tags[node].primary;
  }

  std::vector<Finding> Audit() {
    const bool classes = TagsAreClasses(tags_, name_evidence_.nodes);
    const CarriedPlaces places =
        carried_ == nullptr || classes ? CarriedPlaces() : PlacesOf(*carried_, paths_);
    const LayerLists layers(paths_, UsedPaths(classes, places));
    TagAudit audit{graph_, layers, original_};
    NameFindings result;
    result.settled = IdSet<NodeId>(graph_.node_count());
    CheckCarried(audit, places, result);
    (classes ? CheckClassTags : CheckPathTags)(audit, name_evidence_.nodes, paths_, result);
    for (const Finding& finding : result.findings) audit.tags[finding.node] = finding.expected;
    settled_ = std::move(result.settled);
    findings_ = std::move(result.findings);
    if (AnyOpen()) {
      for (const ModelEvidence& model : name_evidence_.evidence.models) {
        Compare(model, classes, audit);
      }
      if (name_evidence_.evidence.models.empty()) {
        Compare(name_evidence_.evidence, classes, settled_, audit, [](NodeId id) { return id; });
      }
    }
    // Names that hold slashes can be read as paths in two ways, and are the same tag.
    const auto is_none = [this](const Finding& finding) {
      return tags_.Text(finding.node) == paths_.Tag(finding.expected);
    };
    findings_.erase(std::remove_if(findings_.begin(), findings_.end(), is_none), findings_.end());
    std::sort(findings_.begin(), findings_.end(),
              [](const Finding& a, const Finding& b) { return a.node < b.node; });
    return std::move(findings_);
  }

 private:
  std::vector<PathId> UsedPaths(bool classes, const CarriedPlaces& places) const {
    std::vector<PathId> used;
    for (const CarriedPlace& place : places) used.push_back(place.paths.front());
    for (NodeId node : graph_.node_ids()) {
      if (original_[node].valid()) used.push_back(original_[node]);
      if (!classes && name_evidence_.nodes[node].best().valid())
        used.push_back(name_evidence_.nodes[node].best());
      if (!classes && name_evidence_.nodes[node].owner.valid())
        used.push_back(name_evidence_.nodes[node].owner);
    }
    return used;
  }

  bool AnyOpen() const {
    for (NodeId node : graph_.node_ids()) {
      if (!settled_.Has(node) && original_[node].valid()) return true;
    }
    return false;
  }

  // Of a model that others were joined to.
  void Compare(const ModelEvidence& model, bool classes, const TagAudit& whole) {
    TagAudit audit{*model.graph, whole.layers, IdVector<NodeId, PathId>(model.graph->node_count())};
    IdSet<NodeId> settled(model.graph->node_count());
    for (NodeId id : model.graph->node_ids()) {
      audit.tags[id] = whole.tags[model.part->InWhole(id)];
      if (settled_.Has(model.part->InWhole(id))) settled.Add(id);
    }
    Compare(model.evidence, classes, settled, audit,
            [&](NodeId id) { return model.part->InWhole(id); });
  }

  template <class InFile>
  void Compare(const Evidence& evidence, bool classes, const IdSet<NodeId>& settled,
               TagAudit& audit, const InFile& in_file) {
    const GraphAnalysis analysis(audit.graph);
    const FreshTags fresh = classes ? FreshTags() : InferFresh(audit, analysis, evidence, paths_);
    for (Correction& correction : CompareTags(analysis.flow(), settled, fresh, paths_, audit)) {
      // What would be tagged so again is no mistake of whoever tagged it.
      const NodeId node = correction.node;
      correction.node = in_file(node);
      if (fresh.IsSame(node, original_[correction.node])) continue;
      AddFinding(audit.layers, correction);
    }
  }

  void AddFinding(const LayerLists& layers, const Correction& correction) {
    Finding finding;
    finding.node = correction.node;
    finding.actual = original_[correction.node];
    finding.expected = correction.expected;
    const TagDifference difference = layers.Compare(finding.expected, finding.actual);
    if (difference.compatible()) return;
    finding.kind = KindOf(difference.relation);
    finding.depth = difference.depth;
    finding.witnesses = correction.witnesses;
    finding.confidence = correction.confidence();
    findings_.push_back(finding);
  }

  const NamedParameters named_;
  const ReadableGraph readable_;
  const Graph& graph_;
  const Annotation* const carried_;
  const Tags& tags_;
  ModulePaths& paths_;
  const NameEvidence name_evidence_;
  IdVector<NodeId, PathId> original_;
  IdSet<NodeId> settled_;
  std::vector<Finding> findings_;
};

}  // namespace

std::vector<Finding> FindContamination(const Graph& graph, const ModuleMap& module_map,
                                       Tags& tags) {
  return Auditor(graph, module_map, nullptr, tags).Audit();
}

std::vector<Finding> FindContamination(const Graph& graph, const ModuleMap& module_map,
                                       const Annotation& carried, Tags& tags) {
  return Auditor(graph, module_map, &carried, tags).Audit();
}

}  // namespace onnx_hier
