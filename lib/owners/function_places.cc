// SPDX-License-Identifier: Apache-2.0
#include "lib/owners/function_places.h"

#include <algorithm>
#include <optional>
#include <string>
#include <vector>

#include "absl/container/flat_hash_set.h"
#include "absl/strings/ascii.h"
#include "absl/strings/match.h"
#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "absl/strings/str_replace.h"
#include "absl/strings/strip.h"
#include "lib/graph/callees.h"
#include "lib/names/derived_name.h"
#include "lib/names/given_name.h"
#include "lib/names/module_children.h"
#include "lib/owners/known_modules.h"
#include "lib/owners/parameter_owners.h"

namespace onnx_hier {
namespace {

// Names that a function's name may join by single underscores at its end.
constexpr uint32_t kMostJoined = 3;

class FunctionPlacer {
 public:
  FunctionPlacer(const Graph& graph, ModulePaths& paths, Evidence& evidence)
      : graph_(graph),
        paths_(paths),
        evidence_(evidence),
        calls_(graph.block_count()),
        waiting_(calls_.size(), 0),
        top_block_(calls_.size()),
        members_(calls_.size()) {}

  void Run() {
    if (!FindCalls()) return;
    NoteOwners();
    NoteFunctions();
    for (NodeId node : graph_.node_ids()) {
      if (InFunction(node)) continue;
      if (callee_of(node).valid()) {
        PlaceCall(node, PathId());
      } else if (has_modules_ && counts_calls_ && !evidence_.nodes[node].place.valid()) {
        // All other modules are functions.
        Say(node, {.place = paths_.root(), .method = Method::kFunction});
      }
    }
    // A body is ready when all its calls are placed.
    std::vector<BlockId> ready;
    for (BlockId id : graph_.block_ids()) {
      if (graph_.block(id).kind == BlockKind::kFunction && waiting_[id] == 0) ready.push_back(id);
    }
    while (!ready.empty()) {
      const BlockId function = ready.back();
      ready.pop_back();
      PlaceBody(function);
      for (NodeId node : members_[function]) {
        const BlockId callee = callee_of(node);
        if (callee.valid() && --waiting_[callee] == 0) ready.push_back(callee);
      }
    }
  }

 private:
  BlockId callee_of(NodeId node) const { return callees_[graph_.node(node).op]; }
  bool InFunction(NodeId node) const {
    return graph_.block(top_block_[graph_.node(node).block]).kind == BlockKind::kFunction;
  }

  bool FindCalls() {
    callees_ = FindCallees(graph_);
    if (callees_.empty()) return false;
    for (BlockId id : graph_.block_ids()) {
      const Block& block = graph_.block(id);
      top_block_[id] = block.kind == BlockKind::kSubgraph ? top_block_[block.parent] : id;
    }
    for (NodeId node : graph_.node_ids()) {
      members_[top_block_[graph_.node(node).block]].push_back(node);
      const BlockId callee = callee_of(node);
      if (!callee.valid()) continue;
      calls_[callee].push_back(node);
      if (InFunction(node)) ++waiting_[callee];
    }
    return true;
  }

  void NoteOwners() {
    std::vector<PathId> owners;
    for (PathId owner : evidence_.value_owners) {
      if (owner.valid()) owners.push_back(owner);
    }
    holders_ = ModuleChildren(paths_, owners);
    known_ = IdSet<PathId>(paths_.size());
    for (PathId path : owners) paths_.AddWithAround(path, known_);
  }

  void NoteFunctions() {
    for (BlockId id : graph_.block_ids()) {
      if (calls_[id].empty()) continue;
      const Block& function = graph_.block(id);
      has_modules_ = has_modules_ || IsOfModule(function);
      counts_calls_ = counts_calls_ && (!IsOfModule(function) || NumberOf(function) > 0);
      if (const auto names = SpelledNames(function.name)) {
        called_.insert(Letters(absl::StrJoin(*names, "")));
      }
    }
  }

  // Lists whose members are all numbered are never called themselves.
  PathId OutOfContainers(PathId path) const {
    while (path != paths_.root() && holders_.is_list(path)) path = paths_.parent(path);
    return path;
  }

