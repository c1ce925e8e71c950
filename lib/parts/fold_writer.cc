// SPDX-License-Identifier: Apache-2.0
#include "lib/parts/fold_writer.h"

#include <algorithm>
#include <cstddef>
#include <memory>
#include <string>
#include <utility>

#include "absl/container/btree_map.h"
#include "absl/container/flat_hash_map.h"
#include "absl/container/flat_hash_set.h"
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/string_view.h"
#include "absl/types/span.h"
#include "lib/names/parameter_name.h"
#include "lib/onnx/node_notes.h"
#include "lib/onnx/node_texts.h"
#include "lib/onnx/schema.h"
#include "lib/onnx/wire_writer.h"
#include "lib/parts/distinct_names.h"
#include "lib/parts/text_codes.h"
#include "lib/parts/units.h"
#include "onnx_hier/hierarchy.h"
#include "onnx_hier/ids.h"

namespace onnx_hier {
namespace {

// --- What a parameter is called inside of a module that is called with it.

// By the operators' definitions: "" of inputs that are no parameters, or of other operators.
absl::string_view RoleOf(absl::string_view op, size_t slot) {
  const bool has_bias = op == "Gemm" || op == "Conv" || op == "ConvTranspose";
  if (slot == 1 && (has_bias || op == "MatMul")) return "weight";
  return slot == 2 && has_bias ? "bias" : "";
}

// "encoder.layer.0.attention.query.weight" for what is named after nothing; "" if it plays no role
// that has a name.
std::string NameByReader(ValueId value, const Units& units, const Hierarchy& hierarchy) {
  const Graph& graph = units.graph();
  const absl::Span<const Unit> readers = units.readers(value);
  if (readers.empty()) return "";
  const NodeId reader = units.node(readers.front());
  const absl::Span<const ValueId> inputs = graph.inputs(reader);
  const auto slot = std::find(inputs.begin(), inputs.end(), value) - inputs.begin();
  const absl::string_view role = RoleOf(graph.op(reader).type, static_cast<size_t>(slot));
  if (role.empty()) return "";
  const PathId path = hierarchy.modules().module(hierarchy.ModuleOf(reader)).path;
  return absl::StrCat(hierarchy.annotation().paths.QualifiedName(path), ".", role);
}

// In "encoder.layer.0", "attention.query.bias" for "encoder.layer.0.attention.query.bias"; and
// "attention.query.weight" for "onnx::MatMul_385", a name that an exporter made up, if a MatMul of
// that module reads it as its weight. "" where the name tells of no place in the module.
std::string ParameterNameIn(absl::string_view module, ValueId value, const Units& units,
                            const Hierarchy& hierarchy) {
  if (!units.tensor(value).valid() || module.empty()) return "";
  std::string name(units.graph().value(value).name);
  if (OwnerInParameterName(name).empty()) name = NameByReader(value, units, hierarchy);
  const std::string prefix = absl::StrCat(module, ".");
  return absl::StartsWith(name, prefix) ? name.substr(prefix.size()) : "";
}

// What stands in the body of a function: "query/MatMul" of "/encoder/layer.0/query/MatMul".
std::string Inside(absl::string_view scope, absl::string_view text) {
  if (text.size() > scope.size() + 1 && absl::StartsWith(text, scope) &&
      text[scope.size()] == '/') {
    return std::string(text.substr(scope.size() + 1));
  }
  return std::string(text);
}

// Names of values in one function's body.
class ValueNames {
 public:
  absl::string_view Of(absl::string_view value, const std::string& wanted) {
    if (value.empty()) return value;
    const auto [place, is_new] = names_.try_emplace(std::string(value));
    if (is_new) place->second = unique_.Take(wanted);
    return place->second;
  }

