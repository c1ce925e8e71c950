#include "lib/scope/qualified_names.h"

#include <algorithm>
#include <string>
#include <utility>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "absl/container/inlined_vector.h"
#include "lib/scope/mixed_scopes.h"
#include "lib/scope/repeated_calls.h"
#include "lib/scope/spelling.h"

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
using Votes = absl::InlinedVector<Vote, 1>;

class Reconciler {
 public:
  Reconciler(const Graph& graph, const IdVector<NodeId, ScopeId>& scope_of,
             absl::FunctionRef<ScopeId(NodeId)> lost_scope_of,
             absl::FunctionRef<absl::Span<const PathId>(NodeId)> owners_of,
             absl::Span<const PathId> known_modules, PrintedScopes& printed, ModulePaths& paths)
      : graph_(graph),
        scope_of_(scope_of),
        owners_of_(owners_of),
        known_modules_(known_modules),
        printed_(printed),
        paths_(paths),
        spelling_(printed, paths),
        meanings_(FindRepeatedCalls(graph, scope_of, lost_scope_of, owners_of, paths, printed)) {}

  ScopePlaces Run() {
    MakeInstances();
    FindParents();
    OrderByDepth();
    VoteByParameters();
    VoteByNameless();
    VoteOutwards();
    for (PathId module : known_modules_) AddKnown(module);
    AskNeighbours();
    NameTheRest();
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
    for (NodeId node : FindNodesOfNames(graph_, scope_of_, meanings_)) {
      const Runs& of_name = instances_by_scope_[scope_of_[node]];
      of_names_[node] = of_name.empty() ? AddInstance(scope_of_[node], 0) : of_name[0];
    }
    for (NodeId node : graph_.node_ids()) {
      const InstanceId id = InstanceOf(node);
      if (!id.valid()) continue;
      Instance& instance = instances_[id];
      if (!instance.first.valid()) instance.first = node;
      instance.last = node;
    }
  }

  // None: its names have no scope.
  InstanceId InstanceOf(NodeId node) const {
    const ScopeId scope = scope_of_[node];
    if (!scope.valid()) return InstanceId();
    if (!of_names_.empty()) {
      const auto of_name = of_names_.find(node);
      if (of_name != of_names_.end()) return of_name->second;
    }
    return instance_of_scope_[scope];
  }

  InstanceId AddInstance(ScopeId scope, uint32_t number) {
    Instance instance;
    instance.scope = scope;
    instance.number = number;
    const InstanceId id = instances_.push_back(instance);
    instances_by_scope_[scope].push_back(id);
    return id;
  }

  // Those that are printed alike; nearly always one.
  using Runs = absl::InlinedVector<InstanceId, 2>;