  // `around` is the place of the body that holds the call; none outside of functions.
  void PlaceCall(NodeId node, PathId around) {
    const NodeEvidence& evidence = evidence_.nodes[node];
    const PathId owners = AnchorOf(evidence_, node, paths_);
    if (evidence.place.valid()) {
      // Exporters give some calls the scope of the last module that ran inside them.
      if (!owners.valid() || paths_.Contains(evidence.place, owners)) return;
      Statement said = evidence;
      said.place = OutOfContainers(paths_.Join(evidence.place, owners));
      said.method = Method::kParameters;
      Say(node, said);
      return;
    }
    const absl::string_view function = graph_.block(callee_of(node)).name;
    PathId place = owners.valid() ? NamedAncestor(owners, function, around) : PathId();
    if (!place.valid()) place = owners.valid() ? OutOfContainers(owners) : PathId();
    Method method = Method::kParameters;
    if (!place.valid()) {
      // A call in the model itself of what is no module's function says nothing.
      if (!around.valid() && !IsNamedAfterModule(callee_of(node))) return;
      place = PlaceByName(around.valid() ? around : paths_.root(), node);
      method = Method::kFunction;
    }
    Say(node, {.place = place, .method = method, .call = CallOf(callee_of(node))});
  }

  // Names, where there are any, still say where else the node is.
  void Say(NodeId node, const Statement& said) {
    evidence_.nodes.Say(node, said, evidence_.nodes[node].other_place);
  }

  // The module on the way from `path` outwards whose name ends the function's name.
  PathId NamedAncestor(PathId path, absl::string_view function, PathId around) {
    if (const PathId spelled = SpelledPath(function, around); spelled.valid()) {
      // Its parameters tell which underscores are dots, and which a name's own.
      const std::string letters = LettersOf(spelled);
      const uint32_t deepest = paths_.depth(spelled) + kMostJoined;
      path = paths_.AncestorAtDepth(path, deepest);
      for (; paths_.depth(path) >= paths_.depth(spelled) && path != paths_.root();
           path = paths_.parent(path)) {
        if (LettersOf(path) == letters) return path;
      }
      return spelled;
    }
    const absl::string_view name = WithoutCounter(function);
    for (; path != paths_.root(); path = paths_.parent(path)) {
      if (EndsWithPath(name, path)) return path;
    }
    return PathId();
  }

  // Whatever parts its words.
  static std::string Letters(absl::string_view name) {
    return absl::StrReplaceAll(name, {{"_", ""}, {".", ""}});
  }
  std::string LettersOf(PathId path) const { return Letters(paths_.QualifiedName(path)); }

  // Whether the path is spelled at the end of the name, underscores before all of its parts and in
  // place of dots.
  bool EndsWithPath(absl::string_view name, PathId path) const {
    for (; path != paths_.root(); path = paths_.parent(path)) {
      const absl::string_view part = paths_.name(path);
      if (name.size() <= part.size() || name[name.size() - part.size() - 1] != '_') return false;
      const absl::string_view end = name.substr(name.size() - part.size());
      const auto is_spelled = [](char written, char meant) {
        return written == (meant == '.' ? '_' : meant);
      };
      if (!std::equal(end.begin(), end.end(), part.begin(), is_spelled)) return false;
      name.remove_suffix(part.size() + 1);
    }
    return true;
  }

  // "..._getattr_L__self___layer2___1___relu" is Python's getattr(L["self"].layer2, "1").relu, with
  // an underscore for all that is no word: three and more of them are between two names. A single
  // one may be a dot as well.
  static std::optional<std::vector<absl::string_view>> SpelledNames(absl::string_view function) {
    constexpr absl::string_view kSelf = "L__self__";
    constexpr absl::string_view kBetween = "___";
    absl::string_view name = WithoutCounter(function);
    const size_t self = name.find(kSelf);
    if (self == absl::string_view::npos) return std::nullopt;
    name.remove_prefix(self + kSelf.size());
    std::vector<absl::string_view> names;
    while (!name.empty()) {
      name.remove_prefix(std::min(name.find_first_not_of('_'), name.size()));
      const size_t end = std::min(name.find(kBetween), name.size());
      names.push_back(name.substr(0, end));
      name.remove_prefix(end);
    }
    return names;
  }

