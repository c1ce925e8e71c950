// SPDX-License-Identifier: Apache-2.0
#include "lib/parts/unfolder.h"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "absl/container/flat_hash_set.h"
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_replace.h"
#include "absl/types/span.h"
#include "lib/base/status_macros.h"
#include "lib/graph/callees.h"
#include "lib/names/given_name.h"
#include "lib/names/metadata_scope.h"
#include "lib/onnx/node_messages.h"
#include "lib/onnx/node_notes.h"
#include "lib/onnx/node_texts.h"
#include "lib/onnx/schema.h"
#include "lib/onnx/wire_writer.h"
#include "lib/parts/distinct_names.h"
#include "lib/parts/fold_table.h"
#include "lib/parts/node_places.h"
#include "lib/parts/text_codes.h"
#include "onnx_hier/graph.h"
#include "onnx_hier_program/text.h"

namespace onnx_hier {
namespace {

// --- Whether what a folded model comes to is what was folded, as its table says (fold_table.h).

uint32_t ChecksumOf(const Graph& graph, BlockId function, const NodeMessages& messages) {
  FunctionChecksum checksum;
  checksum.Add(graph.block(function).name);
  for (ValueId value : graph.inputs(function)) {
    checksum.Add(value.valid() ? graph.value(value).name : "");
  }
  for (ValueId value : graph.outputs(function)) {
    checksum.Add(value.valid() ? graph.value(value).name : "");
  }
  for (NodeId node : graph.nodes(function)) checksum.Add(messages[node]);
  return checksum.value();
}

// From the order of the walk to that of the flat graph. Nodes that stay have the positions that are
// left. False: the positions are none.
bool PutInPositions(const std::vector<uint32_t>& positions, std::vector<PlacedNode>& nodes) {
  std::vector<PlacedNode> sorted(nodes.size());
  std::vector<bool> taken(nodes.size(), false);
  size_t next = 0;
  for (PlacedNode& node : nodes) {
    if (node.stays) continue;
    if (next == positions.size() || positions[next] >= nodes.size()) return false;
    const uint32_t position = positions[next++];
    if (taken[position]) return false;
    taken[position] = true;
    sorted[position] = std::move(node);
  }
  if (next != positions.size()) return false;
  size_t position = 0;
  for (PlacedNode& node : nodes) {
    if (!node.stays) continue;
    while (taken[position]) ++position;
    taken[position] = true;
    sorted[position] = std::move(node);
  }
  nodes = std::move(sorted);
  return true;
}

// Of nodes in the order of the flat graph.
bool IsWhatWasFolded(const FoldTable& table, const std::vector<PlacedNode>& nodes) {
  NodesChecksum checksum(table);
  for (const PlacedNode& node : nodes) {
    if (node.stays) {
      checksum.AddStaying();
    } else {
      checksum.Add(node.bytes);
    }
  }
  return checksum.value() == table.checksum;
}

// Of a model that does not come to what was folded, the first that differs: "function 'encoder'".
// `messages` are without tags.
std::string WhatWasChanged(const Graph& graph, const NodeMessages& messages,
                           const FoldTable& table) {
  if (table.form == kFirstFoldForm) return "its functions, its main graph or its table of names";
  const absl::flat_hash_set<uint32_t> written(table.functions.begin(), table.functions.end());
  size_t count = 0;
  for (BlockId id : graph.block_ids()) {
    const Block& block = graph.block(id);
    if (block.kind != BlockKind::kFunction || block.domain != kFoldDomain) continue;
    ++count;
    if (written.contains(ChecksumOf(graph, id, messages))) continue;
    return absl::StrCat("function ", QuotedName(block.name));
  }
  if (count != table.functions.size()) {
    return absl::StrCat("its functions, of which it has ", count, " and had ",
                        table.functions.size());
  }
  return "its main graph or its table of names";
}

// A few functions that call each other can stand for any number of nodes: beyond this, what they
// come to must be in proportion to them. A body of 500 nodes is 375 times its call, which has 400
// bytes.
constexpr uint64_t kAnyNodes = 1 << 16;
constexpr uint64_t kAnyBytes = uint64_t{16} << 20;
constexpr uint64_t kNodesAByte = 16;
constexpr uint64_t kBytesAByte = 1024;
constexpr uint64_t kMostBytes = uint64_t{1} << 30;
// onnxruntime's own bound is 100.
constexpr size_t kDeepestCalls = 128;

// Before the number of a name that was the same in another call.
constexpr absl::string_view kNumberSeparator = "__";

// "/blocks.0/Proj" and "/blocks.0/Proj_3" of the function Proj is the call in "/blocks.0", as
// "/blocks.0/MatMul" is a MatMul there. Names of folded modules are not their functions'.
absl::string_view ScopeOfCall(absl::string_view name, absl::string_view function) {
  const size_t slash = name.rfind('/');
  if (slash == absl::string_view::npos) return name;
  // The same call in further calls of what it is in has got a number.
  absl::string_view last = name.substr(slash + 1);
  last = last.substr(0, last.rfind(kNumberSeparator));
  return last == function || LooksGiven(last, function) ? name.substr(0, slash) : name;
}

std::optional<std::string> ModuleInMetadata(absl::Span<const StringPair> metadata) {
  const std::optional<MetadataScope> scope = ReadMetadataScope(metadata);
  if (!scope.has_value() || scope->modules.empty()) return std::nullopt;
  return scope->modules.back().qualified_name;
}

// "encoder.layer.0.query.weight", "encoder.layer.0.key.weight" -> "encoder.layer.0."
std::string CommonModule(absl::string_view a, absl::string_view b) {
  const auto same = static_cast<size_t>(
      std::mismatch(a.begin(), a.begin() + std::min(a.size(), b.size()), b.begin()).first -
      a.begin());
  const size_t dot = same == 0 ? absl::string_view::npos : a.rfind('.', same - 1);
  return std::string(a.substr(0, dot == absl::string_view::npos ? 0 : dot + 1));
}

// What is before the last dot, as a scope of names. One name alone may be a word like others.
std::string ModuleScope(absl::string_view parameter) {
  const size_t end = parameter.rfind('.');
  const absl::string_view module = parameter.substr(0, end == absl::string_view::npos ? 0 : end);
  return absl::StrContains(module, '.') ? absl::StrReplaceAll(module, {{".", "/"}}) : "";
}

// What the texts in a body are in a call of it.
class Names {
 public:
  virtual ~Names() = default;
  // False: nobody knows.
  virtual bool Find(const CallScope& scope, TextRole role, absl::string_view text,
                    std::string* actual) = 0;
  // Whether the next node has notes of its own rather than those in the body.
  virtual bool FindNotes(std::string* notes) = 0;
};

// As the table says.
class CodedNames : public Names {
 public:
  explicit CodedNames(absl::string_view codes) : decoder_(codes) {}
  bool Find(const CallScope& scope, TextRole, absl::string_view text,
            std::string* actual) override {
    return decoder_.Next(scope, text, actual);
  }
  bool FindNotes(std::string* notes) override { return decoder_.TakeRaw(notes); }
  bool at_end() const { return decoder_.at_end(); }

