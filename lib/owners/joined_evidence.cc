// SPDX-License-Identifier: Apache-2.0
#include "lib/owners/joined_evidence.h"

#include <algorithm>
#include <cstdint>
#include <string>
#include <utility>

#include "absl/strings/str_join.h"

namespace onnx_hier {
namespace {

void AddAll(const IdSet<PathId>& more, IdSet<PathId>& called) {
  called.Resize(std::max(called.size(), more.size()));
  for (PathId path : IdRange<PathId>(more.size())) {
    if (more.Has(path)) called.Add(path);
  }
}

class EvidenceJoiner {
 public:
  explicit EvidenceJoiner(const Graph& whole) {
    joined_.nodes.resize(whole.node_count());
    joined_.value_owners.resize(whole.value_count());
    joined_.merged.Resize(whole.value_count());
  }

  void Add(ModelEvidence model) {
    AddNodes(model);
    AddValues(model);
    const Evidence& own = model.evidence;
    joined_.classes.insert(joined_.classes.end(), own.classes.begin(), own.classes.end());
    if (own.mapped_owners.size() > 0) {
      joined_.mapped_owners = own.mapped_owners;
      joined_.mapped_candidates = own.mapped_candidates;
    }
    if (std::find(dialects_.begin(), dialects_.end(), own.dialect) == dialects_.end()) {
      dialects_.push_back(own.dialect);
    }
    joined_.models.push_back(std::move(model));
  }

  Evidence Joined(const ModulePaths& paths) {
    joined_.dialect = absl::StrJoin(dialects_, ", ");
    MarkCalled(paths);
    return std::move(joined_);
  }

 private:
  void AddNodes(const ModelEvidence& model) {
    const auto first = static_cast<uint32_t>(joined_.owners.size());
    const Evidence& own = model.evidence;
    joined_.owners.insert(joined_.owners.end(), own.owners.begin(), own.owners.end());
    joined_.nodes.Add(
        own.nodes, [&](NodeId id) { return model.part->InWhole(id); }, first);
  }

  void AddValues(const ModelEvidence& model) {
    for (ValueId id : model.graph->value_ids()) {
      const ValueId value = model.part->InWhole(id);
      if (!value.valid() || !model.evidence.value_owners[id].valid()) continue;
      joined_.value_owners[value] = model.evidence.value_owners[id];
      if (model.evidence.merged.Contains(id)) joined_.merged.Add(value);
    }
  }

  // Where one model does not tell, nothing is known of the file.
  void MarkCalled(const ModulePaths& paths) {
    IdSet<PathId> called(paths.size());
    for (const ModelEvidence& model : joined_.models) {
      if (model.evidence.called.size() == 0) return;
      AddAll(model.evidence.called, called);
    }
    joined_.called = std::move(called);
  }

  Evidence joined_;
  std::vector<std::string> dialects_;
};

}  // namespace

Evidence JoinEvidence(const Graph& whole, const ModulePaths& paths,
                      std::vector<ModelEvidence> models) {
  EvidenceJoiner joiner(whole);
  for (ModelEvidence& model : models) joiner.Add(std::move(model));
  return joiner.Joined(paths);
}

Evidence EvidenceOf(const ModelEvidence& model, const Evidence& joined) {
  Evidence evidence = model.evidence;
  for (NodeId id : model.graph->node_ids()) {
    // A node that it goes with is one of the model's own.
    const NodeEvidence& node = joined.nodes[model.part->InWhole(id)];
    Statement said = node;
    said.neighbour = evidence.nodes[id].neighbour;
    evidence.nodes.Say(id, said, node.other_place);
  }
  // Modules that were found to be called since.
  if (evidence.called.size() > 0) AddAll(joined.called, evidence.called);
  return evidence;
}

}  // namespace onnx_hier
