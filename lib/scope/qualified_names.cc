#include "lib/scope/qualified_names.h"

#include <algorithm>
#include <string>
#include <utility>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "absl/container/inlined_vector.h"
#include "absl/strings/match.h"
#include "absl/strings/strip.h"
#include "lib/scope/repeated_calls.h"

namespace onnx_hier {
namespace {

// One scope run once: what `number` tells apart among scopes that are printed alike.
using InstanceId = Id<struct InstanceIdTag>;

struct Instance {
  ScopeId scope;
  uint32_t number = 0;
  InstanceId parent;
  NodeId first;  // of the nodes directly in it; none if it has none
  NodeId last;
  PathId module;
};

// Different modules that are printed alike in one place; real files have one or two.
constexpr size_t kMostVotes = 32;
// Modules around each other that are called alike; in real paths, two or three.
constexpr size_t kMostAlike = 8;

struct Vote {
  PathId module;
  uint32_t count = 0;
};

class Reconciler {
 public:
  Reconciler(const Graph& graph, const IdVector<NodeId, ScopeId>& scope_of,
             absl::FunctionRef<absl::Span<const PathId>(NodeId)> owners_of,
             absl::Span<const PathId> known_modules, PrintedScopes& printed, ModulePaths& paths)
      : graph_(graph),
        scope_of_(scope_of),
        owners_of_(owners_of),
        known_modules_(known_modules),
        printed_(printed),
        paths_(paths),
        meanings_(FindRepeatedCalls(graph, scope_of, owners_of, paths, printed)) {}

  IdVector<NodeId, ModulePlace> Run(ModuleOfScope* module_of) {
    MakeInstances();
    FindParents();
    OrderByDepth();
    VoteByParameters();
    VoteOutwards();
    ListKnownModules();
    NameTheRest();
    for (ScopeId id : printed_.ids()) {
      module_of->push_back(instances_[instance_of_scope_[id]].module);
    }
    return NumberCalls();
  }

 private:
  // Every scope that means itself has an instance; the list of a scope starts with that one, and
  // those of its repetitions follow.
  void MakeInstances() {
    instances_by_scope_.resize(printed_.size());
    instance_of_scope_.resize(printed_.size());
    for (ScopeId id : printed_.ids()) {
      if (meanings_[id].number == 0) instance_of_scope_[id] = AddInstance(id, 0);
    }
    for (ScopeId id : printed_.ids()) {
      const ScopeMeaning& meaning = meanings_[id];
      if (meaning.number > 0) instance_of_scope_[id] = AddInstance(meaning.base, meaning.number);
    }
    instance_of_.resize(graph_.node_count());
    for (NodeId node : graph_.node_ids()) {
      if (!scope_of_[node].valid()) continue;
      instance_of_[node] = instance_of_scope_[scope_of_[node]];
      Instance& instance = instances_[instance_of_[node]];
      if (!instance.first.valid()) instance.first = node;
      instance.last = node;
    }
  }

  InstanceId AddInstance(ScopeId scope, uint32_t number) {
    Instance instance;
    instance.scope = scope;
    instance.number = number;
    const InstanceId id = instances_.push_back(instance);
    instances_by_scope_[scope].push_back(id);
    return id;
  }

  // Children keep their first parent's text, so which call of the parent an instance belongs to
  // shows only in the flow of data and in the order of the file.
  void FindParents() {
    for (InstanceId id : IdRange<InstanceId>(instances_.size())) {
      const ScopeId around = printed_.scope(instances_[id].scope).parent;
      if (around.valid()) instances_[id].parent = NearestInstance(around, instances_[id]);
    }
    std::vector<Edge> edges;
    for (ValueId value : graph_.value_ids()) {
      const NodeId producer = graph_.value(value).producer;
      if (!producer.valid() || !instance_of_[producer].valid()) continue;
      for (const Use& use : graph_.uses(value)) {
        AddEdges(instance_of_[producer], instance_of_[use.node], edges);
      }
    }
    std::sort(edges.begin(), edges.end());
    IdVector<InstanceId, InstanceId> chosen(instances_.size());
    for (size_t i = 0; i < edges.size();) {
      const InstanceId inner = edges[i].first;
      size_t most = 0;
      while (i < edges.size() && edges[i].first == inner) {
        size_t end = i;
        while (end < edges.size() && edges[end] == edges[i]) ++end;
        const bool is_nearest = edges[i].second == instances_[inner].parent;
        if (end - i > most || (end - i == most && is_nearest)) {
          most = end - i;
          chosen[inner] = edges[i].second;
        }
        i = end;
      }
      instances_[inner].parent = chosen[inner];
    }
  }