  // By an exporter that has a function for each call of each module.
  static bool IsOfModule(const Block& function) {
    return absl::StartsWith(function.domain, "pkg.") &&
           !absl::StartsWith(function.domain, "pkg.onnxscript");
  }

  // Whether calls of the function are modules that it, or the call, is named after.
  bool IsNamedAfterModule(BlockId id) const {
    const Block& function = graph_.block(id);
    return absl::StartsWith(function.domain, "custom") || IsOfModule(function);
  }

  // That exporter counts the module's calls at the end of the name, from 1; 0: there is no number.
  static uint32_t NumberOf(const Block& function) {
    uint32_t number = 0;
    const size_t end = WithoutCounter(function.name).size();
    const bool has_number =
        end < function.name.size() && absl::SimpleAtoi(function.name.substr(end + 1), &number);
    return has_number ? number : 0;
  }

  uint32_t CallOf(BlockId id) const {
    const Block& function = graph_.block(id);
    if (!counts_calls_ || !IsOfModule(function)) return 0;
    const uint32_t number = NumberOf(function);
    // Each call has a function of its own: a larger number counts something else.
    return number > 0 && number <= graph_.block_count() ? number - 1 : 0;
  }

  // The module of a function that `around` calls; none: its name does not spell one.
  PathId SpelledPath(absl::string_view function, PathId around) {
    std::optional<std::vector<absl::string_view>> names = SpelledNames(function);
    if (!names.has_value()) return PathId();
    PathId path = paths_.root();
    // "bn1_act", called by bn1, is bn1.act.
    if (around.valid() && ConsumeLetters(LettersOf(around), *names)) path = around;
    for (absl::string_view name : *names) path = Inside(path, name);
    return path;
  }

  // Takes the letters of a module off the names of another one, if they begin with these.
  static bool ConsumeLetters(absl::string_view letters, std::vector<absl::string_view>& names) {
    for (size_t i = 0; i < names.size(); ++i) {
      absl::string_view rest = names[i];
      while (!rest.empty() && !letters.empty()) {
        if (rest.front() != '_' && !absl::ConsumePrefix(&letters, rest.substr(0, 1))) return false;
        rest.remove_prefix(1);
      }
      if (!letters.empty()) continue;
      if (!rest.empty() && !absl::ConsumePrefix(&rest, "_")) return false;
      names.erase(names.begin(), names.begin() + static_cast<ptrdiff_t>(i));
      names.front() = rest;
      if (rest.empty()) names.erase(names.begin());
      return true;
    }
    return false;
  }

  // What `name` is in a module, if some of its underscores may be dots: those behind modules that
  // parameters tell of, and that are never called, for those that are call their own.
  PathId Inside(PathId path, absl::string_view name) {
    // No module has a longer name, and each underscore of it costs a look at all before it.
    if (name.size() > ModulePaths::kLongestName) return paths_.Child(path, name);
    for (size_t end = name.size(); end != absl::string_view::npos && end > 0;
         end = name.rfind('_', end - 1)) {
      const PathId child = paths_.FindChild(path, name.substr(0, end));
      if (!child.valid() || !known_.Contains(child)) continue;
      if (end == name.size()) return child;
      if (!called_.contains(LettersOf(child))) return Inside(child, name.substr(end + 1));
    }
    return paths_.Child(path, name);
  }

