// SPDX-License-Identifier: Apache-2.0
#include "lib/names/qualified_names.h"

#include <algorithm>
#include <string>
#include <utility>
#include <vector>

#include "absl/algorithm/container.h"
#include "absl/base/attributes.h"
#include "absl/container/flat_hash_map.h"
#include "absl/container/inlined_vector.h"
#include "absl/strings/ascii.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/strip.h"
#include "lib/base/rules.h"
#include "lib/graph/weight.h"
#include "lib/names/derived_name.h"
#include "lib/names/number.h"
#include "lib/names/repeated_calls.h"
#include "lib/names/scope_runs.h"
#include "lib/names/scoped_name.h"
#include "lib/names/spelling.h"

namespace onnx_hier {
namespace {

// Different modules that are printed alike in one place; real files have one or two.
constexpr size_t kMostVotes = 32;
// Modules around each other that are called alike; in real paths, two or three.
constexpr size_t kMostAlike = 8;

// Runs that are printed alike; of more, none is told by its number, as each looks at all others.
constexpr size_t kMostRuns = 1024;

// Steps from a node with a name to the next: a Reshape, a QuantizeLinear, a DequantizeLinear.
constexpr int kMostBetween = 4;

constexpr float kUnnamedConfidence = 0.9f;  // see DoubtUnnamed()

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
             absl::FunctionRef<PathId(ValueId)> merged_owner_of,
             absl::Span<const PathId> known_modules, PathId top, PrintedScopes& printed,
             ModulePaths& paths)
      : graph_(graph),
        scope_of_(scope_of),
        owners_of_(owners_of),
        merged_owner_of_(merged_owner_of),
        known_modules_(known_modules),
        top_module_(top),
        printed_(printed),
        paths_(paths),
        spelling_(printed, paths),
        meanings_(FindRepeatedCalls(graph, scope_of, lost_scope_of, owners_of, merged_owner_of,
                                    paths, printed)),
        runs_(graph, scope_of, meanings_, printed),
        by_depth_(runs_.ByDepth()),
        modules_(runs_.size()),
        votes_(runs_.size()) {}

  ScopePlaces Run() {
    VoteByParameters();
    VoteByMerged();
    if (top_module_ != paths_.root())
      top_ = printed_.Inner(printed_.root(), paths_.name(top_module_));
    VoteOutwards();
    FindContainers();
    FindSequentials();
    // Modules that the caller knows of are known by name as well.
    for (PathId module : known_modules_) AddKnown(module);
    AskNeighbours();
    NoteNamed();
    NameTheRest();
    ScopePlaces places = NumberRuns(runs_, meanings_, modules_, is_known_, paths_);
    IdVector<RunId, float> confidence(runs_.size(), 1.0f);
    DoubtUnnamed(confidence);
    for (ScopeId scope : IdRange<ScopeId>(places.by_scope.size())) {
      places.by_scope[scope].confidence = confidence[runs_.of(scope)];
    }
    PlaceByOwnParameters(places);
    return places;
  }

 private:
  void AddVote(RunId id, PathId module) { AddTo(votes_[id], module, 1); }

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
      if (owners.empty()) {
        HearMerged(node);
        continue;
      }
      for (PathId owner : owners) AddKnown(owner);
      const RunId id = runs_.of(node);
      if (!id.valid()) continue;
      const ScopeId scope = runs_[id].scope;
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

  // What a scope reads of merged parameters.
  void HearMerged(NodeId node) {
    const RunId id = runs_.of(node);
    for (ValueId value : graph_.inputs(node)) {
      const PathId owner = value.valid() ? merged_owner_of_(value) : PathId();
      if (!owner.valid()) continue;
      AddKnown(owner);
      if (id.valid() && runs_[id].scope != printed_.root()) merged_.push_back({id, owner});
    }
  }

  // A merged parameter tells of its own module and of those in other layers that are named alike,
  // and only where the scope is printed of these and reads none of its own.
  ABSL_ATTRIBUTE_COLD void VoteByMerged() {
    if (merged_.empty() || !IsOn(Rule::kMergedVotes)) return;
    IdSet<RunId> silent(votes_.size());
    for (RunId id : runs_.ids()) {
      if (votes_[id].empty()) silent.Add(id);
    }
    for (const auto& [id, owner] : merged_) {
      if (!silent.Has(id)) continue;
      const ScopeId scope = runs_[id].scope;
      const PathId module = WithNumbersOf(scope, owner);
      if (!module.valid() || !spelling_.MayMean(module, scope)) continue;
      if (!IsPrintedDeeper(module, scope)) AddVote(id, module);
    }
  }

