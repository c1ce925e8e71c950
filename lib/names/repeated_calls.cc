// SPDX-License-Identifier: Apache-2.0
#include "lib/names/repeated_calls.h"

#include <algorithm>
#include <string>
#include <utility>
#include <vector>

#include "absl/base/attributes.h"
#include "absl/container/flat_hash_map.h"
#include "absl/container/flat_hash_set.h"
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "lib/base/rules.h"
#include "lib/graph/weight.h"
#include "lib/names/derived_name.h"
#include "lib/names/number.h"

namespace onnx_hier {
namespace {

// What the nodes directly in a scope do. Lists stop growing early: a few entries settle it.
constexpr size_t kMostFacts = 16;

struct ScopeFacts {
  std::vector<OpId> ops;
  std::vector<ValueId> weights;
  std::vector<PathId> owners;
};

template <class T>
void AddDistinct(std::vector<T>& items, T item) {
  if (items.size() < kMostFacts && std::find(items.begin(), items.end(), item) == items.end()) {
    items.push_back(item);
  }
}

template <class T>
bool HaveCommon(const std::vector<T>& a, const std::vector<T>& b) {
  return std::find_first_of(a.begin(), a.end(), b.begin(), b.end()) != a.end();
}

// Whether names of some nodes tell of no scope: then what a scope shows may not be all of it.
// Constants, which many exporters call nothing, do not count.
bool HasLostNames(const Graph& graph, const IdVector<NodeId, ScopeId>& scope_of) {
  for (NodeId node : graph.node_ids()) {
    if (!scope_of[node].valid() && !graph.inputs(node).empty()) return true;
  }
  return false;
}

// "/norm/Constant_1_output_0": what an exporter writes into a node. Optimisers make it an
// initializer, and keep one of equal ones.
bool IsOfConstant(absl::string_view value_name) {
  return absl::StartsWith(value_name.substr(value_name.rfind('/') + 1), "Constant_");
}

enum class Reading { kName, kCall, kOpen, kUnlike, kOther, kOtherOfList };

class ScopeReader {
 public:
  ScopeReader(const Graph& graph, const IdVector<NodeId, ScopeId>& scope_of,
              absl::FunctionRef<ScopeId(NodeId)> lost_scope_of,
              absl::FunctionRef<absl::Span<const PathId>(NodeId)> owners_of,
              absl::FunctionRef<PathId(ValueId)> merged_owner_of, const ModulePaths& paths,
              PrintedScopes& printed)
      : graph_(graph),
        scope_of_(scope_of),
        owners_of_(owners_of),
        merged_owner_of_(merged_owner_of),
        paths_(paths),
        printed_(printed),
        facts_(printed.size()) {
    const IdSet<ScopeId> compared = FindCompared();
    if (compared.size() == 0) return;
    for (NodeId node : graph.node_ids()) {
      const ScopeId scope = scope_of[node];
      if (scope.valid() && compared.Has(scope)) Gather(node, facts_[scope], owners_of(node));
      const ScopeId other = lost_scope_of(node);
      if (other.valid() && compared.Has(other)) Gather(node, facts_[other], owners_of(node));
    }
  }

  IdVector<ScopeId, ScopeMeaning> Decide() {
    const size_t scopes = printed_.size();
    IdVector<ScopeId, ScopeMeaning> meanings(scopes);
    std::vector<ScopeId> open;
    std::vector<ScopeId> unlike;
    std::vector<ScopeId> others;
    for (ScopeId id : IdRange<ScopeId>(scopes)) {
      meanings[id].base = id;
      switch (Look(id)) {
        case Reading::kCall:
          MakeCall(id, meanings);
          calls_.insert(printed_.scope(id).component);
          called_again_.insert(meanings[id].base);
          if (!facts_[id].weights.empty()) around_called_.insert(printed_.scope(id).parent);
          break;
        case Reading::kOpen:
          open.push_back(id);
          break;
        case Reading::kUnlike:
          unlike.push_back(id);
          break;
        case Reading::kOther:
          others.push_back(id);
          break;
        case Reading::kOtherOfList:
          MakeCall(id, meanings);
          meanings[id].in_hidden_container = true;
          meanings[meanings[id].base].in_hidden_container = true;
          break;
        case Reading::kName:
          break;
      }
    }
    if (!open.empty() || !unlike.empty()) ListOwners();
    if (!open.empty()) ListPrinted();
    // The base may have gone with its nodes: believe what such a name means elsewhere, what another
    // call of the same base says, that others are called like the base, and parameters that know
    // the base only.
    for (ScopeId id : open) {
      if (calls_.contains(printed_.scope(id).component) || IsCalledAgain(id) || HasLikeBase(id) ||
          HasOnlyBase(id)) {
        MakeCall(id, meanings);
      }
    }
    // What they have in common may have lost its names: that takes both signs, or that such modules
    // do elsewhere what each of the two does here.
    if (!unlike.empty()) ListKinds();
    for (ScopeId id : unlike) {
      if ((IsCalledAgain(id) && HasOnlyBase(id)) || AreOfOneKind(id)) MakeCall(id, meanings);
    }
    Hide(others, meanings);
    for (size_t i = meanings.size(); i < printed_.size(); ++i) meanings.push_back({ScopeId(i), 0});
    // "conv_1_1" beside a second call "conv_1": a name then, as calls of calls do not exist.
    for (ScopeId id : printed_.ids()) {
      if (meanings[meanings[id].base].number > 0 && meanings[id].base != id) meanings[id] = {id, 0};
    }
    return meanings;
  }