  using Edge = std::pair<InstanceId, InstanceId>;  // inner, outer

  // An edge between a call and a possible call around it, if there are several of those.
  void AddEdges(InstanceId a, InstanceId b, std::vector<Edge>& edges) const {
    if (!a.valid() || !b.valid() || a == b) return;
    for (const Edge& edge : {Edge(a, b), Edge(b, a)}) {
      const ScopeId around = printed_.scope(instances_[edge.first].scope).parent;
      if (around == instances_[edge.second].scope && instances_by_scope_[around].size() > 1) {
        edges.push_back(edge);
      }
    }
  }

  // The run of `scope` that begins last before the instance's own first node ends, or the next
  // one: a child runs while its parent does.
  InstanceId NearestInstance(ScopeId scope, const Instance& instance) const {
    const std::vector<InstanceId>& runs = instances_by_scope_[scope];
    if (runs.size() == 1 || !instance.first.valid()) return runs[0];
    const auto next = std::partition_point(runs.begin(), runs.end(), [&](InstanceId run) {
      return !instances_[run].last.valid() || instances_[run].last < instance.first;
    });
    return next == runs.end() ? runs.back() : *next;
  }

  void OrderByDepth() {
    votes_.resize(instances_.size());
    for (InstanceId id : IdRange<InstanceId>(instances_.size())) by_depth_.push_back(id);
    std::stable_sort(by_depth_.begin(), by_depth_.end(), [this](InstanceId a, InstanceId b) {
      return printed_.scope(instances_[a].scope).depth < printed_.scope(instances_[b].scope).depth;
    });
  }

  // `module` without the atoms that the scope's last component is printed for; none if it does
  // not end with them. A module's own name may hold slashes: then several components go, and
  // `*outer` is the scope that is left.
  PathId WithoutComponent(PathId module, ScopeId scope, ScopeId* outer) const {
    const ModulePaths& printed = printed_.paths();
    *outer = printed_.scope(scope).parent;
    PathId at = printed_.scope(scope).path;
    const PathId end = printed_.scope(*outer).path;
    if (module != paths_.root() && absl::StrContains(paths_.name(module), '/')) {
      return WithoutSlashedName(module, scope, outer);
    }
    while (at != end) {
      if (module == paths_.root() || paths_.name(module) != printed.name(at)) return PathId();
      at = printed.parent(at);
      module = paths_.parent(module);
    }
    return module;
  }

  PathId WithoutSlashedName(PathId module, ScopeId scope, ScopeId* outer) const {
    absl::string_view rest = paths_.name(module);
    for (;;) {
      if (scope == printed_.root() ||
          !absl::ConsumeSuffix(&rest, printed_.scope(scope).component)) {
        return PathId();
      }
      scope = printed_.scope(scope).parent;
      if (rest.empty()) break;
      if (!absl::ConsumeSuffix(&rest, "/")) return PathId();
    }
    *outer = scope;
    return paths_.parent(module);
  }

  // Whether one of the two is the other with some names left out.
  bool IsCompatible(PathId module, ScopeId scope) const {
    const Pieces a = Split(paths_, module);
    const Pieces b = Split(printed_.paths(), printed_.scope(scope).path);
    const Pieces& longer = a.size() >= b.size() ? a : b;
    const Pieces& shorter = a.size() >= b.size() ? b : a;
    size_t found = 0;
    for (absl::string_view piece : longer) {
      if (found < shorter.size() && piece == shorter[found]) ++found;
    }
    return found == shorter.size();
  }

  // The names of a path, innermost first; a name that holds slashes in pieces, as it is printed.
  using Pieces = absl::InlinedVector<absl::string_view, 16>;
  static Pieces Split(const ModulePaths& paths, PathId path) {
    Pieces pieces;
    for (; path != paths.root(); path = paths.parent(path)) {
      absl::string_view name = paths.name(path);
      for (size_t slash = name.rfind('/'); slash != absl::string_view::npos;
           slash = name.rfind('/')) {
        pieces.push_back(name.substr(slash + 1));
        name = name.substr(0, slash);
      }
      pieces.push_back(name);
    }
    return pieces;
  }

