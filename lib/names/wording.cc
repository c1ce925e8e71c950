// SPDX-License-Identifier: Apache-2.0
#include "lib/names/wording.h"

#include <algorithm>
#include <cstddef>
#include <functional>
#include <utility>

#include "absl/container/flat_hash_map.h"
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/strip.h"
#include "absl/types/span.h"
#include "lib/base/common_prefix.h"
#include "lib/graph/callees.h"
#include "lib/graph/top_blocks.h"
#include "lib/names/derived_name.h"
#include "lib/names/dialects/onnxscript.h"
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
  size_t nodes = 0;                  // with a scope or an operator behind it
  size_t scoped = 0;                 // of these, those with a scope
  bool reads_foreign_input = false;  // one of them reads an input of the graph that has it not
  bool reads_own = false;            // one of them reads what another one makes
  PairCount agreement;
};

// Whether the node says where the module of the parameter is: all of it, or without modules around
// it that were never called themselves.
bool SaysTheSame(PathId scope, PathId owner, const ModulePaths& paths) {
  if (!scope.valid() || scope == paths.root() || owner == paths.root()) return false;
  if (paths.name(scope) != paths.name(owner)) return false;
  for (; scope != paths.root() && owner != paths.root(); owner = paths.parent(owner)) {
    if (paths.name(scope) == paths.name(owner)) scope = paths.parent(scope);
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

// Finds the wording by agreement.
class WordingFinder {
 public:
  explicit WordingFinder(const Graph& graph) : graph_(graph) {}

  Wording Find() {
    if (FindCandidates()) {
      Agree();
      Choose();
    }
    return std::move(wording_);
  }

 private:
  // Whether so many names have it that it is no module like others.
  bool IsLarge(const PrefixCandidate& candidate) const {
    return candidate.nodes * kLeastShare >= named_;
  }
  bool FindCandidates();
  absl::string_view BeforeFlatName(NodeId id) const;
  void Agree();
  void AgreeOn(NodeId node, absl::string_view parameter, PrefixCandidate* candidate);
  bool Agrees(NodeId node, absl::string_view name, absl::string_view owner);
  void Choose();
  PrefixCandidate* CandidateOf(absl::string_view name);

  const Graph& graph_;
  IdVector<OpId, BlockId> callees_;
  ModulePaths paths_;
  std::vector<PrefixCandidate> candidates_;
  size_t named_ = 0;
  size_t slashed_ = 0;      // nodes whose name begins with a slash
  size_t unslashed_ = 0;    // nodes with a scope that does not
  size_t as_exported_ = 0;  // of these, those that torch named, or whose value it did
  PairCount without_slash_;
  Wording wording_;
};

// What stands in front of a name without scopes.
absl::string_view WordingFinder::BeforeFlatName(NodeId id) const {
  const absl::string_view name = graph_.node(id).name;
  // As torch.export's exporter names nodes; most have one so, or none has.
  if (absl::StartsWith(name, "node_")) return "";
  const absl::string_view prefix = BeforeOperator(name, graph_.op(id).type);
  return prefix.empty() ? BeforeBoth(name, NameOfOutput(graph_, id)) : prefix;
}

// Hardly any file has one: most end here.
bool WordingFinder::FindCandidates() {
  absl::flat_hash_map<absl::string_view, PrefixCandidate> found;
  for (NodeId id : graph_.node_ids()) {
    const absl::string_view name = graph_.node(id).name;
    if (name.empty()) continue;
    ++named_;
    if (name[0] == '/') {
      ++slashed_;
      continue;
    }
    if (WithoutOperatorInFront(graph_, id).size() < name.size()) {
      wording_.has_operators = true;
      continue;
    }
    const size_t slash = name.find('/');
    const bool slashed = slash != absl::string_view::npos;
    if (slashed) ++unslashed_;
    const absl::string_view flat = BeforeFlatName(id);
    // "m1/node_linear_3" has none.
    const bool scoped =
        slashed && (name.rfind('/') != slash || ModuleOfPrefix(flat) != name.substr(0, slash));
    const absl::string_view prefix = scoped ? BeforeScope(name, slash) : flat;
    // What inliners put there is no module.
    if (ModuleOfPrefix(prefix).empty() || WithoutInlinePrefix(name).size() < name.size()) continue;
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

PrefixCandidate* WordingFinder::CandidateOf(absl::string_view name) {
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
void WordingFinder::Agree() {
  callees_ = FindCallees(graph_);
  for (NodeId id : graph_.node_ids()) {
    const absl::string_view name = graph_.node(id).name;
    if (name.empty() || name[0] == '/') continue;
    if (absl::StrContains(name, '/') &&
        (IsCalledAsExported(name) || IsCalledAsExported(NameOfOutput(graph_, id)))) {
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
      if (candidate != nullptr && value.producer.valid() &&
          absl::StartsWith(graph_.node(value.producer).name, candidate->prefix)) {
        candidate->reads_own = true;
      }
      if (graph_.uses(input).size() != 1) continue;
      if (MayBeParameter(graph_, value)) AgreeOn(id, value.name, candidate);
    }
  }
}

// Whether the node's name, read so, is in the module of a parameter that it reads.
bool WordingFinder::Agrees(NodeId node, absl::string_view name, absl::string_view owner) {
  name = WithoutFusions(name);
  if (!absl::StartsWith(name, "/")) return false;
  const PathId scope = AppendComponents(FolderOf(name), paths_.root(), paths_);
  const PathId module = paths_.Parse(owner);
  const OpId op = graph_.node(node).op;
  return CalleeOf(op, callees_).valid() ? SaysWhatIsAround(scope, module, paths_)
                                        : SaysTheSame(scope, module, paths_);
}

// `candidate`: the one that the node's name begins with; or null.
void WordingFinder::AgreeOn(NodeId node, absl::string_view parameter, PrefixCandidate* candidate) {
  const absl::string_view name = graph_.node(node).name;
  const absl::string_view owner = OwnerInParameterName(parameter);
  if (owner.empty()) return;
  if (absl::StrContains(name, '/')) {
    ++without_slash_.pairs;
    if (Agrees(node, absl::StrCat("/", name), owner)) ++without_slash_.agreed;
  }
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

void WordingFinder::Choose() {
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
      const bool is_model = any_agrees && is_one && wording_.PrefixOf(candidate.prefix).empty();
      if (is_model && IsSeparated(candidate.prefix)) wording_.prefixes.push_back(candidate.prefix);
      continue;
    }
    any_agrees = any_agrees || is_one;
    // Without any parameter to ask, what goes on with a slash is a scope. A tool that puts single
    // nodes in ("InsertedCast_/encoder/Add") has no model of its own.
    const bool is_cut = candidate.agreement.pairs == 0 && candidate.scoped > 0 &&
                        candidate.reads_own && IsSeparated(candidate.prefix);
    if (is_cut || is_one) wording_.prefixes.push_back(candidate.prefix);
  }
  // Where others have it, what has none is a tool's ("InsertedCast_/encoder/Add").
  const bool is_shaped =
      without_slash_.pairs == 0 && as_exported_ * 2 > unslashed_ && unslashed_ > slashed_;
  // Of models that were joined, one may have lost it.
  const bool may_lack_slash = !any_agrees || unslashed_ * 2 > named_;
  if (may_lack_slash && (is_shaped || agrees(without_slash_))) {
    wording_.lacks_slash = true;
    wording_.prefixes.clear();
  }
  // That builder writes none, whatever the parameters are called.
  if (wording_.prefixes.empty() && IsNamedByBuilder(graph_)) wording_.lacks_slash = true;
  std::sort(wording_.prefixes.begin(), wording_.prefixes.end(), std::greater<>());
}

}  // namespace

Wording FindWording(const Graph& graph) { return WordingFinder(graph).Find(); }

absl::string_view Wording::PrefixOf(absl::string_view name) const {
  for (absl::string_view prefix : prefixes) {
    if (absl::StartsWith(name, prefix)) return prefix;
  }
  return "";
}

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
  // Caffe2's device: "gpu_0/conv1_w_0".
  if (shared == "gpu_" || shared == "dev_") return "";
  return ModuleOfPrefix(shared).empty() ? "" : shared;
}

absl::string_view ModuleOfPrefix(absl::string_view prefix) {
  while (IsSeparated(prefix)) prefix.remove_suffix(1);
  return prefix;
}

absl::string_view WithoutOperatorInFront(const Graph& graph, NodeId id) {
  const absl::string_view name = graph.node(id).name;
  absl::string_view rest = name;
  // No module is called so that is around a scope.
  if (!absl::ConsumePrefix(&rest, graph.op(id).type) || rest.size() < 2 || rest[1] != '/') {
    return name;
  }
  return IsSeparated(rest.substr(0, 1)) && rest[0] != '/' ? rest.substr(1) : name;
}

bool MayBeParameter(const Graph& graph, const Value& value) {
  if (value.kind != ValueKind::kNodeOutput) return true;
  const absl::string_view type = graph.op(value.producer).type;
  return type == "Identity" || type == "Constant";
}

absl::string_view NameOfOutput(const Graph& graph, NodeId id) {
  const absl::Span<const ValueId> made = graph.outputs(id);
  return made.empty() || !made[0].valid() ? "" : graph.value(made[0]).name;
}

}  // namespace onnx_hier