 private:
  TextDecoder decoder_;
};

bool HasScope(const CallScope& call) {
  return call.here().find_first_of("/.") != std::string::npos;
}

// Scopes are joined to the call's, other names made unique as they are. Notes are of the first
// call's module, and moved.
class UnfoldedNames : public Names {
 public:
  explicit UnfoldedNames(const Graph& graph) {
    for (ValueId id : graph.value_ids()) values_.Claim(graph.value(id).name);
    for (NodeId id : graph.nodes(graph.main_block())) nodes_.Claim(graph.node(id).name);
  }
  bool Find(const CallScope& scope, TextRole role, absl::string_view text,
            std::string* actual) override {
    if (role == TextRole::kNote || text.empty()) {
      *actual = scope.Moved(text);
      return true;
    }
    const bool is_scope = absl::StrContains(text, '/') || HasScope(scope);
    const bool joins = is_scope && !absl::StartsWith(text, "/");
    *actual = joins ? absl::StrCat(scope.here(), "/", text) : std::string(text);
    *actual = (role == TextRole::kValue ? values_ : nodes_).Take(*actual);
    return true;
  }
  bool FindNotes(std::string*) override { return false; }

 private:
  DistinctNames values_{kNumberSeparator, 1};
  DistinctNames nodes_{kNumberSeparator, 1};
};

class Unfolder {
 public:
  Unfolder(const Graph& graph, const NodeMessages& messages, const UnfoldPlan& plan, Names& names)
      : graph_(graph),
        messages_(messages),
        plan_(plan),
        names_(names),
        callees_(FindCallees(graph)) {}