 private:
  // In containers that nothing names, as several modules are printed like each of these.
  ABSL_ATTRIBUTE_COLD void Hide(const std::vector<ScopeId>& others,
                                IdVector<ScopeId, ScopeMeaning>& meanings) const {
    absl::flat_hash_set<absl::string_view> hidden;
    for (ScopeId id : others) {
      // What is called again itself, as "conv_1_1", is named so.
      if (called_again_.contains(id)) continue;
      hidden.insert(printed_.scope(id).component);
      hidden.insert(BaseOf(id));
    }
    if (hidden.empty() || !IsOn(Rule::kHiddenContainers)) return;
    for (ScopeId id : IdRange<ScopeId>(meanings.size())) {
      const PrintedScope& scope = printed_.scope(id);
      if (!scope.has_inner && meanings[id].number == 0 && hidden.contains(scope.component)) {
        meanings[id].in_hidden_container = true;
      }
    }
  }

  static bool IsMember(absl::string_view component) {
    return IsNumber(component.substr(component.rfind('.') + 1));
  }

  bool MayBeCall(const PrintedScope& scope, absl::string_view* base) const {
    uint32_t number;
    return printed_.grammar().counts_calls() && SplitCallSuffix(scope.component, base, &number) &&
           !scope.has_inner;
  }

  // Those of which it is asked what their nodes do, and all that are called like the base of one;
  // of no size: none, as in most files.
  IdSet<ScopeId> FindCompared() {
    IdSet<ScopeId> compared;
    absl::flat_hash_set<absl::string_view> bases;
    for (ScopeId id : printed_.ids()) {
      absl::string_view base;
      if (!MayBeCall(printed_.scope(id), &base)) continue;
      const absl::string_view number = printed_.scope(id).component.substr(base.size());
      ScopeId around = printed_.scope(id).parent;
      for (; around.valid(); around = printed_.scope(around).parent) {
        if (!again_in_.try_emplace({around, number}, id).second) break;
      }
      if (compared.size() == 0) compared = IdSet<ScopeId>(printed_.size());
      compared.Add(id);
      bases.insert(base);
    }
    if (bases.empty()) return compared;
    for (ScopeId id : printed_.ids()) {
      if (bases.contains(printed_.scope(id).component)) compared.Add(id);
    }
    return compared;
  }

  void Gather(NodeId node, ScopeFacts& facts, absl::Span<const PathId> owners) {
    if (IsPutInByQuantiser(graph_, node)) return;
    AddDistinct(facts.ops, graph_.node(node).op);
    for (PathId owner : owners) AddDistinct(facts.owners, owner);
    for (ValueId input : graph_.inputs(node)) {
      const ValueId value = input.valid() ? StoredValue(graph_, input) : ValueId();
      if (!value.valid() || !graph_.value(value).tensor.valid()) continue;
      if (merged_owner_of_(value).valid() || IsOfConstant(graph_.value(value).name)) continue;
      if (IsWeight(graph_.tensor(graph_.value(value).tensor))) AddDistinct(facts.weights, value);
    }
  }

  ABSL_ATTRIBUTE_COLD void ListOwners() {
    IdSet<PathId> listed(paths_.size());
    for (NodeId node : graph_.node_ids()) {
      for (PathId owner : owners_of_(node)) {
        for (; owner != paths_.root() && !listed.Has(owner); owner = paths_.parent(owner)) {
          listed.Add(owner);
          owners_.emplace(paths_.name(paths_.parent(owner)), paths_.name(owner));
        }
      }
    }
  }

  ABSL_ATTRIBUTE_COLD void ListPrinted() {
    for (ScopeId id : IdRange<ScopeId>(facts_.size())) {
      const PrintedScope& scope = printed_.scope(id);
      if (!scope.has_inner) leaves_.insert(scope.component);
    }
  }

