// SPDX-License-Identifier: Apache-2.0
#include "lib/names/readable_graph.h"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <limits>
#include <memory>
#include <optional>
#include <utility>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "absl/container/flat_hash_set.h"
#include "absl/strings/match.h"
#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/string_view.h"
#include "absl/strings/strip.h"
#include "absl/types/span.h"
#include "lib/base/common_prefix.h"
#include "lib/base/rules.h"
#include "lib/graph/callees.h"
#include "lib/graph/top_blocks.h"
#include "lib/names/builder_names.h"
#include "lib/names/derived_name.h"
#include "lib/names/flattened_names.h"
#include "lib/names/joined_names.h"
#include "lib/names/metadata_scope.h"
#include "lib/names/parameter_name.h"
#include "lib/names/scoped_name.h"
#include "onnx_hier/module_paths.h"

namespace onnx_hier {
namespace {

// Prefixes that are looked at: of joined models there are two or three.
constexpr size_t kMostPrefixes = 16;
// Of the named nodes, those that must share one for it to be no module like others.
constexpr size_t kLeastShare = 16;
// Fewer names can share a word by chance.
constexpr size_t kLeastNames = 5;
// Of pairs, one of so many agrees where a name is read as it was meant. Other readings have none.
constexpr size_t kOften = 3;
// Modules in each other that one call of a function has inside; of real models, three.
constexpr int kMostInside = 16;

// Behind them, another name can go on.
constexpr absl::string_view kSeparators = "_/.:-";

// Whether it ends so: "m1_", "m1/", "m1.".
bool IsSeparated(absl::string_view prefix) {
  return !prefix.empty() && absl::StrContains(kSeparators, prefix.back());
}

// The module that a prefix stands for: "m1" of "m1_".
absl::string_view ModuleOf(absl::string_view prefix) {
  while (IsSeparated(prefix)) prefix.remove_suffix(1);
  return prefix;
}

// What stands in front of a scope: "m1_" of "m1_/encoder/Add", "m1/" of "m1//encoder/Add".
absl::string_view BeforeScope(absl::string_view name, size_t slash) {
  const bool doubled = slash + 1 < name.size() && name[slash + 1] == '/';
  return name.substr(0, doubled ? slash + 1 : slash);
}

// What the names of a node and of its value both begin with: "m1_" of "m1_node_linear_3" and
// "m1_linear_3"; "" where that is nothing.
absl::string_view BeforeBoth(absl::string_view name, absl::string_view output) {
  const size_t end = name.find_first_of(kSeparators) + 1;
  return end <= CommonPrefix(name, output) ? name.substr(0, end) : "";
}

// What stands in front of an operator as older exporters name it: "m1_" of "m1_Conv_12", and of
// "m1_node_Conv_12". "" where nothing does, or the name is none of these.
absl::string_view BeforeOperator(absl::string_view name, absl::string_view op_type) {
  name = WithoutCounter(name);
  if (!absl::ConsumeSuffix(&name, op_type)) return "";
  absl::ConsumeSuffix(&name, "node_");
  return IsSeparated(name) ? name : "";
}

// How nodes name their modules, of those that read parameters of their own.
struct PairCount {
  size_t pairs = 0;
  size_t agreed = 0;
};

// A prefix that names may have.
struct PrefixCandidate {
  absl::string_view prefix;
  size_t nodes = 0;   // with a scope or an operator behind it
  size_t scoped = 0;  // of these, those with a scope
  bool reads_foreign_input = false;
  PairCount agreement;
};

// What all names of the main graph begin with, up to the first place where another name can go on;
// "" where that is nothing, or there are few names.
absl::string_view SharedPrefix(const Graph& graph) {
  const IdVector<BlockId, BlockId> tops = FindTopBlocks(graph);
  absl::string_view shared;
  size_t names = 0;
  const auto narrow = [&](absl::string_view name, BlockId block) {
    if (name.empty() || tops[block] != graph.main_block()) return true;
    shared = names++ == 0 ? name : shared.substr(0, CommonPrefix(shared, name));
    return !shared.empty();
  };
  for (NodeId id : graph.node_ids()) {
    if (!narrow(graph.node(id).name, graph.node(id).block)) return "";
  }
  for (ValueId id : graph.value_ids()) {
    if (!narrow(graph.value(id).name, graph.value(id).block)) return "";
  }
  if (names < kLeastNames) return "";
  shared = shared.substr(0, shared.find_first_of(kSeparators) + 1);
  return ModuleOf(shared).empty() ? "" : shared;
}

// Whether the node says where the module of the parameter is: all of it, or without the modules
// around it that were never called themselves.
bool SaysTheSame(PathId scope, PathId owner, const ModulePaths& paths) {
  if (!scope.valid() || scope == paths.root()) return false;
  while (scope != paths.root() && owner != paths.root() && paths.name(scope) == paths.name(owner)) {
    scope = paths.parent(scope);
    owner = paths.parent(owner);
  }
  return scope == paths.root();
}

// The same of a function's call, which reads what all modules in it have.
bool SaysWhatIsAround(PathId scope, PathId owner, const ModulePaths& paths) {
  for (int i = 0; i < kMostInside && owner != paths.root(); ++i, owner = paths.parent(owner)) {
    if (SaysTheSame(scope, owner, paths)) return true;
  }
  return false;
}

// "encoder/Relu_output_0", "encoder/Relu_output_0_nchwc"
bool IsCalledAsExported(absl::string_view name) {
  return absl::StrContains(name, '/') && absl::StrContains(name, "_output_0");
}

// Whether the value is one that may be called like the parameter of a module.
bool MayBeParameter(const Graph& graph, const Value& value) {
  if (value.kind != ValueKind::kNodeOutput) return true;
  const absl::string_view type = graph.op(value.producer).type;
  return type == "Identity" || type == "Constant";
}

bool AreRead(const BuilderValues& built) { return built.any() && IsOn(Rule::kBuilderValues); }

// Finds how the names of a graph are read.
class NameReading {
 public:
  // `shared`: what all names begin with; "": perhaps those of some.
  NameReading(const Graph& graph, absl::string_view shared, const BuilderValues& built)
      : graph_(graph), built_(built) {
    if (!shared.empty()) prefixes_.push_back(shared);
  }