  // A call without parameters: the function's name ends with the module's path, or the node's
  // own name says what it calls.
  PathId PlaceByName(PathId around, NodeId node) {
    const Block& function = graph_.block(callee_of(node));
    if (absl::StartsWith(function.domain, "custom")) {
      const Node& call = graph_.node(node);
      const bool is_nameless =
          call.name.empty() || IsGiven(call.name, graph_.op(node).type, graph_.doc_string(node));
      return paths_.Child(around, is_nameless ? function.name : call.name);
    }
    if (!IsOfModule(function)) return around;
    if (const PathId spelled = SpelledPath(function.name, around); spelled.valid()) return spelled;
    absl::string_view name = WithoutCounter(function.name);
    const std::string outer =
        absl::StrCat("_", absl::StrReplaceAll(paths_.QualifiedName(around), {{".", "_"}}), "_");
    const size_t at = around == paths_.root() ? absl::string_view::npos : name.rfind(outer);
    name = at != absl::string_view::npos ? name.substr(at + outer.size()) : AfterClassName(name);
    return name.empty() ? around : paths_.Child(around, name);
  }

  // "torch_nn_modules_activation_ReLU_relu" -> "relu": classes begin with a capital letter.
  static absl::string_view AfterClassName(absl::string_view name) {
    size_t after = absl::string_view::npos;
    for (size_t i = 0; i + 1 < name.size(); ++i) {
      const bool starts_word = i == 0 || name[i - 1] == '_';
      if (starts_word && absl::ascii_isupper(static_cast<unsigned char>(name[i]))) {
        after = name.find('_', i);
      }
    }
    return after == absl::string_view::npos ? absl::string_view() : name.substr(after + 1);
  }

  void PlaceBody(BlockId function) {
    const PathId place = PlaceOfBody(function);
    const uint32_t call = CallOf(function);
    PassParameters(function);
    for (NodeId node : members_[function]) {
      FindOwnersOf(graph_, node, evidence_);
      if (callee_of(node).valid()) {
        PlaceCall(node, place);
        continue;
      }
      if (evidence_.nodes[node].place.valid()) continue;
      const PathId owners = AnchorOf(evidence_, node, paths_);
      const bool inside = owners.valid() && (!place.valid() || paths_.Contains(place, owners));
      if (!inside && !place.valid()) continue;
      Say(node, {.place = inside ? OutOfContainers(owners) : place,
                 .method = inside ? Method::kParameters : Method::kFunction,
                 .call = call});
    }
  }

  // None: nothing says where it is called.
  PathId PlaceOfBody(BlockId function) const {
    PathId place;
    for (NodeId call : calls_[function]) place = paths_.Join(place, evidence_.nodes[call].place);
    return place.valid() && calls_[function].size() > 1 ? OutOfContainers(place) : place;
  }

  // A formal input is the parameter that every call passes for it.
  void PassParameters(BlockId function) {
    const absl::Span<const ValueId> formal = graph_.inputs(function);
    std::vector<PathId> owners(formal.size());
    for (NodeId call : calls_[function]) {
      const absl::Span<const ValueId> actual = graph_.inputs(call);
      for (size_t i = 0; i < std::min(formal.size(), actual.size()); ++i) {
        if (actual[i].valid())
          owners[i] = paths_.Join(owners[i], evidence_.value_owners[actual[i]]);
      }
    }
    for (size_t i = 0; i < formal.size(); ++i) {
      if (formal[i].valid()) evidence_.value_owners[formal[i]] = owners[i];
    }
  }

  const Graph& graph_;
  ModulePaths& paths_;
  Evidence& evidence_;
  IdVector<OpId, BlockId> callees_;
  IdVector<BlockId, std::vector<NodeId>> calls_;    // of each function
  IdVector<BlockId, uint32_t> waiting_;             // calls in bodies that are not placed yet
  IdVector<BlockId, BlockId> top_block_;            // the block around nested ones
  IdVector<BlockId, std::vector<NodeId>> members_;  // nodes of a top block, nested ones included
  ModuleChildren holders_;                          // of parameters
  IdSet<PathId> known_;                             // these, and what is around them
  bool has_modules_ = false;                        // some functions are of modules
  bool counts_calls_ = true;                        // all of these have a number
  absl::flat_hash_set<std::string> called_;         // letters of the modules that functions spell
};

}  // namespace

void PlaceFunctions(const Graph& graph, ModulePaths& paths, Evidence& evidence) {
  FunctionPlacer(graph, paths, evidence).Run();
}

}  // namespace onnx_hier