  // Operators that stand together in scopes of one base name, anywhere in the file.
  ABSL_ATTRIBUTE_COLD void ListKinds() {
    if (!IsOn(Rule::kScatteredCalls) || !HasLostNames(graph_, scope_of_)) return;
    for (ScopeId id : IdRange<ScopeId>(facts_.size())) {
      if (facts_[id].ops.empty()) continue;
      std::vector<std::vector<OpId>>& kinds = kinds_[NameOrBaseOf(id)];
      std::vector<OpId> kind = facts_[id].ops;
      size_t kept = 0;
      for (std::vector<OpId>& known : kinds) {
        if (HaveCommon(known, kind)) {
          kind.insert(kind.end(), known.begin(), known.end());
        } else {
          kinds[kept++] = std::move(known);
        }
      }
      kinds.resize(kept);
      kinds.push_back(std::move(kind));
    }
  }

  ABSL_ATTRIBUTE_COLD bool AreOfOneKind(ScopeId id) const {
    const ScopeFacts& facts = facts_[id];
    const ScopeFacts& base_facts = facts_[printed_.Sibling(id, BaseOf(id))];
    if (!facts.weights.empty() || !base_facts.weights.empty()) return false;
    const auto found = kinds_.find(BaseOf(id));
    return found != kinds_.end() &&
           std::any_of(found->second.begin(), found->second.end(), [&](const auto& kind) {
             return HaveCommon(kind, facts.ops) && HaveCommon(kind, base_facts.ops);
           });
  }

  absl::string_view NameOrBaseOf(ScopeId id) const {
    const absl::string_view base = BaseOf(id);
    return base.empty() ? printed_.scope(id).component : base;
  }

  // Whether elsewhere a scope that holds no others is called like the base. What has weights of its
  // own may as well be another module in a container that is not printed.
  bool HasLikeBase(ScopeId id) const {
    return IsOn(Rule::kBasesElsewhere) && facts_[id].weights.empty() &&
           leaves_.contains(BaseOf(id));
  }

  using TwoNames = std::pair<absl::string_view, absl::string_view>;

  // Such a name in the scope around `id`.
  TwoNames NameInScope(ScopeId id, absl::string_view name) const {
    return {printed_.paths().name(printed_.scope(printed_.scope(id).parent).path), name};
  }

  absl::string_view BaseOf(ScopeId id) const {
    absl::string_view base;
    uint32_t number;
    SplitCallSuffix(printed_.scope(id).component, &base, &number);
    return base;
  }

  bool IsCalledAgain(ScopeId id) const {
    const ScopeId base = printed_.Sibling(id, BaseOf(id));
    return base.valid() && (called_again_.contains(base) || around_called_.contains(base));
  }

  // Whether some parameter is of a module named like the base, or in it, in a module named like the
  // one around, and none of a module named like the scope itself.
  bool HasOnlyBase(ScopeId id) const {
    const PrintedScope& scope = printed_.scope(id);
    const auto is_owner = [&](absl::string_view name) {
      return owners_.contains(NameInScope(id, name));
    };
    return is_owner(BaseOf(id)) && !is_owner(scope.component);
  }

  // Whether the last atoms of a parameter's module are those that `component` is printed for.
  bool IsNamed(const std::vector<PathId>& owners, absl::string_view component) const {
    const size_t dot = component.rfind('.');
    const absl::string_view last =
        dot == absl::string_view::npos ? component : component.substr(dot + 1);
    return std::any_of(owners.begin(), owners.end(), [&](PathId owner) {
      return paths_.name(owner) == component || paths_.name(owner) == last;
    });
  }

  Reading Look(ScopeId id) const {
    const PrintedScope& scope = printed_.scope(id);
    absl::string_view base_component;
    if (!MayBeCall(scope, &base_component)) return Reading::kName;
    const ScopeFacts& facts = facts_[id];
    if (IsNamed(facts.owners, scope.component)) return Reading::kName;
    if (IsNamed(facts.owners, base_component)) return Reading::kCall;
    const ScopeId base = printed_.Sibling(id, base_component);
    // Only lists have numbers for names, and lists count: "0_1" is nobody's name.
    if (IsMember(base_component)) {
      const bool is_other = base.valid() && facts_.contains(base) &&
                            HaveOtherWeights(facts, facts_[base]) &&
                            !HaveWeightsOfOneShape(facts, facts_[base]);
      return is_other ? Reading::kOtherOfList : Reading::kCall;
    }
    // A base that was added for another call has no nodes to compare with.
    if (!base.valid() || !facts_.contains(base)) return Reading::kOpen;
    const ScopeFacts& base_facts = facts_[base];
    // What the base did was fused into other nodes, and only their values still bear its name.
    if (base_facts.ops.empty() && facts.weights.empty() && !printed_.scope(base).has_inner) {
      return Reading::kCall;
    }
    if (again_in_.contains({base, scope.component.substr(base_component.size())})) {
      return Reading::kCall;
    }
    if (HaveCommon(facts.weights, base_facts.weights)) return Reading::kCall;
    if (!HaveCommonOps(facts, base_facts)) return Reading::kUnlike;
    if (facts.weights.empty() || base_facts.weights.empty()) return Reading::kCall;
    if (IsInCall(scope, base_component)) return Reading::kCall;
    return HaveOtherWeights(facts, base_facts) ? Reading::kOther : Reading::kName;
  }

