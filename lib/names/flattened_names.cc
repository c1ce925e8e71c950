// SPDX-License-Identifier: Apache-2.0
#include "lib/names/flattened_names.h"

#include <algorithm>
#include <array>
#include <cstdint>

#include "absl/strings/ascii.h"
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_replace.h"
#include "absl/strings/strip.h"
#include "absl/types/span.h"
#include "lib/base/rules.h"
#include "lib/graph/weight.h"
#include "lib/names/derived_name.h"
#include "lib/names/given_name.h"
#include "lib/names/metadata_scope.h"
#include "lib/names/number.h"
#include "lib/names/parameter_name.h"
#include "lib/names/scoped_name.h"
#include "lib/names/standard_operators.h"

namespace onnx_hier {
namespace {

// Fewer can be called so by chance.
constexpr size_t kFewestFlattened = 8;
constexpr size_t kFewestScopes = 5;
// Of the nodes, one of so many has a scope where such are looked for among all.
constexpr size_t kFlatShare = 4;
constexpr size_t kFirstFlat = 256;
// Names of nodes with slashes, which a tool may have put in since.
constexpr size_t kMostSlashed = 4;
// Of the parameters that nodes with scopes read, one of so many is called like one of these where
// names are read as they were meant. Elsewhere none is.
constexpr size_t kAlikeShare = 3;

// Different beginnings for each name: real ones have 2.
constexpr size_t kMostPrefixes = 8;

constexpr absl::string_view kGradient = "_Grad_";
constexpr absl::string_view kFusion = "Fusion";

// What PyTorch's modules call their parameters, with their own underscores.
constexpr std::array<absl::string_view, 12> kParameters = {
    "weight",   "bias",     "running_mean",   "running_var",
    "gamma",    "beta",     "in_proj_weight", "in_proj_bias",
    "weight_g", "weight_v", "weight_scale",   "weight_zero_point"};

bool IsTensorOfModule(const Graph& graph, TensorId id) {
  return graph.tensor(id).block.valid() && IsWeight(graph.tensor(id));
}

absl::string_view WithoutKind(absl::string_view name) {
  for (absl::string_view kind : {"p_", "b_", "c_"}) {
    if (absl::StartsWith(name, kind)) return name.substr(kind.size());
  }
  return name;
}

bool IsWordEnd(char letter) { return !absl::ascii_isalnum(static_cast<unsigned char>(letter)); }

// "encoder_" -> "_", "encoder::" -> "::"; "" where a word ends.
absl::string_view SeparatorAt(absl::string_view name) {
  if (name.empty() || !IsWordEnd(name.back())) return "";
  const bool is_doubled = name.size() > 1 && name[name.size() - 2] == name.back();
  return name.substr(name.size() - (is_doubled ? 2 : 1));
}

absl::string_view WithoutSeparator(absl::string_view name) {
  return name.substr(0, name.size() - SeparatorAt(name).size());
}

// "MatMul" of "encoder_MatMul".
absl::string_view LastWord(absl::string_view name) {
  size_t begin = name.size();
  while (begin > 0 && !IsWordEnd(name[begin - 1])) --begin;
  return name.substr(begin);
}

// "encoder_MatMul" -> "MatMul": the operator that the name ends with, perhaps with underscores of
// its own; "" if that is none.
absl::string_view OperatorAtEnd(absl::string_view name, absl::string_view op_type) {
  if (!op_type.empty() && absl::EndsWith(name, op_type)) {
    return name.substr(name.size() - op_type.size());
  }
  const absl::string_view word = LastWord(name);
  return IsStandardOperator(word) ? word : "";
}

// "encoder_MatMul_output_0" -> "encoder_MatMul", as of "encoder_MatMul__0": the node that makes a
// value of that name.
absl::string_view WithoutOutput(absl::string_view name) {
  bool is_value = false;
  absl::string_view node = NodeOfValueName(name, &is_value);
  if (is_value) return node;
  node = WithoutCounter(name);
  return node.size() < name.size() && absl::ConsumeSuffix(&node, "_") ? node : name;
}

// "encoder_MatMul_MatMulAddFusion_" -> "encoder_MatMul", and what else optimisers wrote.
absl::string_view WithoutOptimisers(absl::string_view name) {
  name = WithoutDecorations(name);
  for (;;) {
    absl::string_view rest = WithoutSeparator(name);
    const absl::string_view word = LastWord(rest);
    if (word.size() == rest.size() || !absl::EndsWith(word, kFusion)) return WithoutOutput(name);
    rest.remove_suffix(word.size());
    name = WithoutSeparator(rest);
  }
}

// Takes "node_7_" off, which counts the nodes of all modules together.
bool ConsumeNodeNumber(absl::string_view* name, absl::string_view separator) {
  absl::string_view rest = *name;
  if (!absl::ConsumePrefix(&rest, "node") || !absl::ConsumePrefix(&rest, separator)) return false;
  const size_t digits = std::min(rest.find_first_not_of("0123456789"), rest.size());
  rest.remove_prefix(digits);
  if (digits == 0 || (!rest.empty() && !absl::ConsumePrefix(&rest, separator))) return false;
  *name = rest;
  return true;
}

}  // namespace

FlattenedNames::FlattenedNames(const Graph& graph) : graph_(graph) {
  if (!IsOn(Rule::kFlattenedNames)) return;
  const bool are_told = FindParameters();
  has_scopes_ = IsOn(Rule::kFlattenedScopes) && FindScopes();
  // A few parameters are enough where nodes are called like them.
  has_parameters_ = has_parameters_ && (are_told || has_scopes_);
}

bool FlattenedNames::FindParameters() {
  std::vector<absl::string_view> names;
  size_t of_export = 0;
  for (TensorId id : graph_.tensor_ids()) {
    if (!IsTensorOfModule(graph_, id)) continue;
    const absl::string_view name = graph_.tensor(id).name;
    if (name.find_first_of("./:") != absl::string_view::npos) return false;
    names.push_back(name);
    of_export += WithoutKind(name).size() < name.size() ? 1 : 0;
  }
  is_export_ = of_export * 2 > names.size();
  has_parameters_ = true;
  size_t count = 0;
  for (absl::string_view name : names) {
    const Split split = SplitParameter(name);
    if (split.leaf.empty()) continue;
    ++count;
    tree_[tree_.Add(split.words)].has_parameters = true;
    // What begins alike shares its words: names that do not are no modules'.
    has_parameters_ = tree_.size() <= kMostPrefixes * names.size();
    if (!has_parameters_) return false;
  }
  return count >= kFewestFlattened && count * 4 > names.size() && (tree_.has_lists() || is_export_);
}

FlattenedNames::Split FlattenedNames::SplitParameter(absl::string_view name) const {
  Split split;
  absl::string_view module = is_export_ ? WithoutKind(name) : name;
  absl::string_view parameter;
  for (absl::string_view known : kParameters) {
    if (known.size() > parameter.size() && absl::EndsWith(module, known)) parameter = known;
  }
  if (parameter.empty() || !absl::ConsumeSuffix(&module, parameter) ||
      !absl::ConsumeSuffix(&module, "_")) {
    return split;
  }
  split.words = WordsOf(module);
  if (!split.words.empty()) split.leaf = parameter;
  return split;
}

bool FlattenedNames::FindScopes() {
  // Where metadata says where nodes are, names need not.
  if (!FindSeparator() || HasScopesInMetadata(graph_)) return false;
  NodeScopes nodes;
  for (NodeId id : graph_.node_ids()) nodes.push_back(ScopeOf(id).modules);
  if (!HasSeveral(nodes) || !Agree(nodes)) return false;
  if (separator_ != "_") return true;
  const size_t most = tree_.size() + kMostPrefixes * scopes_;
  std::vector<std::vector<absl::string_view>> scopes;
  for (NodeId id : graph_.node_ids()) {
    std::vector<absl::string_view> words = WordsOf(nodes[id]);
    if (words.empty()) continue;
    tree_[tree_.Add(words)].is_module = true;
    if (tree_.size() > most) return false;
    scopes.push_back(std::move(words));
  }
  scope_words_.emplace(has_parameters_);
  std::string text;
  for (TensorId id : graph_.tensor_ids()) {
    if (!graph_.tensor(id).block.valid()) continue;
    scope_words_->Know(OwnerInParameterName(OfTensor(id, text)));
  }
  for (const std::vector<absl::string_view>& words : scopes) scope_words_->Add(words);
  return true;
}

// What most names have in front of their operators.
bool FlattenedNames::FindSeparator() {
  absl::flat_hash_map<absl::string_view, size_t> separators;
  size_t named = 0;
  size_t slashed = 0;
  size_t repeated = 0;
  size_t counted = 0;
  size_t separated = 0;
  for (NodeId id : graph_.node_ids()) {
    const absl::string_view name = NameOf(id);
    if (name.empty()) continue;
    ++named;
    if (absl::StrContains(name, '/') && ++slashed > kMostSlashed) return false;
    const Scope scope = ScopeIn(name, graph_.op(id).type, false);
    // torch.export calls nodes "node_MatMul_3".
    if (!scope.separator.empty() && scope.modules != "node") {
      ++separators[scope.separator];
      ++scopes_;
      if (!ScopeIn(scope.modules, "", false).leaf.empty()) ++repeated;
      absl::string_view rest = name;
      if (ConsumeNodeNumber(&rest, scope.separator)) ++counted;
      if (absl::StartsWith(name, scope.separator)) ++separated;
    }
    if (named == kFirstFlat && scopes_ * kFlatShare < named) return false;
  }
  if (scopes_ < kFewestScopes || scopes_ * kFlatShare < named) return false;
  repeats_operators_ = repeated * 2 > scopes_;
  if (counted * 2 > scopes_) front_ = Front::kNodeNumber;
  if (separated * 2 > scopes_) front_ = Front::kSeparator;
  size_t most = 0;
  for (const auto& [separator, count] : separators) {
    if (count < most || (count == most && separator > separator_)) continue;
    most = count;
    separator_ = separator;
  }
  return true;
}

// Whether nodes are called like the parameters that they read. Of those of a parameter that was
// kept for equal ones of other modules, one is.
bool FlattenedNames::Agree(const NodeScopes& nodes) {
  size_t read = 0;
  size_t agreed = 0;
  for (ValueId id : graph_.value_ids()) {
    if (!graph_.value(id).tensor.valid()) continue;
    const absl::string_view owner = OwnerOf(graph_.value(id).name);
    if (owner.empty()) continue;
    // What the scopes of its module end with.
    const absl::string_view dotted = PrintedComponent(owner, has_parameters_ ? '_' : '.');
    const std::string flat = absl::StrReplaceAll(dotted, {{".", separator_}});
    bool is_read = false;
    bool agrees = false;
    for (const Use& use : graph_.uses(id)) {
      const absl::string_view modules = nodes[use.node];
      if (modules.empty()) continue;
      is_read = true;
      if (!EndsWithModule(modules, dotted) && !EndsWithModule(modules, flat)) continue;
      agrees = true;
      KnowAround(owner, modules);
    }
    read += is_read ? 1 : 0;
    agreed += agrees ? 1 : 0;
  }
  if (read > 0 && agreed * kAlikeShare <= read) return false;
  // Few parameters say less than that values are named as torch names them.
  return agreed > 1 || AreExported(nodes);
}

// One for all is a prefix of all names.
bool FlattenedNames::HasSeveral(const NodeScopes& nodes) {
  absl::string_view first;
  for (absl::string_view modules : nodes) {
    if (first.empty()) first = modules;
    if (!modules.empty() && modules != first) return true;
  }
  return false;
}

// Whether what most nodes make is called after them, as torch does: "encoder_MatMul_output_0".
bool FlattenedNames::AreExported(const NodeScopes& nodes) const {
  size_t exported = 0;
  for (NodeId id : graph_.node_ids()) {
    const absl::string_view modules = nodes[id];
    if (modules.empty() || graph_.outputs(id).empty() || !graph_.outputs(id)[0].valid()) continue;
    const absl::string_view made = WithoutDecorations(graph_.value(graph_.outputs(id)[0]).name);
    const absl::string_view name = WithoutOutput(made);
    const bool is_output = name.size() < made.size();
    exported += is_output && ScopeOf(name, graph_.op(id).type).modules == modules ? 1 : 0;
  }
  return exported * 2 > scopes_;
}

// The module in a parameter's name, as it is written; "": none.
absl::string_view FlattenedNames::OwnerOf(absl::string_view parameter) const {
  if (!has_parameters_) return OwnerInParameterName(parameter);
  const Split split = SplitParameter(parameter);
  return split.words.empty() ? "" : TextOf(split.words);
}

// Modules that are not called themselves are not in scopes: what stands before one in the name of a
// parameter is a module.
void FlattenedNames::KnowAround(absl::string_view owner, absl::string_view modules) {
  if (has_parameters_ && absl::ConsumeSuffix(&owner, modules) && absl::ConsumeSuffix(&owner, "_")) {
    tree_[tree_.Add(WordsOf(owner))].is_module = true;
  }
}

bool FlattenedNames::EndsWithModule(absl::string_view modules, absl::string_view last) const {
  if (!absl::ConsumeSuffix(&modules, last)) return false;
  return modules.empty() || absl::EndsWith(modules, separator_);
}

FlattenedNames::Scope FlattenedNames::ScopeIn(absl::string_view name, absl::string_view op_type,
                                              bool is_repeated) {
  Scope scope;
  // What trains a model is called after what it trains: "classifier_fc_Gemm_Grad_ReduceSum_1".
  name = name.substr(0, name.find(kGradient));
  for (int left = is_repeated ? 2 : 1; left > 0; --left) {
    const absl::string_view bare = WithoutCounter(name);
    const absl::string_view type = OperatorAtEnd(bare, op_type);
    if (type.empty()) break;
    const absl::string_view before = bare.substr(0, bare.size() - type.size());
    const absl::string_view separator = SeparatorAt(before);
    if (separator.empty() && !before.empty()) break;
    if (scope.leaf.empty() || type == op_type) scope.leaf = name.substr(before.size());
    scope.separator = separator;
    scope.modules = before.substr(0, before.size() - separator.size());
    name = scope.modules;
  }
  return scope;
}

// Nothing for names that are not so.
FlattenedNames::Scope FlattenedNames::ScopeOf(absl::string_view name,
                                              absl::string_view op_type) const {
  Scope scope = ScopeIn(name, op_type, repeats_operators_);
  if (scope.separator != separator_) return {};
  // What most have in front, no others are without.
  return ConsumeFront(&scope.modules) ? scope : Scope();
}

bool FlattenedNames::ConsumeFront(absl::string_view* modules) const {
  switch (front_) {
    case Front::kNothing:
      break;
    case Front::kSeparator:
      // Of "_Add" the separator is both.
      return modules->empty() || absl::ConsumePrefix(modules, separator_);
    case Front::kNodeNumber:
      return ConsumeNodeNumber(modules, separator_);
  }
  return true;
}

// Of a node without one, or that has nothing but a number, as what it makes says.
absl::string_view FlattenedNames::NameOf(NodeId id) const {
  const absl::string_view name = graph_.node(id).name;
  const bool is_named = !name.empty() && !LooksGiven(name, graph_.op(id).type);
  if (is_named || graph_.outputs(id).empty()) return WithoutOptimisers(name);
  const ValueId made = graph_.outputs(id)[0];
  return WithoutOptimisers(made.valid() ? graph_.value(made).name : name);
}

FlattenedNames::Scope FlattenedNames::ScopeOf(NodeId id) const {
  return ScopeOf(NameOf(id), graph_.op(id).type);
}

// "/encoder/layer.0"; "" if no node has such a scope.
std::string FlattenedNames::ModulesIn(absl::string_view scope) const {
  return scope_words_.has_value() ? scope_words_->ModulesOf(WordsOf(scope))
                                  : ScopeOfModules(scope, separator_);
}

// As exporters write it, without the first slash if nothing is in front of scopes; "" for no such
// name.
std::string FlattenedNames::Read(const Scope& scope) const {
  if (scope.leaf.empty()) return "";
  const std::string modules = ModulesIn(scope.modules);
  if (modules.empty() && !scope.modules.empty()) return "";
  std::string text = absl::StrCat(modules, "/", scope.leaf);
  if (front_ == Front::kNothing) text.erase(0, 1);
  return text;
}

absl::string_view FlattenedNames::OfNode(NodeId id, std::string& text) const {
  const absl::string_view name = graph_.node(id).name;
  if (!has_scopes_) return name;
  text = Read(ScopeOf(WithoutOptimisers(name), graph_.op(id).type));
  return text.empty() ? name : text;
}

absl::string_view FlattenedNames::OfValue(ValueId id, std::string& text) const {
  const Value& value = graph_.value(id);
  if (value.tensor.valid() && has_parameters_) {
    const absl::string_view name = OfParameter(value.name, text);
    if (!text.empty()) return name;
  }
  if (!has_scopes_) return value.name;
  const bool is_made = value.kind == ValueKind::kNodeOutput;
  text =
      Read(ScopeOf(WithoutOptimisers(value.name), is_made ? graph_.op(value.producer).type : ""));
  if (text.empty()) return value.name;
  return text += "_output_0";
}

absl::string_view FlattenedNames::OfTensor(TensorId id, std::string& text) const {
  const absl::string_view name = graph_.tensor(id).name;
  return has_parameters_ ? OfParameter(name, text) : name;
}

absl::string_view FlattenedNames::OfParameter(absl::string_view name, std::string& text) const {
  const Split split = SplitParameter(name);
  if (split.leaf.empty()) return name;
  WordPrefixId at = WordTree::root();
  std::string dotted;
  for (size_t i = 0; i < split.words.size(); ++i) {
    at = tree_.Next(at, split.words[i]);
    if (!at.valid()) return name;
    const WordPrefix& prefix = tree_[at];
    const bool is_last = i + 1 == split.words.size();
    const bool is_number = IsNumber(split.words[i]) || (!is_last && IsNumber(split.words[i + 1]));
    const bool parts = (prefix.parts > 1 || prefix.is_module) && !prefix.has_parameters;
    absl::StrAppend(&dotted, split.words[i], is_last || is_number || parts ? "." : "_");
  }
  return text = absl::StrCat(dotted, split.leaf);
}

}  // namespace onnx_hier
