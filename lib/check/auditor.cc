#include <algorithm>
#include <utility>

#include "lib/check/carried_tags.h"
#include "lib/check/class_tags.h"
#include "lib/check/name_evidence.h"
#include "lib/check/path_tags.h"
#include "lib/compare/comparisons.h"
#include "lib/compare/tag_audit.h"
#include "lib/layers/layer_lists.h"
#include "onnx_hier/check.h"

namespace onnx_hier {
namespace {

class Auditor {
 public:
  // `carried` may be null.
  Auditor(const Graph& graph, const ModuleMap& module_map, const Annotation* carried, Tags& tags)
      : graph_(graph),
        carried_(carried),
        tags_(tags),
        paths_(tags.paths()),
        name_evidence_(CollectNameEvidence(graph, module_map, tags)),
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
    if (AnyOpen()) Compare(classes, audit);
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

  void Compare(bool classes, TagAudit& audit) {
    const FreshTags fresh =
        classes ? FreshTags() : InferFresh(audit, name_evidence_.evidence, paths_);
    for (const Correction& correction : CompareTags(settled_, fresh, paths_, audit)) {
      // What would be tagged so again is no mistake of whoever tagged it.
      if (fresh.Confirms(correction.node, original_[correction.node])) continue;
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
