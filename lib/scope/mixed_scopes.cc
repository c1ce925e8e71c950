#include "lib/scope/mixed_scopes.h"

#include <algorithm>

#include "lib/base/rules.h"
#include "lib/graph/weight.h"

namespace onnx_hier {
namespace {

// Operators of one scope; what does more is no simple module that is called again.
constexpr size_t kMostOps = 16;

class MixedScopes {
 public:
  MixedScopes(const Graph& graph, const IdVector<NodeId, ScopeId>& scope_of,
              const IdVector<ScopeId, ScopeMeaning>& meanings)
      : graph_(graph), scope_of_(scope_of), meanings_(meanings), scopes_(meanings.size()) {}

  std::vector<NodeId> Find() {
    if (!MarkCalls()) return {};
    met_ = IdSet<NodeId>(graph_.node_count());
    for (NodeId node : graph_.node_ids()) Gather(node);
    std::vector<NodeId> nodes;
    for (ScopeId id : IdRange<ScopeId>(meanings_.size())) {
      if (meanings_[id].number > 0) FindIn(id, nodes);
    }
    return nodes;
  }

 private:
  struct Scope {
    bool is_asked = false;
    bool has_weights = false;
    std::vector<OpId> ops;
    std::vector<NodeId> nodes;  // of a call
  };

  bool MarkCalls() {
    bool any = false;
    for (ScopeId id : IdRange<ScopeId>(meanings_.size())) {
      if (meanings_[id].number == 0) continue;
      any = true;
      scopes_[id].is_asked = true;
      scopes_[meanings_[id].base].is_asked = true;
    }
    return any;
  }

  void Gather(NodeId node) {
    const ScopeId id = scope_of_[node];
    if (!id.valid() || !scopes_[id].is_asked) return;
    Scope& scope = scopes_[id];
    if (meanings_[id].number > 0) scope.nodes.push_back(node);
    for (ValueId value : graph_.inputs(node)) {
      scope.has_weights |= value.valid() && graph_.value(value).kind == ValueKind::kInitializer &&
                           IsWeight(graph_.tensor(graph_.value(value).tensor));
    }
    const OpId op = graph_.node(node).op;
    const bool is_new = std::find(scope.ops.begin(), scope.ops.end(), op) == scope.ops.end();
    if (is_new && scope.ops.size() < kMostOps) scope.ops.push_back(op);
  }

  bool Does(const Scope& scope, OpId op) const {
    return std::find(scope.ops.begin(), scope.ops.end(), op) != scope.ops.end();
  }

  void FindIn(ScopeId id, std::vector<NodeId>& nodes) {
    const Scope& scope = scopes_[id];
    const Scope& base = scopes_[meanings_[id].base];
    if (scope.has_weights || base.has_weights || base.ops.empty() || scope.ops.size() == kMostOps ||
        base.ops.size() == kMostOps) {
      return;
    }
    const auto is_like_base = [&](NodeId node) { return Does(base, graph_.node(node).op); };
    const auto likes = std::count_if(scope.nodes.begin(), scope.nodes.end(), is_like_base);
    if (likes == 0 || static_cast<size_t>(likes) == scope.nodes.size()) return;
    std::vector<NodeId> others;
    for (NodeId node : scope.nodes) {
      if (!is_like_base(node) && !met_.Has(node)) Spread(node, id, others);
    }
    if (std::none_of(others.begin(), others.end(), is_like_base)) {
      nodes.insert(nodes.end(), others.begin(), others.end());
    }
  }

  // Adds all that exchanges data with the node inside the scope.
  void Spread(NodeId node, ScopeId id, std::vector<NodeId>& reached) {
    const auto add = [&](NodeId other) {
      if (!other.valid() || scope_of_[other] != id || met_.Has(other)) return;
      met_.Add(other);
      reached.push_back(other);
    };
    size_t next = reached.size();
    for (add(node); next < reached.size(); ++next) {
      for (ValueId value : graph_.inputs(reached[next])) {
        if (value.valid()) add(graph_.value(value).producer);
      }
      for (ValueId value : graph_.outputs(reached[next])) {
        if (!value.valid()) continue;
        for (const Use& use : graph_.uses(value)) add(use.node);
      }
    }
  }

  const Graph& graph_;
  const IdVector<NodeId, ScopeId>& scope_of_;
  const IdVector<ScopeId, ScopeMeaning>& meanings_;
  IdVector<ScopeId, Scope> scopes_;
  IdSet<NodeId> met_;
};

}  // namespace

std::vector<NodeId> FindNodesOfNames(const Graph& graph, const IdVector<NodeId, ScopeId>& scope_of,
                                     const IdVector<ScopeId, ScopeMeaning>& meanings) {
  if (!IsOn(Rule::kMixedScopes)) return {};
  return MixedScopes(graph, scope_of, meanings).Find();
}

}  // namespace onnx_hier