 private:
  absl::flat_hash_map<std::string, std::string> names_;
  DistinctNames unique_{"__", 1};
};

// A text in a function's body. Values that the call hands in or out, and those that were met
// before, need no code: who calls says what they are called.
struct CodedText {
  std::string text;
  bool needs_code = true;
};

// Of a unit what it computes and then what is said of it, of a call its name and then the values.
struct NodeCodes {
  std::vector<CodedText> texts;
  std::string notes_form;  // the fields that hold notes, without these
};

struct WrittenBody {
  std::string function;  // FunctionProto
  FunctionChecksum checksum;
  std::vector<std::string> interface;  // names of inputs and then of outputs
  std::vector<NodeCodes> nodes;        // of its body
};

// Of the notes of a node, without their texts.
std::string NotesForm(absl::string_view node) {
  std::string form;
  RewriteTexts(
      node, NodePart::kNotes, [](TextRole, absl::string_view) { return absl::string_view(); },
      &form);
  return form;
}

// Writes the body of one function.
class BodyWriter {
 public:
  BodyWriter(const FoldPlan& plan, FoldFunctionId id)
      : plan_(plan),
        graph_(plan.units.graph()),
        id_(id),
        call_(plan_.contraction.items[plan_.bodies.functions[id].model]),
        scope_(plan_.scopes[plan_.bodies.functions[id].model]) {
    const Hierarchy& hierarchy = plan_.hierarchy;
    const PathId path = hierarchy.modules().module(plan_.runs.run(call_.run).module).path;
    module_ = hierarchy.annotation().paths.QualifiedName(path);
  }

  WrittenBody Write() && {
    AppendField(schema::function::kName, plan_.names[id_], &body_.function);
    body_.checksum.Add(plan_.names[id_]);
    AppendInterface(schema::function::kInput, call_.reads);
    AppendInterface(schema::function::kOutput, call_.makes);
    NameCalls();
    for (ItemId item : call_.items) {
      node_.clear();
      body_.nodes.emplace_back();
      if (plan_.contraction.items[item].unit.valid()) {
        AppendLeaf(item);
      } else {
        AppendCall(item);
      }
      AppendField(schema::function::kNode, node_, &body_.function);
      body_.checksum.Add(node_);
    }
    AppendOpsets();
    AppendField(schema::function::kDomain, kFoldDomain, &body_.function);
    return std::move(body_);
  }

 private:
  absl::string_view Name(ValueId value) const { return graph_.value(value).name; }

  void AppendInterface(uint32_t field, const std::vector<ValueId>& values) {
    for (ValueId value : values) {
      std::string wanted = ParameterNameIn(module_, value, plan_.units, plan_.hierarchy);
      if (wanted.empty()) wanted = Inside(scope_, Name(value));
      const absl::string_view name = values_.Of(Name(value), wanted);
      coded_.insert(std::string(name));
      body_.interface.emplace_back(name);
      AppendField(field, name, &body_.function);
      body_.checksum.Add(name);
    }
  }
  absl::string_view Value(absl::string_view value) {
    const absl::string_view name = values_.Of(value, Inside(scope_, value));
    const bool needs_code = !name.empty() && coded_.insert(std::string(name)).second;
    return Keep({std::string(name), needs_code});
  }
  // Before nodes have theirs: modules are read from the names of calls.
  void NameCalls() {
    for (ItemId item : call_.items) {
      if (plan_.contraction.items[item].unit.valid()) continue;
      call_names_.push_back(node_names_.Take(Inside(scope_, plan_.scopes[item])));
    }
  }
  // Of a node: inside of the module, or, where another one has that name, as it was.
  std::string NodeName(absl::string_view name) {
    if (name.empty()) return "";
    std::string inside = Inside(scope_, name);
    return node_names_.Claim(inside) ? inside : node_names_.Take(std::string(name));
  }
  absl::string_view Other(std::string text) { return Keep({std::move(text), true}); }
  absl::string_view Keep(CodedText text) {
    std::vector<CodedText>& texts = body_.nodes.back().texts;
    texts.push_back(std::move(text));
    return texts.back().text;
  }

