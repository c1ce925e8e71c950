// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <utility>
#include <vector>

#include "absl/container/inlined_vector.h"
#include "lib/audit/class_tags.h"
#include "lib/audit/comparisons.h"
#include "lib/audit/name_evidence.h"
#include "lib/audit/name_findings.h"
#include "lib/audit/path_tags.h"
#include "lib/audit/tag_audit.h"
#include "lib/names/layer_lists.h"
#include "lib/names/readable_graph.h"
#include "lib/tags/method_name.h"
#include "onnx_hier/annotation.h"
#include "onnx_hier/check.h"
#include "onnx_hier/ids.h"
#include "onnx_hier/module_paths.h"

namespace onnx_hier {
namespace {

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
      : readable_(graph),
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
      // What would be tagged so again is no mistake of whoever tagged it, surely not where nothing
      // spells the module that it was to be in.
      const NodeId node = correction.node;
      correction.node = in_file(node);
      const PathId tag = original_[correction.node];
      if (fresh.Confirms(node, tag)) continue;
      if (fresh.IsSame(node, tag) && !audit.layers.exists(correction.expected)) continue;
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