  // Children keep their first parent's text, so which call of the parent an instance belongs to
  // shows only in the flow of data and in the order of the file.
  void FindParents() {
    for (InstanceId id : IdRange<InstanceId>(instances_.size())) {
      const ScopeId around = printed_.scope(instances_[id].scope).parent;
      if (around.valid()) instances_[id].parent = NearestInstance(around, instances_[id]);
    }
    const bool any_twice = std::any_of(instances_.begin(), instances_.end(),
                                       [](const Instance& run) { return run.number > 0; });
    if (!any_twice) return;
    std::vector<Edge> edges;
    for (ValueId value : graph_.value_ids()) {
      const NodeId producer = graph_.value(value).producer;
      if (!producer.valid() || !InstanceOf(producer).valid()) continue;
      for (const Use& use : graph_.uses(value)) {
        AddEdges(InstanceOf(producer), InstanceOf(use.node), edges);
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
    const Runs& runs = instances_by_scope_[scope];
    if (runs.size() == 1 || !instance.first.valid()) return runs[0];
    const auto next = std::partition_point(runs.begin(), runs.end(), [&](InstanceId run) {
      return !instances_[run].last.valid() || instances_[run].last < instance.first;
    });
    return next == runs.end() ? runs.back() : *next;
  }

  // A counting sort: depths are small.
  void OrderByDepth() {
    votes_.resize(instances_.size());
    std::vector<uint32_t> at;  // where the next one of each depth goes
    const auto depth = [this](const Instance& run) { return printed_.scope(run.scope).depth; };
    for (const Instance& run : instances_) {
      if (depth(run) + 1 >= at.size()) at.resize(depth(run) + 2, 0);
      ++at[depth(run) + 1];
    }
    for (size_t i = 1; i < at.size(); ++i) at[i] += at[i - 1];
    by_depth_.resize(instances_.size());
    for (InstanceId id : IdRange<InstanceId>(instances_.size())) {
      by_depth_[at[depth(instances_[id])]++] = id;
    }
  }

  void AddVote(InstanceId id, PathId module) { AddTo(votes_[id], module, 1); }

  static void AddTo(Votes& votes, PathId module, uint32_t count) {
    const auto vote =
        std::find_if(votes.begin(), votes.end(), [&](const Vote& v) { return v.module == module; });
    if (vote != votes.end()) {
      vote->count += count;
    } else if (votes.size() < kMostVotes) {
      votes.push_back({module, count});
    }
  }

  // None: nobody voted.
  static PathId Winner(const Votes& votes) {
    const auto most = std::max_element(
        votes.begin(), votes.end(), [](const Vote& a, const Vote& b) { return a.count < b.count; });
    return most == votes.end() ? PathId() : most->module;
  }

  // A node that reads a parameter of a module printed like its scope, or of one inside such a
  // module, is in that module. Modules with parameters in or below them are known by name, even if
  // no node of theirs reads a parameter under that name.
  void VoteByParameters() {
    is_known_ = IdSet<PathId>(paths_.size());
    ScopeId last_scope;
    PathId last_owner;
    PathId module;  // that the last scope means there
    for (NodeId node : graph_.node_ids()) {
      const absl::Span<const PathId> owners = owners_of_(node);
      if (owners.empty()) continue;
      for (PathId owner : owners) AddKnown(owner);
      const InstanceId id = InstanceOf(node);
      if (!id.valid()) continue;
      const ScopeId scope = instances_[id].scope;
      if (scope == printed_.root()) continue;
      for (PathId owner : owners) {
        // A module's nodes mostly stand one after the other.
        if (scope != last_scope || owner != last_owner) {
          last_scope = scope;
          last_owner = owner;
          module = MeantAround(scope, owner);
        }
        if (module.valid()) AddVote(id, module);
      }
    }
  }

  // Where the node that reads the parameter lost its name, one that exchanges data with it has the
  // scope: it speaks if no other does, and only for the parameter's very module.
  void VoteByNameless() {
    const IdSet<InstanceId> silent = FindSilent();
    if (silent.size() == 0) return;
    for (NodeId node : graph_.node_ids()) {
      const size_t owners = owners_of_(node).size();
      if (InstanceOf(node).valid() || owners == 0 || owners > kMostVotes) continue;
      for (ValueId value : graph_.inputs(node)) {
        if (value.valid()) VoteFrom(node, graph_.value(value).producer, silent);
      }
      for (ValueId value : graph_.outputs(node)) {
        if (!value.valid() || graph_.uses(value).size() > kMostVotes) continue;
        for (const Use& use : graph_.uses(value)) VoteFrom(node, use.node, silent);
      }
    }
  }

  // Those without a vote; of no size if there are no nodes without a scope.
  IdSet<InstanceId> FindSilent() const {
    IdSet<InstanceId> silent;
    if (std::all_of(scope_of_.begin(), scope_of_.end(),
                    [](ScopeId scope) { return scope.valid(); })) {
      return silent;
    }
    silent = IdSet<InstanceId>(votes_.size());
    for (InstanceId id : IdRange<InstanceId>(votes_.size())) {
      if (votes_[id].empty()) silent.Add(id);
    }
    return silent;
  }

  void VoteFrom(NodeId nameless, NodeId neighbour, const IdSet<InstanceId>& silent) {
    const InstanceId id = neighbour.valid() ? InstanceOf(neighbour) : InstanceId();
    if (!id.valid()) return;
    const ScopeId scope = instances_[id].scope;
    if (!silent.Has(id) || scope == printed_.root()) return;
    for (PathId owner : owners_of_(nameless)) {
      if (spelling_.MayMean(owner, scope)) AddVote(id, owner);
    }
  }

  // The innermost module around an owner, or itself, that the scope may mean; or none. What is
  // around an owner and nearer to the root than the scope is only called alike.
  PathId MeantAround(ScopeId scope, PathId owner) const {
    const uint32_t least = printed_.paths().depth(printed_.scope(scope).path);
    PathId module = owner;
    for (size_t tried = 0; module != paths_.root() && tried < kMostAlike;
         module = paths_.parent(module)) {
      if (module != owner && paths_.depth(module) < least) break;
      if (!spelling_.EndsAlike(module, scope)) continue;
      if (spelling_.IsCompatible(module, scope)) return module;
      ++tried;
    }
    return PathId();
  }

  // The module around a module is the one around its name, if that is printed likewise.
  void VoteOutwards() {
    for (auto id = by_depth_.rbegin(); id != by_depth_.rend(); ++id) {
      Instance& instance = instances_[*id];
      instance.module = Winner(votes_[*id]);
      if (!instance.module.valid() || !instance.parent.valid()) continue;
      ScopeId outer;
      const PathId around = spelling_.WithoutComponent(instance.module, instance.scope, &outer);
      if (!around.valid() || around == paths_.root()) continue;
      const InstanceId parent = instance.parent;
      if (outer == printed_.root()) {
        // Containers that were never called: the scope stands for as many modules as it has runs.
        if (instances_[parent].scope == outer) AddVote(parent, around);
        continue;
      }
      ScopeId beyond;
      if (!spelling_.WithoutComponent(around, outer, &beyond).valid()) continue;
      if (instances_[parent].scope == outer) AddVote(parent, around);
    }
  }

  // Where one printed scope stands for several modules ("/up" for ups.0.up and ups.1.up, as `ups`
  // was never called), a scope inside it that no parameter names is in the one with whose other
  // parts it exchanges data: rather in the one whose values it reads. A scope in the root may as
  // well be one of the model itself, unless it lies between two parts of the same module.
  void AskNeighbours() {
    around_.resize(instances_.size());
    if (std::all_of(votes_.begin(), votes_.end(),
                    [](const Votes& votes) { return votes.size() < 2; })) {
      return;
    }
    IdVector<InstanceId, Heard> heard(instances_.size());
    for (ValueId value : graph_.value_ids()) {
      const NodeId producer = graph_.value(value).producer;
      if (!producer.valid() || !InstanceOf(producer).valid()) continue;
      for (const Use& use : graph_.uses(value)) HearBoth(InstanceOf(producer), use.node, heard);
    }
    for (InstanceId id : IdRange<InstanceId>(heard.size())) {
      const Heard& of = heard[id];
      if (!of.votes.empty() && instances_[instances_[id].parent].scope == printed_.root()) {
        if (of.votes.size() > 1 || !of.from_producers || !of.from_readers) continue;
      }
      around_[id] = Winner(of.votes);
    }
  }

  // What neighbours say of the module around an instance.
  struct Heard {
    Votes votes;
    bool from_producers = false;
    bool from_readers = false;
  };

  // What an optimiser put between the two has no name, and is looked through.
  void HearBoth(InstanceId maker, NodeId node, IdVector<InstanceId, Heard>& heard) const {
    if (const InstanceId reader = InstanceOf(node); reader.valid()) {
      HearNeighbour(maker, reader, /*named_is_producer=*/true, heard);
      HearNeighbour(reader, maker, /*named_is_producer=*/false, heard);
      return;
    }
    const absl::Span<const ValueId> outputs = graph_.outputs(node);
    if (outputs.size() != 1 || !outputs[0].valid()) return;
    const absl::Span<const Use> uses = graph_.uses(outputs[0]);
    if (uses.size() != 1 || !InstanceOf(uses[0].node).valid()) return;
    HearBoth(maker, uses[0].node, heard);
  }

  void HearNeighbour(InstanceId named, InstanceId nameless, bool named_is_producer,
                     IdVector<InstanceId, Heard>& heard) const {
    const Instance& from = instances_[named];
    const Instance& to = instances_[nameless];
    if (!from.module.valid() || to.module.valid() || !to.parent.valid()) return;
    if (from.parent != to.parent || votes_[to.parent].size() < 2) return;
    ScopeId outer;
    const PathId around = spelling_.WithoutComponent(from.module, from.scope, &outer);
    for (const Vote& vote : votes_[to.parent]) {
      if (vote.module != around) continue;
      Heard& of = heard[nameless];
      AddTo(of.votes, around, named_is_producer ? 2 : 1);
      (named_is_producer ? of.from_producers : of.from_readers) = true;
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
      const PathId around = AroundOf(id, names);
      PathId module = around;
      for (auto name = names.rbegin(); name != names.rend(); ++name) {
        module = paths_.Child(module, *name);
      }
      const PathId elsewhere = IsKnown(module) ? PathId() : FarModule(instance, module, around);
      instance.module = elsewhere.valid() ? elsewhere : module;
    }
  }

  // The module around a scope that no parameter names, whose last `names` (the last one first) it
  // has for itself.
  PathId AroundOf(InstanceId id, absl::Span<const absl::string_view> names) const {
    const PathId outer = instances_[instances_[id].parent].module;
    if (!around_[id].valid()) return outer;
    if (outer != paths_.root()) return around_[id];
    // A module of the model itself that is known by its name is meant.
    PathId module = outer;
    for (auto name = names.rbegin(); name != names.rend() && module.valid(); ++name) {
      module = paths_.FindChild(module, *name);
    }
    return module.valid() && IsKnown(module) ? outer : around_[id];
  }

  // So are those that the caller knows of.
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
          !spelling_.MayMean(module, instance.scope)) {
        continue;
      }
      if (only.valid()) return PathId();
      only = module;
    }
    return only;
  }

  ScopePlaces NumberCalls() {
    IdVector<PathId, Runs> runs(paths_.size());
    for (InstanceId id : IdRange<InstanceId>(instances_.size())) {
      if (instances_[id].first.valid()) runs[instances_[id].module].push_back(id);
    }
    const IdSet<ScopeId> is_one_module = FindScopesOfOneModule();
    const IdSet<PathId> run_elsewhere = FindRunElsewhere(runs);
    IdVector<InstanceId, uint32_t> calls(instances_.size(), 0);
    for (Runs& list : runs) {
      std::sort(list.begin(), list.end(), [this](InstanceId a, InstanceId b) {
        return instances_[a].first < instances_[b].first;
      });
      const bool numbered = NumbersAreCalls(list, is_one_module);
      uint32_t rank = 0;
      for (InstanceId id : list) calls[id] = numbered ? instances_[id].number : rank++;
    }
    const auto place_of = [&](InstanceId id) {
      const PathId module = instances_[id].module;
      if (!IsHidden(instances_[id], run_elsewhere)) return ScopePlace{module, module, calls[id]};
      PathId around = paths_.parent(module);
      while (run_elsewhere.Has(around)) around = paths_.parent(around);
      return ScopePlace{module, around, 0, true};
    };
    ScopePlaces places;
    places.by_scope.reserve(printed_.size());
    for (ScopeId scope : printed_.ids()) {
      places.by_scope.push_back(place_of(instance_of_scope_[scope]));
    }
    for (const auto& [node, instance] : of_names_) places.by_node[node] = place_of(instance);
    return places;
  }

  bool IsHidden(const Instance& instance, const IdSet<PathId>& run_elsewhere) const {
    return instance.module != paths_.root() && !IsKnown(instance.module) &&
           (meanings_[instance.scope].in_hidden_container ||
            run_elsewhere.Has(paths_.parent(instance.module)));
  }

  // Modules of which the printed names show several as one: all that is in them runs equally often,
  // and some of it has other weights each time. What is around all of them is not printed.
  IdSet<PathId> FindRunElsewhere(const IdVector<PathId, Runs>& runs) const {
    std::vector<PathId> again;
    for (const Instance& instance : instances_) {
      const bool is_other = instance.first.valid() && meanings_[instance.scope].in_hidden_container;
      if (is_other && runs[instance.module].size() > 1 && !IsKnown(instance.module)) {
        again.push_back(instance.module);
      }
    }
    IdSet<PathId> elsewhere(paths_.size());
    if (again.empty()) return elsewhere;
    struct Counts {
      size_t least = 0;  // of a module inside; 0: there is none
      size_t most = 0;
    };
    IdVector<PathId, Counts> inside(paths_.size());
    // Parents are made before their children.
    for (size_t i = paths_.size(); i-- > 1;) {
      const PathId path(i);
      const size_t own = runs[path].size();
      for (const size_t count : {inside[path].least, inside[path].most, own}) {
        if (count == 0) continue;
        Counts& around = inside[paths_.parent(path)];
        around.least = around.least == 0 ? count : std::min(around.least, count);
        around.most = std::max(around.most, count);
      }
    }
    for (PathId module : again) {
      const size_t count = runs[module].size();
      for (PathId path = paths_.parent(module);
           path != paths_.root() && !elsewhere.Has(path) && !IsKnown(path) && runs[path].empty() &&
           inside[path].least == count && inside[path].most == count;
           path = paths_.parent(path)) {
        elsewhere.Add(path);
      }
    }
    return elsewhere;
  }

  // The printed numbers count calls if all that is printed alike is one module.
  bool NumbersAreCalls(const Runs& list, const IdSet<ScopeId>& is_one_module) const {
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
  const Spelling spelling_;
  IdVector<ScopeId, ScopeMeaning> meanings_;
  IdVector<InstanceId, Instance> instances_;
  IdVector<ScopeId, Runs> instances_by_scope_;
  IdVector<ScopeId, InstanceId> instance_of_scope_;
  absl::flat_hash_map<NodeId, InstanceId> of_names_;  // of nodes that are not where their scope is
  std::vector<InstanceId> by_depth_;
  IdVector<InstanceId, Votes> votes_;
  IdVector<InstanceId, PathId> around_;  // by what they exchange data with; or none
  IdSet<PathId> is_known_;
  absl::flat_hash_map<absl::string_view, std::vector<PathId>> by_name_;
};

}  // namespace

ScopePlaces ReconcileScopes(const Graph& graph, const IdVector<NodeId, ScopeId>& scope_of,
                            absl::FunctionRef<ScopeId(NodeId)> lost_scope_of,
                            absl::FunctionRef<absl::Span<const PathId>(NodeId)> owners_of,
                            absl::Span<const PathId> known_modules, PrintedScopes& printed,
                            ModulePaths& paths) {
  return Reconciler(graph, scope_of, lost_scope_of, owners_of, known_modules, printed, paths).Run();
}

}  // namespace onnx_hier