  // Nodes in the order in which they are met. kDataLoss: the names are not of this model.
  absl::StatusOr<Unfolded> Unfold() && {
    OH_RETURN_IF_ERROR(CheckSize());
    for (NodeId node : graph_.nodes(graph_.main_block())) {
      if (Callee(node).valid()) {
        OH_RETURN_IF_ERROR(UnfoldCall(node));
      } else {
        const bool stays = !IsRewritable(messages_[node]);
        OH_RETURN_IF_ERROR(Put({node, stays, std::string(stays ? "" : messages_[node]), kNoCall}));
      }
    }
    return std::move(unfolded_);
  }

 private:
  // Names of initializers, by the inputs of a function that are given them.
  using Parameters = absl::flat_hash_map<ValueId, absl::string_view>;

  // A call that is being unfolded.
  struct Call {
    uint32_t number = kNoCall;
    BlockId body;
    size_t next = 0;
    CallScope scope;
    Parameters parameters;
    AttributeValues attributes;
    // Others' bodies: a node without a name is in the call's scope like those that have one.
    bool names_nameless = false;
    std::deque<std::string> texts;       // that `scope` knows
    std::vector<std::string> passed_on;  // nodes for what it gives out as it was given it

    // Whether it was not known by another name.
    bool Know(absl::string_view text, std::string value) {
      const auto [place, is_new] = scope.values.try_emplace(text);
      if (is_new) place->second = texts.emplace_back(std::move(value));
      return is_new;
    }
  };

  BlockId Callee(NodeId node) const {
    const BlockId callee = CalleeOf(graph_.node(node).op, callees_);
    return callee.valid() && plan_.functions.Has(callee) ? callee : BlockId();
  }
  absl::string_view Name(ValueId value) const {
    return value.valid() ? graph_.value(value).name : "";
  }

  absl::Status Put(PlacedNode node) {
    bytes_ += node.bytes.size();
    unfolded_.nodes.push_back(std::move(node));
    return bytes_ <= kMostBytes ? absl::OkStatus() : TooLarge();
  }
  static absl::Status TooLarge() {
    return absl::ResourceExhaustedError(absl::StrCat(
        "unfolded, there would be more than ", kNodesAByte, " nodes and calls or ", kBytesAByte,
        " bytes for each byte of its nodes, or more than ", kMostUnfoldedNodes, " or ",
        kMostBytes >> 20, " MiB at all: the functions call each other too often"));
  }

  // What a function is when it is unfolded. Saturated: no more than is refused, and one.
  struct Size {
    uint64_t nodes = 0;  // and calls
    uint64_t bytes = 0;
    size_t depth = 0;  // of calls in each other; 0: not known yet
    bool is_open = false;

    void Add(const Size& other) {
      nodes = std::min<uint64_t>(nodes + other.nodes + 1, kMostUnfoldedNodes + 1);
      bytes = std::min(bytes + other.bytes, kMostBytes + 1);
      depth = std::max(depth, other.depth);
    }
  };

  absl::Status CheckSize();
  absl::Status Measure(BlockId function, IdVector<BlockId, Size>& sizes) const;
  // Of one node; of a call with what it stands for.
  Size SizeOf(NodeId node, const IdVector<BlockId, Size>& sizes) const {
    const BlockId callee = Callee(node);
    return callee.valid() ? sizes[callee] : Size{.bytes = messages_[node].size()};
  }