  // Whether it is another one than as they are.
  bool Find() {
    return !prefixes_.empty() || FindByAgreement() || has_built_values() || has_operators_;
  }
  // Of a graph without prefixes, whether it is so.
  bool FindBelow() {
    FindByAgreement();
    prefixes_.clear();
    return lacks_slash_ || has_built_values() || has_operators_;
  }

  // Longer ones first. Each is a module on top.
  absl::Span<const absl::string_view> prefixes() const { return prefixes_; }
  bool has_prefixes() const { return !prefixes_.empty(); }
  absl::string_view WithoutPrefix(absl::string_view name) const {
    return name.substr(PrefixOf(name).size());
  }
  // How names are read behind the prefixes: a graph with the same ids.
  void ReadBelow(const Graph& below) {
    below_ = &below;
    separator_ = ModuleSeparator(below);
  }

  // Names as they are read; `text` is where one is kept that has to be made.
  absl::string_view OfNode(NodeId id, std::string& text) const {
    if (has_prefixes()) return Of(graph_.node(id).name, below_->node(id).name, false, text);
    const absl::string_view name = has_operators_ ? WithoutOperator(id) : graph_.node(id).name;
    const auto bare = lacks_slash_ && IsBare(id) ? bare_.find(graph_.op(id).type) : bare_.end();
    // A builder counts the nodes of all modules together.
    const bool at_root =
        bare != bare_.end() && (NumberOf(id) < bare->second || HasBuilderCounter(name));
    return at_root ? text = absl::StrCat("/", name) : WithSlash(name, text);
  }
  absl::string_view OfValue(ValueId id, std::string& text) const {
    const Value& value = graph_.value(id);
    if (has_prefixes()) {
      const absl::string_view owner = OwnerInParameterName(value.name);
      const bool may_be_parameter =
          MayBeParameter(graph_, value) && !IsNamedAfterReader(graph_, id, owner);
      return Of(value.name, below_->value(id).name, may_be_parameter, text);
    }
    if (has_built_values() && built_.Read(id, text)) return text;
    return WithSlash(value.name, text);
  }
  absl::string_view OfTensor(TensorId id, std::string& text) const {
    const absl::string_view name = graph_.tensor(id).name;
    return has_prefixes() ? Of(name, below_->tensor(id).name, true, text) : WithSlash(name, text);
  }