  void AddVote(InstanceId id, PathId module) {
    if (votes_[id].size() == kMostVotes) return;
    for (Vote& vote : votes_[id]) {
      if (vote.module == module) {
        ++vote.count;
        return;
      }
    }
    votes_[id].push_back({module, 1});
  }

  // A node that reads a parameter of a module printed like its scope, or of one inside such a
  // module, is in that module.
  void VoteByParameters() {
    for (NodeId node : graph_.node_ids()) {
      const InstanceId id = instance_of_[node];
      if (!id.valid()) continue;
      const ScopeId scope = instances_[id].scope;
      if (scope == printed_.root()) continue;
      for (PathId owner : owners_of_(node)) {
        const PathId module = MeantAround(scope, owner);
        if (module.valid()) AddVote(id, module);
      }
    }
  }

  // The innermost module around an owner, or itself, that the scope may mean; or none.
  PathId MeantAround(ScopeId scope, PathId owner) const {
    size_t tried = 0;
    for (; owner != paths_.root() && tried < kMostAlike; owner = paths_.parent(owner)) {
      if (!EndsAlike(scope, owner)) continue;
      if (IsCompatible(owner, scope)) return owner;
      ++tried;
    }
    return PathId();
  }

  bool MayMean(ScopeId scope, PathId module) const {
    return EndsAlike(scope, module) && IsCompatible(module, scope);
  }
  bool EndsAlike(ScopeId scope, PathId module) const {
    ScopeId outer;
    return WithoutComponent(module, scope, &outer).valid();
  }

  void Elect(InstanceId id) {
    uint32_t most = 0;
    for (const Vote& vote : votes_[id]) {
      if (vote.count <= most) continue;
      most = vote.count;
      instances_[id].module = vote.module;
    }
  }

  // The module around a module is the one around its name, if that is printed likewise.
  void VoteOutwards() {
    for (auto id = by_depth_.rbegin(); id != by_depth_.rend(); ++id) {
      Elect(*id);
      const Instance& instance = instances_[*id];
      if (!instance.module.valid() || !instance.parent.valid()) continue;
      ScopeId outer;
      const PathId around = WithoutComponent(instance.module, instance.scope, &outer);
      if (!around.valid() || around == paths_.root() || outer == printed_.root()) continue;
      ScopeId beyond;
      if (!WithoutComponent(around, outer, &beyond).valid()) continue;
      const InstanceId parent = instance.parent;
      if (instances_[parent].scope == outer) AddVote(parent, around);
    }
  }

  // Without parameters, a scope means what it says inside the module around it.
  void NameTheRest() {
    for (InstanceId id : by_depth_) {
      Instance& instance = instances_[id];
      if (!instance.parent.valid()) {
        instance.module = paths_.root();
        continue;
      }
      if (instance.module.valid()) continue;
      const ModulePaths& printed = printed_.paths();
      std::vector<absl::string_view> names;
      const PathId end = printed_.scope(printed_.scope(instance.scope).parent).path;
      for (PathId at = printed_.scope(instance.scope).path; at != end; at = printed.parent(at)) {
        names.push_back(printed.name(at));
      }
      const PathId around = instances_[instance.parent].module;
      PathId module = around;
      for (auto name = names.rbegin(); name != names.rend(); ++name) {
        module = paths_.Child(module, *name);
      }
      const PathId elsewhere = IsKnown(module) ? PathId() : FarModule(instance, module, around);
      instance.module = elsewhere.valid() ? elsewhere : module;
    }
  }

  // Modules with parameters in or below them, and those that the caller knows of, are known by
  // name even if no node of theirs reads a parameter under that name.
  void ListKnownModules() {
    is_known_ = IdSet<PathId>(paths_.size());
    for (NodeId node : graph_.node_ids()) {
      for (PathId owner : owners_of_(node)) AddKnown(owner);
    }
    for (PathId module : known_modules_) AddKnown(module);
  }
  void AddKnown(PathId module) {
    for (; module != paths_.root() && !IsKnown(module); module = paths_.parent(module)) {
      is_known_.Add(module);
      by_name_[paths_.name(module)].push_back(module);
    }
  }
  bool IsKnown(PathId module) const { return is_known_.Contains(module); }