  absl::Status UnfoldCall(NodeId node) {
    Call first;
    OH_RETURN_IF_ERROR(Enter(node, graph_.node(node).name, nullptr, &first));
    std::vector<std::unique_ptr<Call>> open;
    open.push_back(std::make_unique<Call>(std::move(first)));
    while (!open.empty()) {
      Call& call = *open.back();
      const absl::Span<const NodeId> nodes = graph_.nodes(call.body);
      if (call.next == nodes.size()) {
        for (std::string& bytes : call.passed_on) {
          OH_RETURN_IF_ERROR(Put({NodeId(), false, std::move(bytes), call.number}));
        }
        open.pop_back();
        continue;
      }
      const NodeId next = nodes[call.next++];
      if (!Callee(next).valid()) {
        OH_RETURN_IF_ERROR(PutNode(next, call));
        continue;
      }
      std::string name;
      if (!Find(call, TextRole::kName, graph_.node(next).name, &name)) return NotOfThisModel();
      if (name.empty() && call.names_nameless) {
        name = absl::StrCat(call.scope.here(), "/", graph_.op(next).type);
      }
      auto inner = std::make_unique<Call>();
      OH_RETURN_IF_ERROR(Enter(next, name, &call, inner.get()));
      open.push_back(std::move(inner));
    }
    return absl::OkStatus();
  }

  static absl::Status NotOfThisModel() {
    return absl::DataLossError("the table of names is not of this model");
  }

  // `around` is the call whose body the node is in; none: it is in the main graph.
  absl::Status Enter(NodeId node, absl::string_view name, Call* around, Call* call);
  absl::string_view ParameterIn(const Call* around, ValueId value) const;
  void TakeModule(Call* call);
  absl::Status TakeAttributes(NodeId node, const Call* around, Call* call) const;
  absl::Status CannotMove(NodeId node) const;
  absl::Status PutNode(NodeId node, Call& call);
  bool Find(Call& call, TextRole role, absl::string_view text, std::string* actual);

