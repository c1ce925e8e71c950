// SPDX-License-Identifier: Apache-2.0
#include "lib/owners/operator_names.h"

#include <algorithm>
#include <cstdint>

#include "absl/strings/ascii.h"
#include "absl/strings/string_view.h"
#include "lib/base/slash_path.h"
#include "lib/names/derived_name.h"
#include "lib/owners/parameter_owners.h"

namespace onnx_hier {
namespace {

// Modules, too, are called `conv`; a form with other letters or left out ones must be longer.
constexpr size_t kShortestForm = 6;

// Whether the name is that of the operator, or a usual form of it: "layernorm" of
// SimplifiedLayerNormalization.
bool IsNameOf(absl::string_view name, absl::string_view op_type) {
  name = WithoutCounter(name);
  if (name == op_type) return true;
  if (name.size() < kShortestForm) return false;
  const auto same = [](char a, char b) {
    return absl::ascii_tolower(static_cast<unsigned char>(a)) ==
           absl::ascii_tolower(static_cast<unsigned char>(b));
  };
  return std::search(op_type.begin(), op_type.end(), name.begin(), name.end(), same) !=
         op_type.end();
}

// Tells modules from operators after which parameters were named.
class OperatorParameters {
 public:
  OperatorParameters(const Graph& graph, const ModulePaths& paths, Evidence& evidence)
      : graph_(graph),
        paths_(paths),
        evidence_(evidence),
        is_module_(paths.size()),
        is_operator_(paths.size()) {}

  void Run() {
    for (ValueId value : graph_.value_ids()) LookAtReaders(value);
    if (!found_) return;
    FindModules();
    IdVector<ValueId, PathId>& owners = evidence_.value_owners;
    for (PathId& owner : owners) {
      if (IsOperator(owner)) owner = paths_.parent(owner);
    }
    evidence_.owners.clear();
    for (NodeId node : graph_.node_ids()) {
      FindOwnersOf(graph_, node, evidence_);
    }
  }

 private:
  bool IsOperator(PathId path) const {
    return path.valid() && is_operator_.Has(path) && !is_module_.Has(path);
  }

  void LookAtReaders(ValueId value) {
    if (graph_.value(value).kind != ValueKind::kInitializer) return;
    const PathId owner = evidence_.value_owners[value];
    if (!owner.valid() || owner == paths_.root() || is_module_.Has(owner)) return;
    for (const Use& use : graph_.uses(value)) {
      if (evidence_.nodes[use.node].place != paths_.parent(owner) ||
          !IsNameOf(paths_.name(owner), graph_.op(use.node).type)) {
        is_module_.Add(owner);
        return;
      }
      is_operator_.Add(owner);
      found_ = true;
    }
  }

  // What holds a node or another module is none of an operator's.
  void FindModules() {
    for (const NodeEvidence& node : evidence_.nodes) {
      if (node.place.valid()) MarkFrom(node.place);
    }
    for (PathId owner : evidence_.value_owners) {
      if (owner.valid() && owner != paths_.root()) MarkFrom(paths_.parent(owner));
    }
  }

  void MarkFrom(PathId path) {
    for (; !marked_.Contains(path); path = paths_.parent(path)) {
      if (marked_.size() == 0) marked_ = IdSet<PathId>(paths_.size());
      marked_.Add(path);
      is_module_.Add(path);
      if (path == paths_.root()) break;
    }
  }

  const Graph& graph_;
  const ModulePaths& paths_;
  Evidence& evidence_;
  IdSet<PathId> is_module_;
  IdSet<PathId> is_operator_;
  IdSet<PathId> marked_;
  bool found_ = false;
};

}  // namespace

IdVector<ScopeId, ScopeId> FindScopesOfNodes(const Graph& graph, const PrintedScopes& printed,
                                             const IdVector<NodeId, ScopeId>& scope_of,
                                             const Evidence& evidence) {
  // TensorFlow gives a name once: what is called like an operator is none of a layer. Elsewhere
  // only operators begin with a capital letter, and few modules.
  const bool is_given_once = !printed.grammar().counts_calls();
  IdSet<ScopeId> may_hold(printed.size());
  bool found = false;
  for (ScopeId id : printed.ids()) {
    if (id == printed.root()) continue;
    if (!is_given_once && !BeginsWithCapital(printed.scope(id).component)) continue;
    may_hold.Add(printed.scope(id).parent);
    found = true;
  }
  if (!found) return {};
  IdSet<ScopeId> is_node(printed.size());
  found = false;
  for (NodeId node : graph.node_ids()) {
    const ScopeId scope = scope_of[node];
    if (!scope.valid() || !may_hold.Has(scope)) continue;
    const auto mark = [&](absl::string_view name) {
      const absl::string_view last = LastComponent(name);
      const ScopeId inner = printed.Inner(scope, last);
      if (!inner.valid() || (!is_given_once && !IsNameOf(last, graph.op(node).type))) return;
      is_node.Add(inner);
      found = true;
    };
    mark(graph.node(node).name);
    if (!is_given_once) continue;
    // Where a converter named the node after what it does there, "norm/Reshape_cast", the value
    // still has the operator's name: "norm/Reshape:0".
    for (ValueId value : graph.outputs(node)) {
      if (!value.valid()) continue;
      const absl::string_view name = graph.value(value).name;
      mark(name.substr(0, name.rfind(':')));
    }
  }
  if (!found) return {};
  for (NodeId node : graph.node_ids()) {
    if (!scope_of[node].valid() || evidence.owners_of(node).empty()) continue;
    for (ScopeId at = scope_of[node]; at != printed.root(); at = printed.scope(at).parent) {
      is_node.Remove(at);
    }
  }
  IdVector<ScopeId, ScopeId> meant(printed.size());
  for (ScopeId id : printed.ids()) {
    const ScopeId parent = printed.scope(id).parent;
    const bool inside = parent.valid() && (is_node.Has(id) || meant[parent] != parent);
    meant[id] = inside ? meant[parent] : id;
  }
  return meant;
}

void GiveToModules(const Graph& graph, const ModulePaths& paths, Evidence& evidence) {
  OperatorParameters(graph, paths, evidence).Run();
}

}  // namespace onnx_hier
