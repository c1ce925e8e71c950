// SPDX-License-Identifier: Apache-2.0
#include "lib/audit/fresh.h"

#include <utility>

#include "lib/audit/thresholds.h"
#include "lib/audit/wrappers.h"
#include "lib/owners/infer.h"

namespace onnx_hier {
namespace {

constexpr float kLeastConfidence = 0.5f;

class FreshWitness {
 public:
  FreshWitness(const TagAudit& audit, const ModulePaths& paths, const FreshTags& fresh)
      : audit_(audit), paths_(paths), fresh_(fresh), shares_(audit.layers.list_count()) {}

  void Hear(std::vector<Suggestion>& suggestions) {
    for (NodeId node : audit_.graph.node_ids()) {
      if (audit_.tags[node].valid() && fresh_.confidences[node] >= kLeastConfidence) Compare(node);
    }
    for (const auto& [suggestion, list] : wishes_) {
      if (shares_[list].enough()) suggestions.push_back(suggestion);
    }
  }

 private:
  struct Share {
    size_t agreeing = 0;
    size_t all = 0;
    bool enough() const {
      return static_cast<double>(agreeing) >= kLeastAgreement * static_cast<double>(all);
    }
  };

  // A tag is defended, or moved to another layer, in the innermost list that both are in.
  void Compare(NodeId node) {
    const PathId place = fresh_.places[node];
    bool wished = false;
    for (PathId path = audit_.tags[node]; path.valid(); path = paths_.parent(path)) {
      const ListId list = audit_.layers.place(path).list;
      const PathId layer = list.valid() ? audit_.layers.LayerOf(place, list) : PathId();
      if (!layer.valid()) continue;
      const bool agrees = layer == path;
      ++shares_[list].all;
      shares_[list].agreeing += agrees ? 1 : 0;
      if (std::exchange(wished, true)) continue;
      Suggestion suggestion;
      suggestion.node = node;
      suggestion.witness = TagWitness::kFresh;
      suggestion.confidence = fresh_.confidences[node];
      suggestion.expected = agrees ? audit_.tags[node] : place;
      wishes_.emplace_back(suggestion, list);
    }
  }

  const TagAudit& audit_;
  const ModulePaths& paths_;
  const FreshTags& fresh_;
  IdVector<ListId, Share> shares_;
  std::vector<std::pair<Suggestion, ListId>> wishes_;
};

}  // namespace

FreshTags InferFresh(const TagAudit& audit, const GraphAnalysis& analysis, const Evidence& evidence,
                     ModulePaths& paths) {
  FreshTags fresh;
  const KnownModules known = CollectKnown(analysis.flow(), evidence, paths);
  const NodeOwners inferred = InferOwners(analysis, evidence, known, paths);
  for (NodeId node : audit.graph.node_ids()) {
    const Assignment& assignment = inferred[node];
    fresh.places.push_back(assignment.primary);
    // Parameters were heard before; those that nodes with different tags share say nothing.
    fresh.confidences.push_back(evidence.owners_of(node).empty() ? assignment.confidence : 0);
  }
  const uint32_t wrappers = CountWrappers(audit, fresh.places, paths);
  for (PathId& place : fresh.places) place = WithoutWrappers(place, wrappers, paths);
  return fresh;
}

void AskFresh(const TagAudit& audit, const ModulePaths& paths, const FreshTags& fresh,
              std::vector<Suggestion>& suggestions) {
  FreshWitness(audit, paths, fresh).Hear(suggestions);
}

}  // namespace onnx_hier
