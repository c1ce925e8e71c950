#include "lib/evidence/evidence.h"

#include <algorithm>

#include "lib/scope/parameter_name.h"
#include "lib/scope/scoped_name.h"

namespace onnx_hier {
namespace {

void SetPlace(NodeEvidence& node, PathId place, Witness witness) {
  if (node.place.valid() || !place.valid()) return;
  node.place = place;
  node.witness = witness;
}

class Collector {
 public:
  Collector(const Graph& graph, ModulePaths& paths) : graph_(graph), paths_(paths) {}

  Evidence Collect() {
    evidence_.nodes.resize(graph_.node_count());
    FindParameterOwners();
    size_t scoped = 0;
    for (NodeId id : graph_.node_ids()) {
      ReadNames(id);
      CollectOwners(id);
      if (evidence_.nodes[id].place.valid()) ++scoped;
    }
    evidence_.dialect = scoped > 0 ? "torchscript-scoped" : "unknown";
    return std::move(evidence_);
  }

 private:
  void FindParameterOwners() {
    value_owners_.resize(graph_.value_count());
    for (ValueId id : graph_.value_ids()) {
      const Value& value = graph_.value(id);
      if (value.kind == ValueKind::kInitializer) {
        value_owners_[id] = OwnerOfParameterName(value.name, paths_);
      }
    }
    // A parameter that was merged with an equal one keeps its name on the copy of it.
    for (NodeId node : graph_.node_ids()) {
      const bool constant = std::all_of(
          graph_.inputs(node).begin(), graph_.inputs(node).end(), [this](ValueId value) {
            return !value.valid() || graph_.value(value).kind == ValueKind::kInitializer;
          });
      if (!constant) continue;
      for (ValueId value : graph_.outputs(node)) {
        if (value.valid()) {
          value_owners_[value] = OwnerOfParameterName(graph_.value(value).name, paths_);
        }
      }
    }
  }

  void ReadNames(NodeId id) {
    NodeEvidence& node = evidence_.nodes[id];
    SetPlace(node, ScopeOfNodeName(graph_.node(id).name, paths_), Witness::kNodeName);
    for (ValueId value : graph_.outputs(id)) {
      if (!value.valid() || node.place.valid()) continue;
      SetPlace(node, ScopeOfValueName(graph_.value(value).name, paths_), Witness::kValueName);
    }
  }

  void CollectOwners(NodeId id) {
    std::vector<PathId>& owners = evidence_.owners;
    Range range;
    range.begin = static_cast<uint32_t>(owners.size());
    for (ValueId value : graph_.inputs(id)) {
      if (!value.valid() || !value_owners_[value].valid()) continue;
      const PathId owner = value_owners_[value];
      if (std::find(owners.begin() + range.begin, owners.end(), owner) == owners.end()) {
        owners.push_back(owner);
      }
    }
    range.end = static_cast<uint32_t>(owners.size());
    evidence_.nodes[id].owners = range;
  }

  const Graph& graph_;
  ModulePaths& paths_;
  IdVector<ValueId, PathId> value_owners_;
  Evidence evidence_;
};

}  // namespace

Evidence CollectEvidence(const Graph& graph, ModulePaths& paths) {
  return Collector(graph, paths).Collect();
}

}  // namespace onnx_hier