  // The only module inside `around` that may be printed like this, with containers between that
  // were never called; none if there is no such module, or several.
  PathId FarModule(const Instance& instance, PathId near, PathId around) const {
    const PathId printed = printed_.scope(instance.scope).path;
    const auto named = by_name_.find(printed_.paths().name(printed));
    if (named == by_name_.end() || named->second.size() > kMostVotes) return PathId();
    PathId only;
    for (PathId module : named->second) {
      if (paths_.depth(module) <= paths_.depth(near) || !paths_.Contains(around, module) ||
          !MayMean(instance.scope, module)) {
        continue;
      }
      if (only.valid()) return PathId();
      only = module;
    }
    return only;
  }

  IdVector<NodeId, ModulePlace> NumberCalls() {
    IdVector<PathId, std::vector<InstanceId>> runs(paths_.size());
    for (InstanceId id : IdRange<InstanceId>(instances_.size())) {
      if (instances_[id].first.valid()) runs[instances_[id].module].push_back(id);
    }
    const IdSet<ScopeId> is_one_module = FindScopesOfOneModule();
    IdVector<InstanceId, uint32_t> calls(instances_.size(), 0);
    for (std::vector<InstanceId>& list : runs) {
      std::sort(list.begin(), list.end(), [this](InstanceId a, InstanceId b) {
        return instances_[a].first < instances_[b].first;
      });
      const bool numbered = NumbersAreCalls(list, is_one_module);
      uint32_t rank = 0;
      for (InstanceId id : list) calls[id] = numbered ? instances_[id].number : rank++;
    }
    IdVector<NodeId, ModulePlace> places(graph_.node_count());
    for (NodeId node : graph_.node_ids()) {
      const InstanceId id = instance_of_[node];
      if (id.valid()) places[node] = {instances_[id].module, calls[id]};
    }
    return places;
  }

  // The printed numbers count calls if all that is printed alike is one module.
  bool NumbersAreCalls(const std::vector<InstanceId>& list,
                       const IdSet<ScopeId>& is_one_module) const {
    if (list.empty()) return true;
    const ScopeId scope = instances_[list[0]].scope;
    return is_one_module.Has(scope) && std::all_of(list.begin(), list.end(), [&](InstanceId id) {
             return instances_[id].scope == scope;
           });
  }

  // For each scope, whether all its runs that have nodes are of one module.
  IdSet<ScopeId> FindScopesOfOneModule() const {
    IdSet<ScopeId> is_one(printed_.size());
    is_one.AddAll();
    IdVector<ScopeId, PathId> module_of(printed_.size());
    for (const Instance& instance : instances_) {
      if (!instance.first.valid()) continue;
      PathId& module = module_of[instance.scope];
      if (module.valid() && module != instance.module) is_one.Remove(instance.scope);
      module = instance.module;
    }
    return is_one;
  }

  const Graph& graph_;
  const IdVector<NodeId, ScopeId>& scope_of_;
  absl::FunctionRef<absl::Span<const PathId>(NodeId)> owners_of_;
  absl::Span<const PathId> known_modules_;
  PrintedScopes& printed_;
  ModulePaths& paths_;
  IdVector<ScopeId, ScopeMeaning> meanings_;
  IdVector<InstanceId, Instance> instances_;
  IdVector<ScopeId, std::vector<InstanceId>> instances_by_scope_;
  IdVector<ScopeId, InstanceId> instance_of_scope_;
  IdVector<NodeId, InstanceId> instance_of_;
  std::vector<InstanceId> by_depth_;
  IdVector<InstanceId, std::vector<Vote>> votes_;
  IdSet<PathId> is_known_;
  absl::flat_hash_map<absl::string_view, std::vector<PathId>> by_name_;
};

}  // namespace

IdVector<NodeId, ModulePlace> ReconcileScopes(
    const Graph& graph, const IdVector<NodeId, ScopeId>& scope_of,
    absl::FunctionRef<absl::Span<const PathId>(NodeId)> owners_of,
    absl::Span<const PathId> known_modules, PrintedScopes& printed, ModulePaths& paths,
    ModuleOfScope* module_of) {
  return Reconciler(graph, scope_of, owners_of, known_modules, printed, paths).Run(module_of);
}

}  // namespace onnx_hier