  void AppendLeaf(ItemId item) {
    const NodeId node = plan_.units.node(plan_.contraction.items[item].unit);
    const absl::string_view message = plan_.messages[node];
    const auto rename = [this](TextRole role, absl::string_view text) {
      if (role == TextRole::kValue) return Value(text);
      return Other(role == TextRole::kName ? NodeName(text) : std::string(text));
    };
    std::string bare;
    std::string notes;
    RewriteTexts(message, NodePart::kBare, rename, &bare);
    RewriteTexts(message, NodePart::kNotes, rename, &notes);
    body_.nodes.back().notes_form = NotesForm(message);
    node_ = JoinNotes(bare, notes);
  }
  void AppendCall(ItemId id) {
    const FoldItem& item = plan_.contraction.items[id];
    const std::string name(Other(call_names_[next_call_++]));
    for (ValueId value : item.reads) AppendField(schema::node::kInput, Value(Name(value)), &node_);
    for (ValueId value : item.makes) AppendField(schema::node::kOutput, Value(Name(value)), &node_);
    AppendField(schema::node::kName, name, &node_);
    AppendField(schema::node::kOpType, plan_.names[plan_.bodies.of[id]], &node_);
    AppendField(schema::node::kDomain, kFoldDomain, &node_);
  }
  // Those of the model, and of domains that it leaves out and nodes here are of.
  void AppendOpsets() {
    absl::btree_map<absl::string_view, int64_t> opsets;
    for (const OpsetImport& opset : graph_.info().opset_imports) {
      AppendOpset(opset.domain, opset.version);
    }
    for (ItemId item : call_.items) {
      const Unit unit = plan_.contraction.items[item].unit;
      const auto found = unit.valid() ? plan_.foreign.find(unit) : plan_.foreign.end();
      if (found == plan_.foreign.end()) continue;
      for (const OpsetImport& opset : found->second) opsets.emplace(opset.domain, opset.version);
    }
    for (const auto& [domain, version] : opsets) AppendOpset(domain, version);
    if (next_call_ > 0) AppendOpset(kFoldDomain, kFoldDomainVersion);
  }
  void AppendOpset(absl::string_view domain, int64_t version) {
    std::string opset;
    AppendField(schema::opset::kDomain, domain, &opset);
    AppendNumber(schema::opset::kVersion, version, &opset);
    AppendField(schema::function::kOpsetImport, opset, &body_.function);
  }

  const FoldPlan& plan_;
  const Graph& graph_;
  const FoldFunctionId id_;
  const FoldItem& call_;  // the first one, whose names the body has
  const std::string& scope_;
  std::string module_;  // its qualified name
  ValueNames values_;
  DistinctNames node_names_{"__", 1};
  std::vector<std::string> call_names_;  // in order
  absl::flat_hash_set<std::string> coded_;
  WrittenBody body_;
  std::string node_;
  size_t next_call_ = 0;
};

class FoldWriter {
 public:
  explicit FoldWriter(const FoldPlan& plan) : plan_(plan), graph_(plan.units.graph()) {}

  FoldedParts Write() && {
    for (FoldFunctionId id : IdRange<FoldFunctionId>(plan_.bodies.functions.size())) {
      bodies_.push_back(BodyWriter(plan_, id).Write());
    }
    for (ItemId id : plan_.contraction.top) WriteTop(id);
    for (WrittenBody& body : bodies_) {
      out_.functions.push_back(std::move(body.function));
      out_.table.functions.push_back(body.checksum.value());
    }
    out_.table.ir_version = graph_.info().ir_version;
    out_.table.codes = std::move(coder_).Take();
    out_.table.checksum = Checksum();
    return std::move(out_);
  }

 private:
  const FoldItem& Item(ItemId id) const { return plan_.contraction.items[id]; }
  absl::string_view Name(ValueId value) const { return graph_.value(value).name; }
  NodeId NodeOf(ItemId id) const { return plan_.units.node(Item(id).unit); }

  // A call whose codes are being written.
  struct OpenCall {
    ItemId call;
    size_t next = 0;
    CallScope scope;
  };

  void WriteTop(ItemId id);
  void WriteCodes(ItemId call);
  void WriteCodes(ItemId id, const NodeCodes& node, CallScope& scope);
  std::unique_ptr<OpenCall> Open(ItemId id) const;
  void Walk(ItemId leaf) { out_.table.positions.push_back(graph_.node(NodeOf(leaf)).index); }
  uint64_t Checksum() const;