 private:
  // What stands behind "MatMul_" or "MatMul:" in "MatMul_/encoder/MatMul", else all of it.
  absl::string_view WithoutOperator(NodeId id) const;
  bool has_built_values() const { return AreRead(built_); }
  bool FindByAgreement();
  // "": it has none.
  absl::string_view PrefixOf(absl::string_view name) const;
  // Whether so many names have it that it is no module like others.
  bool IsLarge(const PrefixCandidate& candidate) const {
    return candidate.nodes * kLeastShare >= named_;
  }
  bool FindCandidates();
  absl::string_view BeforeFlatName(NodeId id) const;
  void Agree();
  void AgreeOn(NodeId node, absl::string_view parameter);
  bool Agrees(NodeId node, absl::string_view name, absl::string_view owner);
  void Choose();
  PrefixCandidate* CandidateOf(absl::string_view name);
  absl::string_view Of(absl::string_view name, absl::string_view rest, bool may_be_parameter,
                       std::string& text) const;
  absl::string_view WithSlash(absl::string_view name, std::string& text) const;
  void FindBare();
  // Whether the node is named after its operator alone, and is none that an optimiser put there or
  // in the place of a module's.
  bool IsBare(NodeId id) const {
    return WithoutCounter(graph_.node(id).name) == graph_.op(id).type &&
           graph_.op(id).domain.empty() && !absl::StrContains(OutputOf(id), '/');
  }
  absl::string_view OutputOf(NodeId id) const {
    const absl::Span<const ValueId> made = graph_.outputs(id);
    return made.empty() || !made[0].valid() ? "" : graph_.value(made[0]).name;
  }
  // 0 for "Constant", 12 for "Constant_12"; exporters write no "Constant_0" in a module.
  uint64_t NumberOf(NodeId id) const {
    const absl::string_view name = graph_.node(id).name;
    const size_t length = graph_.op(id).type.size();
    if (name.size() == length) return 0;
    uint64_t number = 0;
    const bool is_number = absl::SimpleAtoi(name.substr(length + 1), &number) && number > 0;
    return is_number ? number : std::numeric_limits<uint64_t>::max();
  }