  // Whether the member of a list around it is printed once more with the same number: as
  // "block.0_1" beside "block.0/conv_1".
  bool IsInCall(const PrintedScope& scope, absl::string_view base) const {
    const absl::string_view around = printed_.scope(scope.parent).component;
    if (!IsMember(around)) return false;
    const std::string again = absl::StrCat(around, scope.component.substr(base.size()));
    return printed_.Sibling(scope.parent, again).valid();
  }

  // A MatMul and a FusedMatMul are of one kind, and so are a MaxPool and one of another domain,
  // that works in blocks of channels.
  bool HaveCommonOps(const ScopeFacts& a, const ScopeFacts& b) const {
    const auto is_alike = [&](OpId one, OpId other) {
      const absl::string_view first = graph_.op(one).type;
      const absl::string_view second = graph_.op(other).type;
      return first == second || (IsWeighted(first) && IsWeighted(second) &&
                                 (absl::EndsWith(first, second) || absl::EndsWith(second, first)));
    };
    return std::find_first_of(a.ops.begin(), a.ops.end(), b.ops.begin(), b.ops.end(), is_alike) !=
           a.ops.end();
  }

  // Whether two scopes that are printed alike have weights of their own, which nothing names.
  static bool HaveOtherWeights(const ScopeFacts& a, const ScopeFacts& b) {
    return !a.weights.empty() && !b.weights.empty() && !HaveCommon(a.weights, b.weights) &&
           a.owners.empty() && b.owners.empty();
  }

  // Exporters that transpose a weight beforehand, or fold a batch norm into it, do so for each
  // call: weights of one shape may be of one module.
  bool HaveWeightsOfOneShape(const ScopeFacts& a, const ScopeFacts& b) const {
    return std::any_of(a.weights.begin(), a.weights.end(), [&](ValueId one) {
      return std::any_of(b.weights.begin(), b.weights.end(),
                         [&](ValueId other) { return ShapeOf(one) == ShapeOf(other); });
    });
  }

  absl::Span<const int64_t> ShapeOf(ValueId value) const {
    return graph_.dims(graph_.value(value).tensor);
  }

  void MakeCall(ScopeId id, IdVector<ScopeId, ScopeMeaning>& meanings) {
    absl::string_view base;
    ScopeMeaning& meaning = meanings[id];
    SplitCallSuffix(printed_.scope(id).component, &base, &meaning.number);
    meaning.base = printed_.AddSibling(id, base);
  }

  const Graph& graph_;
  const IdVector<NodeId, ScopeId>& scope_of_;
  absl::FunctionRef<absl::Span<const PathId>(NodeId)> owners_of_;
  absl::FunctionRef<PathId(ValueId)> merged_owner_of_;
  const ModulePaths& paths_;
  PrintedScopes& printed_;
  IdVector<ScopeId, ScopeFacts> facts_;
  // What is printed again in a scope, with which number, as "_1".
  absl::flat_hash_map<std::pair<ScopeId, absl::string_view>, ScopeId> again_in_;
  absl::flat_hash_set<absl::string_view> calls_;  // components that are calls somewhere
  absl::flat_hash_set<ScopeId> called_again_;
  absl::flat_hash_set<ScopeId> around_called_;     // ... with weights: what is around these
  absl::flat_hash_set<absl::string_view> leaves_;  // components of those that hold no others
  // The last two names of every module with parameters in it.
  absl::flat_hash_set<TwoNames> owners_;
  // By the base's name; sets that have nothing in common.
  absl::flat_hash_map<absl::string_view, std::vector<std::vector<OpId>>> kinds_;
};

}  // namespace

IdVector<ScopeId, ScopeMeaning> FindRepeatedCalls(
    const Graph& graph, const IdVector<NodeId, ScopeId>& scope_of,
    absl::FunctionRef<ScopeId(NodeId)> lost_scope_of,
    absl::FunctionRef<absl::Span<const PathId>(NodeId)> owners_of,
    absl::FunctionRef<PathId(ValueId)> merged_owner_of, const ModulePaths& paths,
    PrintedScopes& printed) {
  return ScopeReader(graph, scope_of, lost_scope_of, owners_of, merged_owner_of, paths, printed)
      .Decide();
}

}  // namespace onnx_hier
