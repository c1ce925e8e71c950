#include "lib/evidence/parameter_owners.h"

#include <algorithm>

#include "lib/base/distinct_tail.h"
#include "lib/scope/derived_name.h"
#include "lib/scope/parameter_name.h"

namespace onnx_hier {
namespace {

// What a node reads if it reads nothing that depends on the model's inputs.
struct ConstantInputs {
  bool all = true;  // it reads constants only
  PathId owner;     // the one module whose parameters are among them
  bool several = false;
};

class Finder {
 public:
  Finder(const Graph& graph, ModulePaths& paths)
      : graph_(graph),
        paths_(paths),
        owners_(graph.value_count()),
        constant_(graph.value_count()) {}

  IdVector<ValueId, PathId> Find() {
    for (ValueId id : graph_.value_ids()) {
      const Value& value = graph_.value(id);
      if (value.kind != ValueKind::kInitializer) continue;
      const absl::string_view owner = OwnerInParameterName(value.name);
      if (!IsReader(owner, graph_.uses(id))) owners_[id] = PathTo(owner);
      constant_.Add(id);
    }
    for (NodeId node : graph_.node_ids()) Follow(node);
    return std::move(owners_);
  }

 private:
  // "Reshape_1.shape", which the node Reshape_1 reads, is no module's, but the operator's.
  bool IsReader(absl::string_view owner, absl::Span<const Use> uses) const {
    return !owner.empty() && owner.find('.') == absl::string_view::npos &&
           std::any_of(uses.begin(), uses.end(), [&](const Use& use) {
             return graph_.node(use.node).name == owner &&
                    WithoutCounter(owner) == graph_.op(use.node).type;
           });
  }

  // A module's parameters, and those of its neighbours, mostly stand one after the other: what an
  // owner's name has in common with the last one's is not looked up again.
  PathId PathTo(absl::string_view owner) {
    if (owner.empty()) return PathId();
    const auto parting =
        std::mismatch(owner.begin(), owner.end(), last_owner_.begin(), last_owner_.end());
    const auto shared = static_cast<size_t>(parting.first - owner.begin());
    const auto is_shared = [&](size_t end) {
      return end <= shared && (end == owner.size() || owner[end] == '.');
    };
    while (!steps_.empty() && !is_shared(steps_.back().end)) steps_.pop_back();
    PathId path = steps_.empty() ? paths_.root() : steps_.back().path;
    for (size_t at = steps_.empty() ? 0 : steps_.back().end + 1; at < owner.size();) {
      const size_t end = std::min(owner.find('.', at), owner.size());
      if (end > at) {
        path = paths_.Child(path, owner.substr(at, end - at));
        steps_.push_back({end, path});
      }
      at = end + 1;
    }
    last_owner_ = owner;
    return path;
  }

  ConstantInputs Look(NodeId node) const {
    ConstantInputs inputs;
    // A node that holds graphs reads more than its inputs.
    inputs.all = graph_.blocks(node).empty();
    for (ValueId value : graph_.inputs(node)) {
      if (!value.valid()) continue;
      if (!constant_.Has(value)) inputs.all = false;
      if (!inputs.all) break;
      if (!owners_[value].valid() || owners_[value] == inputs.owner) continue;
      inputs.several = inputs.owner.valid();
      inputs.owner = owners_[value];
    }
    return inputs;
  }

  void Follow(NodeId node) {
    const ConstantInputs inputs = Look(node);
    if (!inputs.all) return;
    for (ValueId value : graph_.outputs(node)) {
      if (!value.valid()) continue;
      constant_.Add(value);
      owners_[value] = PathTo(OwnerInParameterName(graph_.value(value).name));
      if (!owners_[value].valid() && !inputs.several) owners_[value] = inputs.owner;
    }
  }

  const Graph& graph_;
  ModulePaths& paths_;
  IdVector<ValueId, PathId> owners_;
  IdSet<ValueId> constant_;
  struct Step {
    size_t end = 0;  // of a name in last_owner_
    PathId path;     // up to there
  };
  absl::string_view last_owner_;
  std::vector<Step> steps_;
};

}  // namespace

IdVector<ValueId, PathId> FindParameterOwners(const Graph& graph, ModulePaths& paths) {
  return Finder(graph, paths).Find();
}

Range AppendOwners(const Graph& graph, const IdVector<ValueId, PathId>& value_owners, NodeId node,
                   std::vector<PathId>& owners) {
  Range range;
  range.begin = static_cast<uint32_t>(owners.size());
  // Merged parameters are copied under their own names: a copy is where its name says, not where
  // the one is that was kept.
  const absl::Span<const ValueId> outputs = graph.outputs(node);
  const bool copies = outputs.size() == 1 && outputs[0].valid() && value_owners[outputs[0]].valid();
  DistinctTail<PathId> distinct(owners);
  for (ValueId value : copies ? outputs : graph.inputs(node)) {
    if (value.valid() && value_owners[value].valid()) distinct.Add(value_owners[value]);
  }
  range.end = static_cast<uint32_t>(owners.size());
  return range;
}

}  // namespace onnx_hier