  const Graph& graph_;
  const BuilderValues& built_;
  IdVector<OpId, BlockId> callees_;
  ModulePaths paths_;
  std::vector<PrefixCandidate> candidates_;
  size_t named_ = 0;
  size_t unslashed_ = 0;    // nodes with a scope that does not begin with a slash
  size_t as_exported_ = 0;  // of these, those that torch named, or whose value it did
  PairCount without_slash_;
  std::vector<absl::string_view> prefixes_;  // longer ones first
  bool lacks_slash_ = false;
  bool has_operators_ = false;  // in front of some scopes
  const Graph* below_ = nullptr;
  char separator_ = '.';                                   // see ModuleSeparator
  absl::flat_hash_map<absl::string_view, uint64_t> bare_;  // of the root module, by operator
};

bool NameReading::FindByAgreement() {
  if (!FindCandidates()) return false;
  Agree();
  Choose();
  return lacks_slash_ || !prefixes_.empty();
}

absl::string_view NameReading::WithoutOperator(NodeId id) const {
  const absl::string_view name = graph_.node(id).name;
  absl::string_view rest = name;
  // No module is called so that is around a scope.
  if (!absl::ConsumePrefix(&rest, graph_.op(id).type) || rest.size() < 2 || rest[1] != '/') {
    return name;
  }
  return IsSeparated(rest.substr(0, 1)) && rest[0] != '/' ? rest.substr(1) : name;
}

// What stands in front of a name without scopes.
absl::string_view NameReading::BeforeFlatName(NodeId id) const {
  const absl::string_view name = graph_.node(id).name;
  // As torch.export's exporter names nodes; most have one so, or none has.
  if (absl::StartsWith(name, "node_")) return "";
  const absl::string_view prefix = BeforeOperator(name, graph_.op(id).type);
  return prefix.empty() ? BeforeBoth(name, OutputOf(id)) : prefix;
}

// Hardly any file has one: most end here.
bool NameReading::FindCandidates() {
  absl::flat_hash_map<absl::string_view, PrefixCandidate> found;
  for (NodeId id : graph_.node_ids()) {
    const absl::string_view name = graph_.node(id).name;
    if (name.empty()) continue;
    ++named_;
    if (name[0] == '/') continue;
    if (WithoutOperator(id).size() < name.size()) {
      has_operators_ = true;
      continue;
    }
    const size_t slash = name.find('/');
    const bool slashed = slash != absl::string_view::npos;
    if (slashed) ++unslashed_;
    const absl::string_view flat = BeforeFlatName(id);
    // "m1/node_linear_3" has none.
    const bool scoped =
        slashed && (name.rfind('/') != slash || ModuleOf(flat) != name.substr(0, slash));
    const absl::string_view prefix = scoped ? BeforeScope(name, slash) : flat;
    // What inliners put there is no module.
    if (ModuleOf(prefix).empty() || WithoutInlinePrefix(name).size() < name.size()) continue;
    PrefixCandidate& candidate = found[prefix];
    candidate.prefix = prefix;
    ++candidate.nodes;
    if (scoped) ++candidate.scoped;
  }
  for (auto& [prefix, candidate] : found) {
    // "m1/Identity_0" has no scope where others are "m1//encoder/Add".
    const auto longer = found.find(absl::StrCat(prefix, "/"));
    if (longer != found.end()) longer->second.nodes += std::exchange(candidate.nodes, 0);
  }
  for (const auto& [prefix, candidate] : found) candidates_.push_back(candidate);
  // In an order that does not hang on the table.
  std::sort(candidates_.begin(), candidates_.end(),
            [](const PrefixCandidate& a, const PrefixCandidate& b) {
              return a.nodes != b.nodes ? a.nodes > b.nodes : a.prefix < b.prefix;
            });
  if (candidates_.size() > kMostPrefixes) candidates_.resize(kMostPrefixes);
  if (!candidates_.empty() && !IsLarge(candidates_[0])) candidates_.clear();
  return !candidates_.empty() || unslashed_ * 2 > named_;
}

PrefixCandidate* NameReading::CandidateOf(absl::string_view name) {
  PrefixCandidate* longest = nullptr;
  for (PrefixCandidate& candidate : candidates_) {
    if (!absl::StartsWith(name, candidate.prefix)) continue;
    if (longest == nullptr || longest->prefix.size() < candidate.prefix.size()) {
      longest = &candidate;
    }
  }
  return longest;
}

// Nodes and the named parameters that nobody else reads.
void NameReading::Agree() {
  callees_ = FindCallees(graph_);
  for (NodeId id : graph_.node_ids()) {
    const absl::string_view name = graph_.node(id).name;
    if (name.empty() || name[0] == '/') continue;
    if (absl::StrContains(name, '/') &&
        (IsCalledAsExported(name) || IsCalledAsExported(OutputOf(id)))) {
      ++as_exported_;
    }
    // What several nodes were fused into may be called after the last of them.
    if (IsCalledAsExported(name)) continue;
    PrefixCandidate* const candidate = CandidateOf(name);
    for (ValueId input : graph_.inputs(id)) {
      if (!input.valid()) continue;
      const Value& value = graph_.value(input);
      if (candidate != nullptr && value.kind == ValueKind::kInput &&
          !absl::StartsWith(value.name, candidate->prefix)) {
        candidate->reads_foreign_input = true;
      }
      if (graph_.uses(input).size() != 1) continue;
      if (MayBeParameter(graph_, value)) AgreeOn(id, value.name);
    }
  }
}

// Whether the node's name, read so, is in the module of a parameter that it reads.
bool NameReading::Agrees(NodeId node, absl::string_view name, absl::string_view owner) {
  const PathId scope = ScopeOfNodeName(WithoutFusions(name), paths_);
  const PathId module = paths_.Parse(owner);
  const OpId op = graph_.node(node).op;
  return CalleeOf(op, callees_).valid() ? SaysWhatIsAround(scope, module, paths_)
                                        : SaysTheSame(scope, module, paths_);
}

void NameReading::AgreeOn(NodeId node, absl::string_view parameter) {
  const absl::string_view name = graph_.node(node).name;
  const absl::string_view owner = OwnerInParameterName(parameter);
  if (owner.empty()) return;
  if (absl::StrContains(name, '/')) {
    ++without_slash_.pairs;
    if (Agrees(node, absl::StrCat("/", name), owner)) ++without_slash_.agreed;
  }
  PrefixCandidate* const candidate = CandidateOf(name);
  if (candidate == nullptr) return;
  const bool has_prefix = absl::ConsumePrefix(&parameter, candidate->prefix);
  const absl::string_view inner = has_prefix ? OwnerInParameterName(parameter) : "";
  // "m1.onnx::Conv_12" is no parameter of m1.
  if (has_prefix && inner.empty()) return;
  ++candidate->agreement.pairs;
  if (inner.empty() || inner[0] == '.') return;
  const absl::string_view rest = name.substr(candidate->prefix.size());
  // Names without scopes do not disagree.
  const bool agrees =
      absl::StrContains(rest, '/') ? Agrees(node, rest, inner) : IsSeparated(candidate->prefix);
  if (agrees) ++candidate->agreement.agreed;
}

void NameReading::Choose() {
  const auto agrees = [](const PairCount& agreement) {
    return agreement.agreed * kOften > agreement.pairs;
  };
  bool any_agrees = false;
  // Those that most names have come first.
  for (const PrefixCandidate& candidate : candidates_) {
    const bool may_be_one = candidate.scoped > 0 || !candidate.reads_foreign_input;
    const bool is_one = may_be_one && agrees(candidate.agreement);
    if (!IsLarge(candidate)) {
      // Only a model that was joined to others is small.
      const bool is_model = any_agrees && is_one && PrefixOf(candidate.prefix).empty();
      if (is_model && IsSeparated(candidate.prefix)) prefixes_.push_back(candidate.prefix);
      continue;
    }
    any_agrees = any_agrees || is_one;
    // Without any parameter to ask, what goes on with a slash is a scope.
    const bool is_cut =
        candidate.agreement.pairs == 0 && candidate.scoped > 0 && IsSeparated(candidate.prefix);
    if (is_cut || is_one) prefixes_.push_back(candidate.prefix);
  }
  const bool is_shaped = without_slash_.pairs == 0 && as_exported_ * 2 > unslashed_;
  // Of models that were joined, one may have lost it.
  const bool may_lack_slash = !any_agrees || unslashed_ * 2 > named_;
  if (may_lack_slash && (is_shaped || agrees(without_slash_))) {
    lacks_slash_ = true;
    prefixes_.clear();
  }
  // That builder writes none, whatever the parameters are called.
  if (prefixes_.empty() && IsNamedByBuilder(graph_)) lacks_slash_ = true;
  if (lacks_slash_) FindBare();
  std::sort(prefixes_.begin(), prefixes_.end(), std::greater<>());
}

// Nodes of the root module are counted from "Constant", "Constant_1" on; those of which nothing is
// known have numbers of their own.
void NameReading::FindBare() {
  absl::flat_hash_map<absl::string_view, absl::flat_hash_set<uint64_t>> numbers;
  for (NodeId id : graph_.node_ids()) {
    if (IsBare(id)) numbers[graph_.op(id).type].insert(NumberOf(id));
  }
  for (const auto& [type, known] : numbers) {
    uint64_t count = 0;
    while (known.contains(count)) ++count;
    bare_[type] = count;
  }
}

absl::string_view NameReading::PrefixOf(absl::string_view name) const {
  for (absl::string_view prefix : prefixes_) {
    if (absl::StartsWith(name, prefix)) return prefix;
  }
  return "";
}

// `rest`: what is behind the name's prefix, as it is read.
absl::string_view NameReading::Of(absl::string_view name, absl::string_view rest,
                                  bool may_be_parameter, std::string& text) const {
  const absl::string_view prefix = PrefixOf(name);
  if (prefix.empty()) return rest;
  if (absl::StartsWith(rest, "/")) return text = absl::StrCat("/", ModuleOf(prefix), rest);
  const absl::string_view owner = may_be_parameter ? OwnerInParameterName(rest) : "";
  const bool has_slashes = owner.empty() || separator_ == '/';
  if (has_slashes && absl::StrContains(rest, '/')) {
    return text = absl::StrCat(ModuleOf(prefix), "/", rest);
  }
  if (owner.empty()) return rest;
  // "ConvBnFusion_W_" stays in front of it all.
  const auto front = static_cast<size_t>(owner.data() - rest.data());
  return text = absl::StrCat(rest.substr(0, front), ModuleOf(prefix), ".", rest.substr(front));
}

absl::string_view NameReading::WithSlash(absl::string_view name, std::string& text) const {
  if (lacks_slash_ && !absl::StartsWith(name, "/") && absl::StrContains(name, '/')) {
    return text = absl::StrCat("/", name);
  }
  return name;
}

void TakePrefixesOff(const NameReading& reading, RenamedGraph& bare) {
  const Graph& graph = bare.graph();
  for (NodeId id : graph.node_ids()) bare.SetName(id, reading.WithoutPrefix(graph.node(id).name));
  for (TensorId id : graph.tensor_ids()) {
    bare.SetName(id, reading.WithoutPrefix(graph.tensor(id).name));
  }
  for (ValueId id : graph.value_ids()) {
    bare.SetName(id, reading.WithoutPrefix(graph.value(id).name));
  }
}

}  // namespace

ReadableGraph::Model::Model(JoinedModel joined)
    : part(std::move(joined.part)),
      readable(part.graph(), joined.prefix.empty() ? Prefix::kNone : Prefix::kGiven,
               joined.prefix) {}

ReadableGraph::~ReadableGraph() = default;

ReadableGraph::ReadableGraph(const Graph& graph, Prefix prefix, absl::string_view given)
    : graph_(graph) {
  const bool is_searched = prefix == Prefix::kUnknown && IsOn(Rule::kReadableNames);
  if (is_searched && ReadModels(SplitByBranches(graph))) return;
  const absl::string_view shared = is_searched ? SharedPrefix(graph) : given;
  std::optional<FlattenedNames> flattened;
  std::optional<RenamedGraph> unflattened;
  // A builder's values are named by another grammar.
  const BuilderValues built(graph);
  if (shared.empty() && !AreRead(built) && flattened.emplace(graph).has_scopes()) {
    unflattened = Renamed(graph, *flattened);
    sureness_ = flattened->sureness();
  }
  const Graph& read = unflattened.has_value() ? unflattened->graph() : graph;
  NameReading reading(read, shared, built);
  if (IsOn(Rule::kReadableNames) &&
      (prefix == Prefix::kNone ? reading.FindBelow() : reading.Find())) {
    if (!reading.has_prefixes()) {
      renamed_ = Renamed(read, reading);
    } else if (!is_searched || !ReadModels(SplitByPrefixes(graph_, reading.prefixes()))) {
      ReadBehindPrefix(read, prefix, reading);
    }
  } else if (unflattened.has_value()) {
    renamed_ = *std::move(unflattened);
  } else if (flattened.has_value() && flattened->any()) {
    renamed_ = Renamed(graph, *flattened);
    sureness_ = flattened->sureness();
  } else if (const JoinedNames joined(graph); joined.any() && IsOn(Rule::kJoinedNames)) {
    renamed_ = Renamed(graph, joined);
  }
}

template <class Reading>
void ReadableGraph::ReadBehindPrefix(const Graph& read, Prefix prefix, Reading& reading) {
  RenamedGraph bare(read);
  TakePrefixesOff(reading, bare);
  ReadableGraph below(bare.graph(), Prefix::kNone, "");
  names_below_ = std::move(below.names_);
  sureness_ = below.sureness();
  // Metadata says where the nodes of a single model are, and knows nothing of prefixes.
  if (prefix == Prefix::kUnknown && HasScopesInMetadata(read)) {
    renamed_ = below.renamed_.has_value() ? std::move(below.renamed_) : std::move(bare);
    return;
  }
  reading.ReadBelow(below.graph());
  renamed_ = Renamed(read, reading);
  top_ = ModuleOf(reading.prefixes()[0]);
}

// False: all is one model.
bool ReadableGraph::ReadModels(std::vector<JoinedModel> models) {
  if (models.empty()) return false;
  RenamedGraph& renamed = renamed_.emplace(graph_);
  for (JoinedModel& joined : models) {
    models_.push_back(std::make_unique<Model>(std::move(joined)));
    sureness_ = std::min(sureness_, models_.back()->readable.sureness());
    TakeNames(*models_.back(), renamed);
  }
  return true;
}

// What the model reads of others keeps the name that it has there.
void ReadableGraph::TakeNames(const Model& model, RenamedGraph& renamed) const {
  const Graph& graph = model.readable.graph();
  for (NodeId id : graph.node_ids()) {
    renamed.SetName(model.part.InWhole(id), graph.node(id).name);
  }
  for (TensorId id : graph.tensor_ids()) {
    renamed.SetName(model.part.InWhole(id), graph.tensor(id).name);
  }
  for (ValueId id : graph.value_ids()) {
    const NodeId producer = graph_.value(model.part.InWhole(id)).producer;
    if (producer.valid() && !model.part.InPart(producer).valid()) continue;
    renamed.SetName(model.part.InWhole(id), graph.value(id).name);
  }
}

template <class Reading>
RenamedGraph ReadableGraph::Renamed(const Graph& graph, const Reading& reading) {
  RenamedGraph renamed(graph);
  std::string text;
  // Kept where it had to be made.
  const auto keep = [&](absl::string_view name) {
    if (text.empty()) return name;
    name = names_.emplace_back(text);
    text.clear();
    return name;
  };
  for (NodeId id : graph.node_ids()) renamed.SetName(id, keep(reading.OfNode(id, text)));
  for (TensorId id : graph.tensor_ids()) renamed.SetName(id, keep(reading.OfTensor(id, text)));
  for (ValueId id : graph.value_ids()) {
    const absl::string_view name = keep(reading.OfValue(id, text));
    renamed.SetName(id, name);
    // An initializer is called like its value.
    if (graph.value(id).tensor.valid()) renamed.SetName(graph.value(id).tensor, name);
  }
  return renamed;
}

}  // namespace onnx_hier
