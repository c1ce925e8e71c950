// SPDX-License-Identifier: Apache-2.0
#include "lib/api/joined_owners.h"

#include <utility>
#include <vector>

#include "lib/api/annotate.h"
#include "lib/owners/joined_evidence.h"
#include "lib/owners/known_modules.h"

namespace onnx_hier {
namespace {

class ModelsDecider {
 public:
  ModelsDecider(const Flow& flow, const Evidence& evidence, const InferOptions& options,
                ModulePaths& paths, ContaminationCount& contamination)
      : flow_(flow),
        evidence_(evidence),
        options_(options),
        paths_(paths),
        contamination_(contamination) {}

  Assignments Decide() {
    Assignments owners(evidence_.nodes.size());
    contamination_ = {};
    for (const ModelEvidence& model : evidence_.models) Decide(model, owners);
    return owners;
  }

 private:
  void Decide(const ModelEvidence& model, Assignments& owners) {
    const GraphAnalysis analysis(*model.graph);
    const Evidence evidence = EvidenceOf(model, evidence_);
    DecisionTrace trace(TracedIn(model, analysis.flow()));
    const InferOptions options = {.tables = options_.tables,
                                  .trace = options_.trace == nullptr ? nullptr : &trace,
                                  .threads = options_.threads,
                                  .least_containment = options_.least_containment,
                                  .sureness = model.sureness};
    ContaminationCount contamination;
    const Assignments decided =
        DecideOwners(analysis, evidence, CollectKnown(analysis.flow(), evidence, paths_), options,
                     paths_, contamination);
    contamination_.found += contamination.found;
    contamination_.unresolved += contamination.unresolved;
    for (NodeId id : model.graph->node_ids()) {
      Assignment& owner = owners[model.part->InWhole(id)];
      owner = decided[id];
      if (!paths_.Contains(model.top, owner.primary)) owner.primary = model.top;
      if (owner.witness.valid()) owner.witness = model.part->InWhole(owner.witness);
    }
    TakeOver(model, analysis.flow(), trace);
  }

  // Nodes that somebody will ask for.
  std::vector<Rank> TracedIn(const ModelEvidence& model, const Flow& flow) const {
    std::vector<Rank> traced;
    for (NodeId id : model.graph->node_ids()) {
      if (TraceOf(model, id) != nullptr) traced.push_back(flow.rank(id));
    }
    return traced;
  }
  WeighedNode* TraceOf(const ModelEvidence& model, NodeId id) const {
    if (options_.trace == nullptr) return nullptr;
    return options_.trace->Find(flow_.rank(model.part->InWhole(id)));
  }

  void TakeOver(const ModelEvidence& model, const Flow& flow, DecisionTrace& trace) const {
    const auto in_file = [&](Rank rank) {
      return rank.valid() ? flow_.rank(model.part->InWhole(flow.node(rank))) : rank;
    };
    for (NodeId id : model.graph->node_ids()) {
      WeighedNode* const traced = TraceOf(model, id);
      if (traced == nullptr) continue;
      *traced = std::move(*trace.Find(flow.rank(id)));
      for (Lead& lead : traced->leads) lead.witness = in_file(lead.witness);
      for (WeighedNode::Heard& heard : traced->heard) heard.witness = in_file(heard.witness);
    }
  }

  const Flow& flow_;
  const Evidence& evidence_;
  const InferOptions& options_;
  ModulePaths& paths_;
  ContaminationCount& contamination_;
};

}  // namespace

Assignments DecideOwnersOfModels(const Flow& flow, const Evidence& evidence,
                                 const InferOptions& options, ModulePaths& paths,
                                 ContaminationCount& contamination) {
  return ModelsDecider(flow, evidence, options, paths, contamination).Decide();
}

}  // namespace onnx_hier