  const FoldPlan& plan_;
  const Graph& graph_;
  IdVector<FoldFunctionId, WrittenBody> bodies_;
  TextCoder coder_;
  FoldedParts out_;
};

void FoldWriter::WriteTop(ItemId id) {
  const FoldItem& item = Item(id);
  if (item.unit.valid()) {
    const bool stays = plan_.traits.untouched.Has(item.unit);
    if (!stays) Walk(id);
    out_.nodes.push_back({NodeOf(id), stays, std::string(stays ? "" : plan_.messages[NodeOf(id)])});
    return;
  }
  std::string node;
  for (ValueId value : item.reads) AppendField(schema::node::kInput, Name(value), &node);
  for (ValueId value : item.makes) AppendField(schema::node::kOutput, Name(value), &node);
  AppendField(schema::node::kName, plan_.scopes[id], &node);
  AppendField(schema::node::kOpType, plan_.names[plan_.bodies.of[id]], &node);
  AppendField(schema::node::kDomain, kFoldDomain, &node);
  out_.nodes.push_back({NodeId(), false, std::move(node)});
  WriteCodes(id);
}

// Of a call, and of the calls in it where they are met.
void FoldWriter::WriteCodes(ItemId call) {
  std::vector<std::unique_ptr<OpenCall>> open;
  open.push_back(Open(call));
  while (!open.empty()) {
    OpenCall& top = *open.back();
    const std::vector<ItemId>& items = Item(top.call).items;
    if (top.next == items.size()) {
      open.pop_back();
      continue;
    }
    const ItemId id = items[top.next];
    WriteCodes(id, bodies_[plan_.bodies.of[top.call]].nodes[top.next], top.scope);
    ++top.next;
    if (!Item(id).unit.valid()) open.push_back(Open(id));
  }
}

// Of one item in a call.
void FoldWriter::WriteCodes(ItemId id, const NodeCodes& node, CallScope& scope) {
  size_t next = 0;
  const auto put = [&](TextRole role, absl::string_view actual) {
    const CodedText& text = node.texts[next++];
    if (!text.needs_code) return;
    coder_.Put(scope, text.text, actual);
    if (role == TextRole::kValue) scope.values.emplace(text.text, actual);
  };
  const FoldItem& item = Item(id);
  if (!item.unit.valid()) {
    put(TextRole::kName, plan_.scopes[id]);
    for (ValueId value : item.reads) put(TextRole::kValue, Name(value));
    for (ValueId value : item.makes) put(TextRole::kValue, Name(value));
    return;
  }
  Walk(id);
  const absl::string_view message = plan_.messages[NodeOf(id)];
  VisitTexts(message, NodePart::kBare, put);
  if (NotesForm(message) != node.notes_form) {
    std::string notes;
    AppendPart(message, NodePart::kNotes, &notes);
    coder_.PutRaw(notes);
  } else if (next == node.texts.size()) {
    coder_.Put(scope, "", "");  // so that whoever reads knows that there are no others
  } else {
    VisitTexts(message, NodePart::kNotes, put);
  }
}

std::unique_ptr<FoldWriter::OpenCall> FoldWriter::Open(ItemId id) const {
  auto open = std::make_unique<OpenCall>();
  const ItemId model = plan_.bodies.functions[plan_.bodies.of[id]].model;
  open->call = id;
  open->scope = CallScope(plan_.scopes[id], plan_.scopes[model]);
  size_t next = 0;
  const std::vector<std::string>& names = bodies_[plan_.bodies.of[id]].interface;
  for (ValueId value : Item(id).reads) open->scope.values.emplace(names[next++], Name(value));
  for (ValueId value : Item(id).makes) open->scope.values.emplace(names[next++], Name(value));
  return open;
}

uint64_t FoldWriter::Checksum() const {
  NodesChecksum checksum(out_.table);
  for (NodeId node : graph_.nodes(graph_.main_block())) {
    if (plan_.traits.untouched.Has(plan_.units.unit(node))) {
      checksum.AddStaying();
    } else {
      checksum.Add(plan_.messages[node]);
    }
  }
  return checksum.value();
}

}  // namespace

FoldedParts WriteFolded(const FoldPlan& plan) { return FoldWriter(plan).Write(); }

}  // namespace onnx_hier