  const Graph& graph_;
  const NodeMessages& messages_;
  const UnfoldPlan& plan_;
  Names& names_;
  const IdVector<OpId, BlockId> callees_;
  absl::flat_hash_map<BlockId, std::string> first_scopes_;
  absl::flat_hash_map<BlockId, Parameters> first_parameters_;
  Unfolded unfolded_;
  uint64_t bytes_ = 0;
};

// Before anything is unfolded.
absl::Status Unfolder::CheckSize() {
  IdVector<BlockId, Size> sizes(graph_.block_count());
  Size sum;
  for (NodeId node : graph_.nodes(graph_.main_block())) {
    const BlockId callee = Callee(node);
    if (callee.valid()) OH_RETURN_IF_ERROR(Measure(callee, sizes));
    sum.Add(SizeOf(node, sizes));
  }
  uint64_t bytes = 0;
  for (NodeId node : graph_.node_ids()) bytes += messages_[node].size();
  const uint64_t nodes = std::max(kAnyNodes, kNodesAByte * bytes);
  const bool fits = sum.nodes <= std::min<uint64_t>(nodes, kMostUnfoldedNodes) &&
                    sum.bytes <= std::min(std::max(kAnyBytes, kBytesAByte * bytes), kMostBytes);
  return fits ? absl::OkStatus() : TooLarge();
}

absl::Status Unfolder::Measure(BlockId function, IdVector<BlockId, Size>& sizes) const {
  std::vector<BlockId> open = {function};
  while (!open.empty()) {
    const BlockId top = open.back();
    Size& size = sizes[top];
    if (size.depth > 0) {
      open.pop_back();
      continue;
    }
    size.is_open = true;
    bool waits = false;
    Size sum;
    for (NodeId node : graph_.nodes(top)) {
      const BlockId callee = Callee(node);
      if (callee.valid() && sizes[callee].depth == 0) {
        if (sizes[callee].is_open) {
          return absl::InvalidArgumentError(absl::StrCat(
              "the function ", SafeForTerminal(graph_.op(node).type, kLongestShownName),
              " calls itself, directly or not"));
        }
        open.push_back(callee);
        waits = true;
        break;
      }
      sum.Add(SizeOf(node, sizes));
    }
    if (waits) continue;
    if (++sum.depth > kDeepestCalls) {
      return absl::InvalidArgumentError(
          absl::StrCat("functions call each other more than ", kDeepestCalls, " deep, down from ",
                       SafeForTerminal(graph_.block(top).name, kLongestShownName)));
    }
    size = sum;
    open.pop_back();
  }
  return absl::OkStatus();
}

bool Unfolder::Find(Call& call, TextRole role, absl::string_view text, std::string* actual) {
  if (role != TextRole::kValue) return names_.Find(call.scope, role, text, actual);
  actual->clear();
  if (text.empty()) return true;
  const auto known = call.scope.values.find(text);
  if (known != call.scope.values.end()) {
    actual->assign(known->second.data(), known->second.size());
    return true;
  }
  if (!names_.Find(call.scope, role, text, actual)) return false;
  call.Know(text, *actual);
  return true;
}

absl::Status Unfolder::Enter(NodeId node, absl::string_view name, Call* around, Call* call) {
  call->number = static_cast<uint32_t>(unfolded_.calls.size());
  unfolded_.calls.push_back({node, around == nullptr ? kNoCall : around->number, Callee(node),
                             ModuleInMetadata(graph_.metadata(node))});
  call->body = Callee(node);
  const Op& op = graph_.op(node);
  const absl::string_view scope = op.domain == kFoldDomain ? name : ScopeOfCall(name, op.type);
  call->scope =
      CallScope(std::string(scope), first_scopes_.try_emplace(call->body, scope).first->second);
  const auto hand_over = [&](absl::Span<const ValueId> actual, absl::Span<const ValueId> formal,
                             bool is_output) -> absl::Status {
    if (actual.size() > formal.size()) {
      return absl::InvalidArgumentError(
          absl::StrCat("node ", graph_.NodePath(node), " has more ",
                       is_output ? "outputs" : "inputs", " than the function that it calls, ",
                       SafeForTerminal(graph_.op(node).type, kLongestShownName)));
    }
    for (size_t i = 0; i < formal.size(); ++i) {
      const absl::string_view given = i < actual.size() ? Name(actual[i]) : "";
      std::string value(given);
      if (around != nullptr && !Find(*around, TextRole::kValue, given, &value)) {
        return NotOfThisModel();
      }
      if (is_output && value.empty()) continue;  // a name of its own, where it is made
      if (!is_output && i < actual.size() && formal[i].valid()) {
        const absl::string_view parameter = ParameterIn(around, actual[i]);
        if (!parameter.empty()) call->parameters.emplace(formal[i], parameter);
      }
      if (call->Know(Name(formal[i]), value)) continue;
      if (!is_output) {
        return absl::InvalidArgumentError(
            absl::StrCat("the function ", SafeForTerminal(graph_.op(node).type, kLongestShownName),
                         " has two inputs of one name"));
      }
      std::string identity;
      AppendField(schema::node::kInput, call->scope.values[Name(formal[i])], &identity);
      AppendField(schema::node::kOutput, value, &identity);
      AppendField(schema::node::kOpType, "Identity", &identity);
      call->passed_on.push_back(std::move(identity));
    }
    return absl::OkStatus();
  };
  OH_RETURN_IF_ERROR(TakeAttributes(node, around, call));
  OH_RETURN_IF_ERROR(hand_over(graph_.inputs(node), graph_.inputs(call->body), false));
  if (op.domain != kFoldDomain) {
    TakeModule(call);
    call->names_nameless = HasScope(call->scope);
  }
  return hand_over(graph_.outputs(node), graph_.outputs(call->body), true);
}

absl::string_view Unfolder::ParameterIn(const Call* around, ValueId value) const {
  if (!value.valid()) return "";
  if (around == nullptr) {
    const Value& given = graph_.value(value);
    return given.kind == ValueKind::kInitializer ? given.name : "";
  }
  const auto known = around->parameters.find(value);
  return known == around->parameters.end() ? "" : known->second;
}

// What holds the parameters that are others in the first call of the function.
void Unfolder::TakeModule(Call* call) {
  const auto [first, is_new] = first_parameters_.try_emplace(call->body, call->parameters);
  if (is_new) return;
  std::string here;
  std::string there;
  bool is_first = true;
  for (const auto& [formal, name] : call->parameters) {
    const auto other = first->second.find(formal);
    if (other == first->second.end() || other->second == name) continue;
    // The last name is the parameter's own.
    here = is_first ? std::string(name) : CommonModule(here, name);
    there = is_first ? std::string(other->second) : CommonModule(there, other->second);
    is_first = false;
  }
  if (is_first) return;
  call->scope.SetModules(ModuleScope(here), ModuleScope(there));
}

// What the call gives to nodes that take attributes from it.
absl::Status Unfolder::TakeAttributes(NodeId node, const Call* around, Call* call) const {
  const absl::Span<const NodeId> nodes = graph_.nodes(call->body);
  const bool are_taken = std::any_of(nodes.begin(), nodes.end(),
                                     [this](NodeId id) { return plan_.referring.Has(id); });
  if (!are_taken) return absl::OkStatus();
  if (messages_[node].empty()) return CannotMove(node);
  call->attributes =
      ValuesOfCall(messages_[node], around == nullptr ? AttributeValues() : around->attributes,
                   plan_.defaults[call->body]);
  return absl::OkStatus();
}

absl::Status Unfolder::CannotMove(NodeId node) const {
  return absl::InvalidArgumentError(
      absl::StrCat("node ", graph_.NodePath(node), " cannot be unfolded: it holds more than ",
                   NodeMessages::kLargest >> 10, " KiB, or is written in an odd way"));
}

absl::Status Unfolder::PutNode(NodeId node, Call& call) {
  if (!IsRewritable(messages_[node])) return CannotMove(node);
  const absl::string_view message =
      plan_.referring.Has(node)
          ? call.texts.emplace_back(WithValues(messages_[node], call.attributes))
          : messages_[node];
  std::string bare;
  std::string notes;
  std::string actual;
  bool found = true;
  const auto find = [&](TextRole role, absl::string_view text) {
    found = found && Find(call, role, text, &actual);
    return absl::string_view(actual);
  };
  RewriteTexts(message, NodePart::kBare, find, &bare);
  if (!names_.FindNotes(&notes)) {
    bool are_there = false;
    VisitTexts(message, NodePart::kNotes,
               [&are_there](TextRole, absl::string_view) { are_there = true; });
    if (!are_there) find(TextRole::kNote, "");
    RewriteTexts(message, NodePart::kNotes, find, &notes);
  }
  if (!found) return NotOfThisModel();
  if (graph_.node(node).name.empty() && call.names_nameless &&
      Find(call, TextRole::kName, GivenName(graph_.op(node).type, node.index()), &actual)) {
    AppendField(schema::node::kName, actual, &bare);
  }
  return Put({node, false, JoinNotes(bare, notes), call.number});
}

}  // namespace

bool IsRewritable(absl::string_view node) {
  return !node.empty() && HasFieldsInOrder(node) && ComesBack(node);
}

absl::StatusOr<Unfolded> Unfold(const Graph& graph, const NodeMessages& messages,
                                const UnfoldPlan& plan, const FoldTable* table) {
  if (table != nullptr) {
    CodedNames names(table->codes);
    absl::StatusOr<Unfolded> unfolded = Unfolder(graph, messages, plan, names).Unfold();
    if (unfolded.ok() && names.at_end() && PutInPositions(table->positions, unfolded->nodes) &&
        IsWhatWasFolded(*table, unfolded->nodes)) {
      unfolded->exact = true;
      return unfolded;
    }
    if (absl::IsResourceExhausted(unfolded.status())) return unfolded.status();
  }
  UnfoldedNames names(graph);
  absl::StatusOr<Unfolded> unfolded = Unfolder(graph, messages, plan, names).Unfold();
  if (unfolded.ok() && table != nullptr) {
    unfolded->changed = WhatWasChanged(graph, messages, *table);
  }
  return unfolded;
}

}  // namespace onnx_hier
