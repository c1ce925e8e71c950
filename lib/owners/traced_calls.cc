// SPDX-License-Identifier: Apache-2.0
#include "lib/owners/traced_calls.h"

#include <cstdint>
#include <utility>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "absl/container/flat_hash_set.h"
#include "absl/strings/string_view.h"
#include "lib/names/number.h"

namespace onnx_hier {
namespace {

// Of an operator that is a module of its own: the parent may as well compute the same itself.
constexpr float kWithoutParameters = 0.9f;

enum class Tracing : uint8_t { kNo, kMaybe, kYes };

// Members of lists stand without the name of their list, and further calls are not counted.
Tracing FindTracing(const PrintedScopes& printed) {
  Tracing tracing = Tracing::kMaybe;
  absl::string_view base;
  uint32_t number = 0;
  for (ScopeId id : printed.ids()) {
    const absl::string_view component = printed.scope(id).component;
    const size_t dot = component.rfind('.');
    const bool is_member = dot != absl::string_view::npos && IsNumber(component.substr(dot + 1));
    const bool is_call =
        SplitCallSuffix(component, &base, &number) && printed.Sibling(id, base).valid();
    if (is_member || is_call) return Tracing::kNo;
    const ScopeId parent = printed.scope(id).parent;
    // Of a Sequential that is the model, numbers stand in the root.
    if (!parent.valid() || parent == printed.root() || !IsNumber(component)) continue;
    if (!IsNumber(printed.scope(parent).component)) tracing = Tracing::kYes;
  }
  return tracing;
}

class TracedCallPlacer {
 public:
  TracedCallPlacer(const Graph& graph, const PrintedScopes& printed,
                   const IdVector<NodeId, ScopeId>& scope_of, const ModulePaths& paths,
                   Evidence& evidence)
      : graph_(graph), printed_(printed), scope_of_(scope_of), paths_(paths), evidence_(evidence) {}

  void Run() {
    const Tracing tracing = FindTracing(printed_);
    if (tracing == Tracing::kNo) return;
    is_traced_ = tracing == Tracing::kYes;
    FindByParameters();
    if (is_traced_) FindByOperators();
    if (!calls_.empty()) Move();
  }

 private:
  struct Call {
    NodeId node;
    PathId module;
    float confidence = 1;
  };

  bool IsPlacedByName(NodeId id) const {
    const NodeEvidence& node = evidence_.nodes[id];
    return scope_of_[id].valid() && node.place.valid() && !node.is_around;
  }

  void FindByParameters() {
    for (NodeId id : graph_.node_ids()) {
      const absl::Span<const PathId> owners = evidence_.owners_of(id);
      if (owners.size() != 1 || !IsPlacedByName(id)) continue;
      const PathId place = evidence_.nodes[id].place;
      if (owners[0] == place || !paths_.Contains(place, owners[0])) continue;
      if (is_traced_ || IsReadLikeInModule(id, owners[0])) calls_.push_back({id, owners[0]});
    }
  }

  // Whether the module reads one of the node's parameters by the same operator.
  bool IsReadLikeInModule(NodeId id, PathId module) {
    if (read_by_.empty()) NoteReaders();
    for (ValueId value : graph_.inputs(id)) {
      if (value.valid() && evidence_.value_owners[value] == module &&
          read_by_[value] == graph_.node(id).op) {
        return true;
      }
    }
    return false;
  }

  void NoteReaders() {
    read_by_.resize(graph_.value_count());
    for (NodeId id : graph_.node_ids()) {
      if (!IsPlacedByName(id)) continue;
      for (ValueId value : graph_.inputs(id)) {
        if (value.valid() && evidence_.value_owners[value] == evidence_.nodes[id].place) {
          read_by_[value] = graph_.node(id).op;
        }
      }
    }
  }

  bool ReadsParameters(NodeId id) const {
    for (ValueId value : graph_.inputs(id)) {
      if (value.valid() && graph_.value(value).kind == ValueKind::kInitializer) return true;
    }
    return graph_.inputs(id).empty() || !evidence_.owners_of(id).empty();
  }

  void FindByOperators() {
    // Of each scope without others inside, the only operator; none: it has several.
    IdVector<ScopeId, OpId> only(printed_.size());
    IdSet<ScopeId> seen(printed_.size());
    for (NodeId id : graph_.node_ids()) {
      const ScopeId scope = scope_of_[id];
      if (!scope.valid() || printed_.scope(scope).has_inner) continue;
      const bool counts = !ReadsParameters(id) && (!seen.Has(scope) || only[scope] == OpOf(id));
      only[scope] = counts ? OpOf(id) : OpId();
      seen.Add(scope);
    }
    absl::flat_hash_map<std::pair<ScopeId, OpId>, ScopeId> inside;  // none: there are several
    for (ScopeId scope : printed_.ids()) {
      if (!only[scope].valid()) continue;
      const auto [found, is_new] =
          inside.try_emplace(std::make_pair(printed_.scope(scope).parent, only[scope]), scope);
      if (!is_new) found->second = ScopeId();
    }
    IdVector<ScopeId, PathId> modules(printed_.size());
    for (NodeId id : graph_.node_ids()) {
      if (IsPlacedByName(id)) modules[scope_of_[id]] = evidence_.nodes[id].place;
    }
    for (NodeId id : graph_.node_ids()) {
      if (!IsPlacedByName(id) || ReadsParameters(id)) continue;
      const auto found = inside.find(std::make_pair(scope_of_[id], OpOf(id)));
      if (found == inside.end() || !found->second.valid()) continue;
      const PathId module = modules[found->second];
      if (module.valid()) calls_.push_back({id, module, kWithoutParameters});
    }
  }

  OpId OpOf(NodeId id) const { return graph_.node(id).op; }

  // Calls are numbered in the file's order.
  void Move() {
    absl::flat_hash_set<PathId> again;
    for (const Call& call : calls_) {
      const NodeEvidence& node = evidence_.nodes[call.node];
      Statement said = node;
      said.place = call.module;
      said.confidence = call.confidence;
      if (call.confidence == 1) said.method = Method::kParameters;
      evidence_.nodes.Say(call.node, said, node.other_place);
      again.insert(call.module);
    }
    absl::flat_hash_map<std::pair<PathId, OpId>, uint32_t> counts;
    for (NodeId id : graph_.node_ids()) {
      const NodeEvidence& node = evidence_.nodes[id];
      if (!node.place.valid() || !again.contains(node.place)) continue;
      Statement said = node;
      said.call = counts[std::make_pair(node.place, OpOf(id))]++;
      evidence_.nodes.Say(id, said, node.other_place);
    }
  }

  const Graph& graph_;
  const PrintedScopes& printed_;
  const IdVector<NodeId, ScopeId>& scope_of_;
  const ModulePaths& paths_;
  Evidence& evidence_;
  bool is_traced_ = false;
  IdVector<ValueId, OpId> read_by_;  // parameters, by a node of their module; of no size: not asked
  std::vector<Call> calls_;
};

}  // namespace

void PlaceTracedCalls(const Graph& graph, const PrintedScopes& printed,
                      const IdVector<NodeId, ScopeId>& scope_of, const ModulePaths& paths,
                      Evidence& evidence) {
  TracedCallPlacer(graph, printed, scope_of, paths, evidence).Run();
}

}  // namespace onnx_hier