  // Whether beside the scope there is one like it in the container that the module is in: that is
  // the module's.
  bool IsPrintedDeeper(PathId module, ScopeId scope) const {
    const PrintedScope& its = printed_.scope(scope);
    const ScopeId container = printed_.Inner(its.parent, paths_.name(paths_.parent(module)));
    return container.valid() && printed_.Inner(container, its.component).valid();
  }

  // Which runs parameters name, themselves or by what is inside of them, and as which modules.
  void NoteNamed() {
    is_named_ = IdSet<RunId>(runs_.size());
    is_printed_ = IdSet<PathId>(paths_.size());
    for (RunId id : runs_.ids()) {
      if (!modules_[id].valid()) continue;
      is_named_.Add(id);
      is_printed_.Add(modules_[id]);
    }
  }

  // Two modules may be printed alike inside of one run, as members of two ModuleDicts with the same
  // keys are. A node that reads a parameter of one of them is in that, whatever the rest is, and so
  // is an operator with an unnamed weight that only it reads.
  void PlaceByOwnParameters(ScopePlaces& places) const {
    if (!IsOn(Rule::kOwnParameters)) return;
    for (NodeId node : graph_.node_ids()) {
      const absl::Span<const PathId> owners = owners_of_(node);
      const RunId run = runs_.of(node);
      if (owners.size() != 1 || !run.valid() || owners[0] == modules_[run]) continue;
      if (paths_.Contains(modules_[run], owners[0]) || paths_.Contains(owners[0], modules_[run]) ||
          !spelling_.MayMean(owners[0], runs_[run].scope)) {
        continue;
      }
      const ScopePlace place = {owners[0], owners[0]};
      places.by_node[node] = place;
      for (ValueId value : graph_.inputs(node)) {
        const NodeId maker = value.valid() ? graph_.value(value).producer : NodeId();
        if (maker.valid() && runs_.of(maker) == run && graph_.uses(value).size() == 1 &&
            owners_of_(maker).empty() && IsWeighted(graph_.op(maker).type)) {
          places.by_node[maker] = place;
        }
      }
    }
  }

  // A module of which no parameter tells, though it has weights, may be in a container that was
  // never called: of 4,731 such nodes in 128 exports and optimised ones 267 are, all in 5 models
  // that were made to be hard, none of those in 40 others. What is so of one such node of a model
  // is so of many.
  void DoubtUnnamed(IdVector<RunId, float>& confidence) const {
    if (!IsOn(Rule::kUnnamedWeights)) return;
    IdSet<RunId> doubted(runs_.size());
    IdSet<OpId> has_weights(graph_.op_count());
    for (OpId op : graph_.op_ids()) {
      const absl::string_view type = graph_.op(op).type;
      if (IsWeighted(type) || IsRecurrence(type)) has_weights.Add(op);
    }
    for (NodeId node : graph_.node_ids()) {
      if (!has_weights.Has(graph_.node(node).op)) continue;
      for (RunId at = runs_.of(node); at.valid() && !IsConfirmed(at) && !doubted.Has(at);
           at = runs_[at].parent) {
        doubted.Add(at);
      }
    }
    DoubtBesideHidden(doubted);
    if (!doubted.HasAny()) return;
    // What is in such a module is no surer.
    for (RunId id : by_depth_) {
      if (runs_[id].parent.valid() && doubted.Has(runs_[id].parent) && !IsConfirmed(id)) {
        doubted.Add(id);
      }
    }
    for (RunId id : runs_.ids()) {
      if (doubted.Has(id)) confidence[id] = std::min(confidence[id], kUnnamedConfidence);
    }
  }

  // What is printed beside modules in such containers, and without parameters, may be in one, too,
  // unless its neighbours told.
  ABSL_ATTRIBUTE_COLD void DoubtBesideHidden(IdSet<RunId>& doubted) const {
    IdSet<RunId> holds_hidden(runs_.size());
    for (RunId id : runs_.ids()) {
      const RunId parent = runs_[id].parent;
      if (parent.valid() && is_named_.Has(id) && !IsAsPrinted(id)) holds_hidden.Add(parent);
    }
    if (!holds_hidden.HasAny()) return;
    for (RunId id : runs_.ids()) {
      const RunId parent = runs_[id].parent;
      if (!parent.valid() || !holds_hidden.Has(parent) || IsConfirmed(id)) continue;
      if (!around_[id].valid()) doubted.Add(id);
    }
  }

  // By a parameter, or by whoever knows the modules.
  bool IsConfirmed(RunId run) const {
    return runs_[run].scope == printed_.root() || is_named_.Has(run) || IsKnown(modules_[run]);
  }

  // The module that is called like the owner, but for the numbers of layers, which are those of the
  // scope; none: it has more or less of them, or fewer names.
  ABSL_ATTRIBUTE_COLD PathId WithNumbersOf(ScopeId scope, PathId owner) {
    const ModulePaths& printed = printed_.paths();
    if (printed.depth(printed_.scope(scope).path) > paths_.depth(owner)) return PathId();
    PathId at = printed_.scope(scope).path;
    const auto next_number = [&] {
      while (at != printed.root() && !printed.is_number(at)) at = printed.parent(at);
      return at != printed.root();
    };
    std::vector<absl::string_view> names;
    for (PathId module = owner; module != paths_.root(); module = paths_.parent(module)) {
      names.push_back(paths_.name(module));
      if (!paths_.is_number(module)) continue;
      if (!next_number()) return PathId();
      names.back() = printed.name(at);
      at = printed.parent(at);
    }
    if (next_number()) return PathId();
    return Inside(paths_.root(), names);
  }

  // The module of those names, the last one first.
  PathId Inside(PathId around, absl::Span<const absl::string_view> names) {
    for (auto name = names.rbegin(); name != names.rend(); ++name) {
      around = paths_.Child(around, *name);
    }
    return around;
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
      modules_[*id] = runs_[*id].scope == top_ ? top_module_ : Winner(votes_[*id]);
      const RunId parent = runs_[*id].parent;
      if (!modules_[*id].valid() || !parent.valid() || !IsOn(Rule::kVotesOutwards)) continue;
      ScopeId outer;
      const PathId around = spelling_.WithoutComponent(modules_[*id], runs_[*id].scope, &outer);
      if (!around.valid() || around == paths_.root()) continue;
      if (IsTop(outer)) {
        // Containers that were never called: the scope stands for as many modules as it has runs.
        if (runs_[parent].scope == outer) AddVote(parent, around);
        continue;
      }
      ScopeId beyond;
      if (!spelling_.WithoutComponent(around, outer, &beyond).valid()) continue;
      if (runs_[parent].scope == outer) AddVote(parent, around);
    }
  }

  // Where one printed scope stands for several modules ("/up" for ups.0.up and ups.1.up, as `ups`
  // was never called), a scope inside it that no parameter names is in the one with whose other
  // parts it exchanges data: rather in the one whose values it reads. A scope in the root may as
  // well be one of the model itself, unless it lies between two parts of the same module. So is
  // one between parts of a container of the scope's module that was never called, as a ModuleDict
  // with an activation in it, if it meets nothing else.
  ABSL_ATTRIBUTE_COLD void AskNeighbours() {
    around_.resize(runs_.size());
    if (!IsOn(Rule::kNeighboursOfScopes)) return;
    has_hidden_ = HasHidden();
    if (!has_hidden_ && std::all_of(votes_.begin(), votes_.end(),
                                    [](const Votes& votes) { return votes.size() < 2; })) {
      return;
    }
    IdVector<RunId, Heard> heard(runs_.size());
    for (ValueId value : graph_.value_ids()) {
      const NodeId producer = graph_.value(value).producer;
      if (!producer.valid() || !runs_.of(producer).valid()) continue;
      for (const Use& use : graph_.uses(value)) HearBoth(runs_.of(producer), use.node, heard);
    }
    const auto numbered = ContainersByNumber();
    for (RunId id : runs_.ids()) {
      const Heard& of = heard[id];
      const RunId parent = runs_[id].parent;
      if (parent.valid() &&
          (of.votes.size() != 1 || runs_.alike(id).size() == votes_[parent].size())) {
        const auto container = numbered.find(NumberIn(id));
        if (container != numbered.end()) around_[id] = container->second;
        if (around_[id].valid()) continue;
      }
      if (IsOfOneModule(runs_[id].parent)) {
        const bool is_between = of.votes.size() == 1 && of.from_producers && of.from_readers;
        if (is_between && of.votes[0].module != modules_[runs_[id].parent]) {
          around_[id] = of.votes[0].module;
        }
        continue;
      }
      if (!of.votes.empty() && IsTop(runs_.parent(id).scope)) {
        if (of.votes.size() > 1 || !of.from_producers || !of.from_readers) continue;
      }
      around_[id] = Winner(of.votes);
    }
  }

  // A run's number, in the run around it.
  uint64_t NumberIn(RunId id) const {
    return uint64_t{runs_[id].parent.index()} << 32 | runs_[id].number;
  }

  // Where a scope stands for several modules of which it shows no runs, what is in it and has one
  // number is in one of these: by what parameters tell of others with it; none, where they differ.
  ABSL_ATTRIBUTE_COLD absl::flat_hash_map<uint64_t, PathId> ContainersByNumber() const {
    absl::flat_hash_map<uint64_t, PathId> containers;
    if (!IsOn(Rule::kPrintedNumbers)) return containers;
    for (RunId id : runs_.ids()) {
      const RunId parent = runs_[id].parent;
      if (!parent.valid() || votes_[id].empty() || votes_[parent].size() < 2) continue;
      if (IsTop(runs_[parent].scope)) continue;
      const PathId container = ContainerOf(id);
      const auto [known, is_new] = containers.try_emplace(NumberIn(id), container);
      if (!is_new && known->second != container) known->second = PathId();
    }
    return containers;
  }

  // Whether everything is in it: the root, or what a joining tool's prefix stands for.
  bool IsTop(ScopeId scope) const { return scope == printed_.root() || scope == top_; }

  // One list has one reading: where parameters say in which container one member is, all members
  // are in it. And what holds all modules of the root of which parameters tell, of a list and one
  // more at least, is a wrapper's attribute: it holds those of which none tells, too, if these
  // lead to it. What stands behind it may as well be the wrapper's own, as heads with tied weights
  // are.
  ABSL_ATTRIBUTE_COLD void FindContainers() {
    if (!IsOn(Rule::kCommonContainers)) return;
    // Hardly any file has one that asks.
    bool is_asked = false;
    for (RunId id : runs_.ids()) is_asked = is_asked || MayAskForContainer(id);
    if (!is_asked) return;
    FindUnlike();
    IdSet<RunId> wrapped(runs_.size());
    absl::string_view first;
    bool has_second = false;
    for (RunId id : runs_.ids()) {
      const RunId parent = runs_[id].parent;
      if (!modules_[id].valid() || !parent.valid() || runs_[id].scope == top_) continue;
      const PathId container = ContainerOf(id);
      const absl::string_view list = ListOf(id);
      if (!list.empty()) NoteContainer(runs_[parent].scope, list, container);
      if (runs_[parent].scope != printed_.root()) continue;
      NoteContainer(printed_.root(), "", container);
      wrapped.Add(id);
      const absl::string_view name =
          list.empty() ? printed_.scope(runs_[id].scope).component : list;
      has_second = has_second || (!first.empty() && name != first);
      first = name;
    }
    const PathId wrapper = CommonContainer(printed_.root(), "");
    if (has_second && wrapper.valid() && wrapper != paths_.root()) FindLeading(wrapped);
  }

  bool MayAskForContainer(RunId id) const {
    const RunId parent = runs_[id].parent;
    return !modules_[id].valid() && parent.valid() &&
           (runs_[parent].scope == printed_.root() || !ListOf(id).empty());
  }

  void NoteContainer(ScopeId around, absl::string_view list, PathId container) {
    const auto [known, is_new] = containers_.try_emplace(std::make_pair(around, list), container);
    if (!is_new && known->second != container) known->second = PathId();
  }

  PathId CommonContainer(ScopeId around, absl::string_view list) const {
    const auto found = containers_.find(std::make_pair(around, list));
    return found == containers_.end() ? PathId() : found->second;
  }

  // The runs in the root whose values lead to those of `wrapped`.
  ABSL_ATTRIBUTE_COLD void FindLeading(const IdSet<RunId>& wrapped) {
    leading_ = IdSet<RunId>(runs_.size());
    IdVector<RunId, RunId> tops(runs_.size());  // the outermost around each, below the root
    for (RunId id : by_depth_) {
      const RunId parent = runs_[id].parent;
      if (parent.valid()) tops[id] = runs_[parent].scope == printed_.root() ? id : tops[parent];
    }
    std::vector<NodeId> open;
    IdSet<NodeId> seen(graph_.node_count());
    const auto enter = [&](NodeId node) {
      if (!node.valid() || seen.Has(node)) return;
      seen.Add(node);
      open.push_back(node);
    };
    for (NodeId node : graph_.node_ids()) {
      const RunId run = runs_.of(node);
      if (run.valid() && tops[run].valid() && wrapped.Has(tops[run])) enter(node);
    }
    while (!open.empty()) {
      const NodeId node = open.back();
      open.pop_back();
      if (const RunId run = runs_.of(node); run.valid() && tops[run].valid()) {
        leading_.Add(tops[run]);
      }
      for (ValueId value : graph_.inputs(node)) {
        if (value.valid()) enter(graph_.value(value).producer);
      }
    }
  }

  // A module runs as often as its parameters are read: other runs of a scope, of which parameters
  // tell that one runs once, are of other modules, and so is what is around them.
  ABSL_ATTRIBUTE_COLD void FindUnlike() {
    IdSet<RunId> run_once(runs_.size());
    for (NodeId node : graph_.node_ids()) {
      RunId run = runs_.of(node);
      if (owners_of_(node).empty() || !run.valid() || votes_[run].empty()) continue;
      const bool reads_alone = absl::c_any_of(graph_.inputs(node), [this](ValueId value) {
        return value.valid() && graph_.value(value).tensor.valid() &&
               graph_.uses(value).size() == 1;
      });
      for (; reads_alone && run.valid() && !run_once.Has(run); run = runs_[run].parent) {
        run_once.Add(run);
      }
    }
    unlike_ = IdSet<RunId>(runs_.size());
    for (RunId id : runs_.ids()) {
      const ScopeRuns::List& alike = runs_.alike(id);
      if (alike.size() < 2 || alike.size() > kMostRuns || modules_[id].valid()) continue;
      const bool is_other = absl::c_any_of(
          alike, [&](RunId other) { return !votes_[other].empty() && run_once.Has(other); });
      for (RunId at = id; is_other && at.valid() && !modules_[at].valid(); at = runs_[at].parent) {
        unlike_.Add(at);
      }
    }
  }

  // Of what is printed several times, the module that a run is by its number: the exporter counts
  // what it prints alike in the order in which it runs. None: parameters tell of too few of these
  // modules, or other runs are in another order.
  ABSL_ATTRIBUTE_COLD PathId ModuleByOrder(RunId id) {
    const ScopeRuns::List& alike = runs_.alike(id);
    if (alike.size() > kMostRuns || !IsOn(Rule::kPrintedNumbers)) return PathId();
    const std::vector<PathId> modules = ModulesPrintedAs(id);
    const bool agree = absl::c_all_of(alike, [&](RunId other) {
      const uint32_t number = runs_[other].number;
      return votes_[other].empty() ||
             (number < modules.size() && modules[number] == modules_[other]);
    });
    const uint32_t number = runs_[id].number;
    if (agree && modules.size() > 1 && number < modules.size()) return modules[number];
    return unlike_.Contains(id) ? MemberByOrder(id) : PathId();
  }

  // Modules that parameters tell of, that are printed as a run's scope is, and nowhere else: in the
  // order in which they run. None: some are inside of others.
  ABSL_ATTRIBUTE_COLD std::vector<PathId> ModulesPrintedAs(RunId id) const {
    const ScopeId scope = runs_[id].scope;
    std::vector<PathId> modules;
    const auto named = by_name_.find(printed_.paths().name(printed_.scope(scope).path));
    if (named == by_name_.end() || named->second.size() > kMostVotes) return modules;
    for (PathId module : named->second) {
      if (!paths_.Contains(modules_[runs_[id].parent], module)) continue;
      if (!spelling_.MayMean(module, scope)) continue;
      const bool is_here =
          absl::c_any_of(runs_.alike(id), [&](RunId other) { return modules_[other] == module; });
      if (!is_here && is_printed_.Contains(module)) continue;
      const bool is_nested = absl::c_any_of(modules, [&](PathId other) {
        return paths_.Contains(module, other) || paths_.Contains(other, module);
      });
      if (is_nested) return {};
      modules.push_back(module);
    }
    return modules;
  }

  // Members of a list that is not printed, as "block" is of down.0 and down.1, run in the order of
  // the list or in the opposite one: those that parameters tell of say which one another run is in.
  ABSL_ATTRIBUTE_COLD PathId MemberByOrder(RunId id) {
    const ScopeRuns::List& alike = runs_.alike(id);
    const size_t last = alike.size() - 1;
    PathId list;
    bool forwards = true;
    bool backwards = true;
    for (RunId other : alike) {
      if (votes_[other].empty()) continue;
      const PathId member = ContainerOf(other);
      if (!member.valid() || !paths_.is_number(member)) return PathId();
      if (member == modules_[runs_[other].parent]) return PathId();
      if (list.valid() && paths_.parent(member) != list) return PathId();
      list = paths_.parent(member);
      const uint64_t number = paths_.number(member);
      forwards = forwards && number == runs_[other].number;
      backwards = backwards && number + runs_[other].number == last;
    }
    if (!list.valid() || (!forwards && !backwards) || runs_[id].number > last) return PathId();
    const size_t number = forwards ? runs_[id].number : last - runs_[id].number;
    const PathId member = paths_.Child(list, absl::StrCat(number));
    return IsKnown(member) ? PathId() : Inside(member, printed_.OwnNames(runs_[id].scope));
  }

  // "model" of "model.12", which is a member of a list; "" of others.
  absl::string_view ListOf(RunId id) const {
    const absl::string_view component = printed_.scope(runs_[id].scope).component;
    const size_t dot = component.find('.');
    if (dot == absl::string_view::npos || !IsNumber(component.substr(component.rfind('.') + 1))) {
      return "";
    }
    return component.substr(0, dot);
  }

  // See FindContainers(); none: nothing says.
  ABSL_ATTRIBUTE_COLD PathId ContainerAround(RunId id) const {
    const RunId parent = runs_[id].parent;
    const absl::string_view list = ListOf(id);
    PathId container;
    if (!list.empty()) container = CommonContainer(runs_[parent].scope, list);
    if (!container.valid() && leading_.Contains(id)) {
      container = CommonContainer(printed_.root(), "");
    }
    return container.valid() && paths_.Contains(modules_[parent], container) ? container : PathId();
  }

  // Members of a Sequential are printed with its name, "net.0" in "net", and it does nothing
  // itself. What is printed there with a name of its own, and without weights, is registered
  // further out, in the module around the Sequential, as activations are that layers share.
  void FindSequentials() {
    if (!IsOn(Rule::kSequentials)) return;
    sequentials_ = IdSet<ScopeId>(printed_.size());
    for (ScopeId id : printed_.ids()) {
      if (IsMember(id)) sequentials_.Add(printed_.scope(id).parent);
    }
    if (!sequentials_.HasAny()) return;
    for (RunId id : runs_.ids()) {
      const ScopeId scope = runs_[id].scope;
      if (runs_[id].first.valid()) sequentials_.Remove(scope);
      if (scope == printed_.root() || IsMember(scope)) continue;
      if (modules_[id].valid() || printed_.scope(scope).has_inner) {
        sequentials_.Remove(printed_.scope(scope).parent);
      }
    }
    bool is_any = false;
    for (RunId id : runs_.ids()) is_any = is_any || IsBesideMembers(id);
    if (!is_any) return;
    for (NodeId node : graph_.node_ids()) {
      const RunId id = runs_.of(node);
      if (!id.valid() || !IsBesideMembers(id)) continue;
      if (HasOwnWeight(graph_, node)) sequentials_.Remove(printed_.scope(runs_[id].scope).parent);
    }
  }

  bool IsMember(ScopeId scope) const {
    if (scope == printed_.root()) return false;
    absl::string_view name = printed_.scope(scope).component;
    if (!absl::ascii_isdigit(name.back())) return false;
    const absl::string_view list = printed_.scope(printed_.scope(scope).parent).component;
    return !list.empty() && absl::ConsumePrefix(&name, list) && absl::ConsumePrefix(&name, ".") &&
           IsNumber(name);
  }

  // What is registered outside of the Sequential that it is printed in.
  bool IsBesideMembers(RunId id) const {
    const RunId parent = runs_[id].parent;
    return parent.valid() && sequentials_.Contains(runs_[parent].scope) &&
           !IsMember(runs_[id].scope);
  }

  // A run whose module parameters tell, without a doubt.
  bool IsOfOneModule(RunId run) const {
    return run.valid() && votes_[run].size() == 1 && !IsTop(runs_[run].scope);
  }

  // Whether any run is in a container that is not printed, inside of the module of the run around.
  bool HasHidden() const {
    for (RunId id : runs_.ids()) {
      const RunId parent = runs_[id].parent;
      if (!modules_[id].valid() || !IsOfOneModule(parent)) continue;
      const PathId around = ContainerOf(id);
      if (around.valid() && around != modules_[parent] &&
          paths_.Contains(modules_[parent], around)) {
        return true;
      }
    }
    return false;
  }

  // The module around that of a run, without what the run has for itself.
  PathId ContainerOf(RunId id) const {
    ScopeId outer;
    return spelling_.WithoutComponent(modules_[id], runs_[id].scope, &outer);
  }

  // What neighbours say of the module around a run.
  struct Heard {
    Votes votes;
    bool from_producers = false;
    bool from_readers = false;
  };

  // What an optimiser put between the two has no name, and is looked through; so is quantisation.
  ABSL_ATTRIBUTE_COLD void HearBoth(RunId maker, NodeId node, IdVector<RunId, Heard>& heard) const {
    bool between = false;
    for (int i = 0; i < kMostBetween; ++i) {
      if (const RunId reader = runs_.of(node); reader.valid()) {
        HearNeighbour(maker, reader, /*named_is_producer=*/true, heard);
        HearNeighbour(reader, maker, /*named_is_producer=*/false, heard);
        return;
      }
      const bool is_quantisation = IsPutInByQuantiser(graph_, node);
      if (between && !is_quantisation) return;
      between |= !is_quantisation;
      const absl::Span<const ValueId> outputs = graph_.outputs(node);
      if (outputs.size() != 1 || !outputs[0].valid()) return;
      const absl::Span<const Use> uses = graph_.uses(outputs[0]);
      if (uses.size() != 1) return;
      node = uses[0].node;
    }
  }

  void HearNeighbour(RunId named, RunId nameless, bool named_is_producer,
                     IdVector<RunId, Heard>& heard) const {
    const ScopeRun& from = runs_[named];
    const ScopeRun& to = runs_[nameless];
    if (!modules_[named].valid() || modules_[nameless].valid() || !to.parent.valid()) return;
    const bool is_of_one = has_hidden_ && IsOfOneModule(to.parent);
    // What the module around does itself is no part of a container in it.
    if ((is_of_one || IsTop(runs_[to.parent].scope)) && named == to.parent) {
      AddTo(heard[nameless].votes, modules_[named], 1);
    }
    if (from.parent != to.parent) return;
    if (!is_of_one && votes_[to.parent].size() < 2) return;
    const PathId around = ContainerOf(named);
    const bool is_meant = is_of_one ? around.valid() && paths_.Contains(modules_[to.parent], around)
                                    : absl::c_any_of(votes_[to.parent], [&](const Vote& vote) {
                                        return vote.module == around;
                                      });
    if (!is_meant) return;
    Heard& of = heard[nameless];
    AddTo(of.votes, around, named_is_producer ? 2 : 1);
    (named_is_producer ? of.from_producers : of.from_readers) = true;
  }

  // Without parameters, a scope means what it says inside the module around it.
  void NameTheRest() {
    for (RunId id : by_depth_) {
      const ScopeRun& run = runs_[id];
      if (!run.parent.valid()) {
        modules_[id] = paths_.root();
        continue;
      }
      if (!modules_[id].valid() && runs_.alike(id).size() > 1) modules_[id] = ModuleByOrder(id);
      if (modules_[id].valid()) continue;
      const auto names = printed_.OwnNames(run.scope);
      const PathId around = AroundOf(id, names);
      const PathId module = Inside(around, names);
      const PathId elsewhere = IsKnown(module) ? PathId() : FarModule(run.scope, module, around);
      modules_[id] = elsewhere.valid() ? elsewhere : module;
    }
  }

  // Whether the run is of the module of its names in that of the run around it.
  bool IsAsPrinted(RunId id) const {
    PathId module = modules_[id];
    for (absl::string_view name : printed_.OwnNames(runs_[id].scope)) {
      if (module == paths_.root() || paths_.name(module) != name) return false;
      module = paths_.parent(module);
    }
    return module == modules_[runs_[id].parent];
  }

  // The module around a scope that no parameter names, whose last `names` (the last one first) it
  // has for itself.
  PathId AroundOf(RunId id, absl::Span<const absl::string_view> names) const {
    if (IsBesideMembers(id)) {
      RunId around = runs_[id].parent;
      while (sequentials_.Has(runs_[around].scope)) around = runs_[around].parent;
      return modules_[around];
    }
    const PathId outer = modules_[runs_[id].parent];
    const PathId container = unlike_.Contains(id) ? PathId() : ContainerAround(id);
    if (container.valid()) return container;
    if (!around_[id].valid()) return outer;
    if (outer != paths_.root()) return around_[id];
    // A module of the model itself that is known by its name is meant.
    const PathId module = FindInside(outer, names, paths_);
    return module.valid() && IsKnown(module) ? outer : around_[id];
  }

  // With all that is around it.
  void AddKnown(PathId module) {
    for (; module != paths_.root() && !IsKnown(module); module = paths_.parent(module)) {
      is_known_.Add(module);
      by_name_[paths_.name(module)].push_back(module);
    }
  }
  bool IsKnown(PathId module) const { return is_known_.Contains(module); }

  // The only module inside `around` that may be printed like this, with containers between that
  // were never called; none if there is no such module, or several.
  PathId FarModule(ScopeId scope, PathId near, PathId around) const {
    const PathId printed = printed_.scope(scope).path;
    const auto named = by_name_.find(printed_.paths().name(printed));
    if (named == by_name_.end() || named->second.size() > kMostVotes) return PathId();
    PathId only;
    for (PathId module : named->second) {
      if (paths_.depth(module) <= paths_.depth(near) || !paths_.Contains(around, module) ||
          !spelling_.MayMean(module, scope) || is_printed_.Contains(module)) {
        continue;
      }
      if (only.valid()) return PathId();
      only = module;
    }
    return only;
  }

  const Graph& graph_;
  const IdVector<NodeId, ScopeId>& scope_of_;
  absl::FunctionRef<absl::Span<const PathId>(NodeId)> owners_of_;
  absl::FunctionRef<PathId(ValueId)> merged_owner_of_;
  absl::Span<const PathId> known_modules_;
  const PathId top_module_;  // see ReadableGraph; the root: there is none
  PrintedScopes& printed_;
  ModulePaths& paths_;
  const Spelling spelling_;
  const IdVector<ScopeId, ScopeMeaning> meanings_;
  const ScopeRuns runs_;
  const std::vector<RunId> by_depth_;
  ScopeId top_;  // see IsTop()
  // By the scope around and the list, "" for all scopes of the root; none: they have several.
  absl::flat_hash_map<std::pair<ScopeId, absl::string_view>, PathId> containers_;
  IdSet<RunId> unlike_;         // see FindUnlike()
  IdSet<RunId> leading_;        // see FindLeading()
  IdSet<ScopeId> sequentials_;  // see FindSequentials()
  IdVector<RunId, PathId> modules_;
  IdVector<RunId, Votes> votes_;
  std::vector<std::pair<RunId, PathId>> merged_;  // whose merged parameters runs read
  IdSet<RunId> is_named_;                         // see NoteNamed()
  IdSet<PathId> is_printed_;                      // ... their modules
  IdVector<RunId, PathId> around_;                // by what they exchange data with; or none
  bool has_hidden_ = false;                       // see HasHidden()
  IdSet<PathId> is_known_;
  absl::flat_hash_map<absl::string_view, std::vector<PathId>> by_name_;
};

}  // namespace

ScopePlaces ReconcileScopes(const Graph& graph, const IdVector<NodeId, ScopeId>& scope_of,
                            absl::FunctionRef<ScopeId(NodeId)> lost_scope_of,
                            absl::FunctionRef<absl::Span<const PathId>(NodeId)> owners_of,
                            absl::FunctionRef<PathId(ValueId)> merged_owner_of,
                            absl::Span<const PathId> known_modules, PathId top,
                            PrintedScopes& printed, ModulePaths& paths) {
  return Reconciler(graph, scope_of, lost_scope_of, owners_of, merged_owner_of, known_modules, top,
                    printed, paths)
      .Run();
}

}  // namespace onnx_hier
