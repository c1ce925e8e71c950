// SPDX-License-Identifier: Apache-2.0
#include "lib/onnx/value_types.h"

#include <algorithm>
#include <array>
#include <iterator>
#include <utility>
#include <vector>

#include "absl/container/flat_hash_set.h"
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "lib/base/status_macros.h"
#include "lib/graph/callees.h"
#include "lib/graph/data_type.h"
#include "lib/graph/flow.h"
#include "lib/onnx/file_order.h"
#include "lib/onnx/message_fields.h"
#include "lib/onnx/node_attributes.h"
#include "lib/onnx/schema.h"
#include "lib/onnx/type_rules.h"
#include "lib/onnx/value_type.h"

namespace onnx_hier {
namespace {

// Functions and graphs that nest deeper, and calls with ever other types, are nobody's; the types
// of what they make stay unknown.
constexpr int kDeepestGraph = 64;
constexpr size_t kMostAttributes = 64;  // of a node; operators have fewer
constexpr size_t kMostReaders = 16;     // that are asked what they need
constexpr uint64_t kBudget = 8;         // nodes and values looked at, for each that the file has

// What the attribute that holds a Constant's value says of it.
int32_t ConstantElement(absl::string_view attribute) {
  if (attribute == "value_float" || attribute == "value_floats") return data_type::kFloat;
  if (attribute == "value_int" || attribute == "value_ints") return data_type::kInt64;
  if (attribute == "value_string" || attribute == "value_strings") return data_type::kString;
  // Of what classifiers and encoders of ai.onnx.ml give out.
  if (attribute == "values_floats") return data_type::kFloat;
  if (attribute == "values_int64s" || absl::StartsWith(attribute, "classlabels_int")) {
    return data_type::kInt64;
  }
  if (attribute == "values_strings" || attribute == "classlabels_strings") {
    return data_type::kString;
  }
  return 0;
}

bool IsFloating(absl::string_view type) {
  constexpr int32_t kFloating[] = {data_type::kFloat, data_type::kFloat16, data_type::kDouble,
                                   data_type::kBfloat16};
  return std::any_of(std::begin(kFloating), std::end(kFloating),
                     [&](int32_t element) { return type == TensorType(element); });
}

// A field that states the type of a value.
bool StatesType(const FieldSpan& field, bool is_function) {
  return is_function ? field.Is(schema::function::kValueInfo)
                     : field.Is(schema::graph::kValueInfo) || field.Is(schema::graph::kInput) ||
                           field.Is(schema::graph::kOutput);
}

}  // namespace

class TypeFinder {
 public:
  TypeFinder(const ScannedModel& model, ValueTypes& types)
      : model_(model),
        graph_(model.graph),
        types_(types),
        callees_(FindCallees(model.graph)),
        values_of_(graph_.block_count()),
        budget_(graph_.value_count() + 1) {
    for (OpId op : graph_.op_ids()) {
      const absl::string_view type = graph_.op(op).type;
      rules_.push_back({HasRules(graph_.op(op).domain), {RuleOf(type, 0), RuleOf(type, 1)}});
    }
    types_.texts_ = {""};
    types_.types_.assign(graph_.value_count(), 0);
    for (NodeId node : graph_.node_ids()) budget_ += 1 + graph_.inputs(node).size();
    budget_ *= kBudget;
    for (ValueId id : graph_.value_ids()) values_of_[graph_.value(id).block].push_back(id);
  }

  absl::Status Find(const FileImage& image, absl::Span<const NodeId> calls) {
    OH_ASSIGN_OR_RETURN(FileImage again, image.Again());
    OH_RETURN_IF_ERROR(ReadAttributesOf(again));
    ReadStated();
    for (ValueId id : graph_.value_ids()) {
      const Value& value = graph_.value(id);
      if (value.kind == ValueKind::kInitializer) {
        Set(id, TensorType(graph_.tensor(value.tensor).data_type));
      }
    }
    Enter(graph_.main_block(), 0);
    // Files whose nodes stand in no order that runs, and functions that are called before what they
    // are given is known.
    if (has_unknown_) {
      const Flow flow(graph_);
      flow_ = &flow;
      Enter(graph_.main_block(), 0);
      flow_ = nullptr;
    }
    for (NodeId node : calls) {
      EnterCallee(node, GivenTo(node, CalleeOf(node)), 0);
      callers_.push_back(node);
    }
    return absl::OkStatus();
  }

 private:
  using Texts = std::vector<std::string>;

  // Looked up once, not for each node.
  struct OperatorRules {
    bool has_any = false;
    std::array<TypeRule, 2> of_outputs;  // of the first ones
  };

  absl::string_view Of(ValueId value) const {
    return value.valid() ? types_.type(value) : absl::string_view();
  }
  absl::string_view OfInput(NodeId node, int32_t slot) const {
    const absl::Span<const ValueId> inputs = graph_.inputs(node);
    return static_cast<size_t>(slot) < inputs.size() ? Of(inputs[static_cast<size_t>(slot)]) : "";
  }
  void Set(ValueId value, absl::string_view type) {
    if (!value.valid() || type.empty() || types_.types_[value] != 0) return;
    const auto [place, is_new] =
        numbers_.try_emplace(std::string(type), static_cast<uint32_t>(types_.texts_.size()));
    if (is_new) types_.texts_.emplace_back(type);
    types_.types_[value] = place->second;
  }

  bool NeedsAttributes(NodeId node) const;
  absl::Status ReadAttributesOf(FileImage& image);
  const NodeAttribute* Attribute(NodeId node, absl::string_view name) const;
  BlockId CalleeOf(NodeId node) const {
    return onnx_hier::CalleeOf(graph_.node(node).op, callees_);
  }
  bool IsFunction(BlockId block) const { return graph_.block(block).kind == BlockKind::kFunction; }
  // Whether the field says that a value is quantised.
  bool IsAnnotation(const FieldSpan& field, BlockId block) const {
    return !IsFunction(block) && field.Is(schema::graph::kQuantizationAnnotation);
  }
  void ReadStated();
  void SetStated(ValueId value);
  void Enter(BlockId block, int depth);
  void Look(NodeId node, int depth);
  std::string TypeForReaders(ValueId output, absl::string_view guess) const;
  std::string TypeOf(NodeId node, uint32_t slot, int depth) const;
  std::string AttributeType(const NodeAttribute* attribute, absl::string_view otherwise) const;
  std::string ConstantType(NodeId node) const;
  std::string BodyType(NodeId node, uint32_t slot) const;
  void EnterBodies(NodeId node, int depth);
  Texts GivenTo(NodeId node, BlockId function) const;
  void Call(NodeId node, BlockId function, int depth);
  void EnterCallee(NodeId node, const Texts& given, int depth);
  void Forget(BlockId function);

  const ScannedModel& model_;
  const Graph& graph_;
  ValueTypes& types_;
  const IdVector<OpId, BlockId> callees_;
  IdVector<BlockId, std::vector<ValueId>> values_of_;
  IdVector<OpId, OperatorRules> rules_;
  absl::flat_hash_map<std::string, uint32_t> numbers_;  // of types, in texts_
  absl::flat_hash_map<NodeId, std::vector<NodeAttribute>> attributes_;
  absl::flat_hash_set<absl::string_view> references_;            // to attributes of calls
  std::vector<NodeId> callers_;                                  // of the functions we are in
  absl::flat_hash_map<std::pair<BlockId, Texts>, Texts> calls_;  // outputs by what is given
  uint64_t budget_;
  bool has_unknown_ = false;
  const Flow* flow_ = nullptr;  // whose order is that of the nodes; null: the file's is
};

bool TypeFinder::NeedsAttributes(NodeId node) const {
  if (CalleeOf(node).valid()) return true;
  if (!graph_.tensors(node).empty()) return false;
  for (uint32_t slot = 0; slot < graph_.outputs(node).size() && slot < 2; ++slot) {
    if (rules_[graph_.node(node).op].of_outputs[slot].needs_attributes()) return true;
  }
  return false;
}

// Their texts lie in `image`.
absl::Status TypeFinder::ReadAttributesOf(FileImage& image) {
  std::vector<NodeId> nodes;
  for (NodeId node : graph_.node_ids()) {
    if (NeedsAttributes(node)) nodes.push_back(node);
  }
  SortInFileOrder(model_, nodes);
  OH_ASSIGN_OR_RETURN(const std::vector<NodeAttribute> attributes,
                      ReadAttributes(image, model_, nodes));
  for (const NodeAttribute& attribute : attributes) {
    std::vector<NodeAttribute>& list = attributes_[attribute.node];
    if (list.size() < kMostAttributes) list.push_back(attribute);
    if (!attribute.reference.empty()) references_.insert(attribute.reference);
  }
  return absl::OkStatus();
}

const NodeAttribute* TypeFinder::Attribute(NodeId node, absl::string_view name) const {
  const auto found = attributes_.find(node);
  if (found == attributes_.end()) return nullptr;
  for (const NodeAttribute& attribute : found->second) {
    if (attribute.name == name) return &attribute;
  }
  return nullptr;
}

void TypeFinder::ReadStated() {
  // What speaks of a value, and the values: mostly a few of all.
  struct Statement {
    const FieldSpan* field;
    BlockId block;
    absl::string_view name;
  };
  std::vector<Statement> statements;
  absl::flat_hash_map<std::pair<BlockId, absl::string_view>, ValueId> named;
  for (BlockId block : graph_.block_ids()) {
    for (const FieldSpan& field : types_.layout_.fields(block)) {
      if (!IsAnnotation(field, block) && !StatesType(field, IsFunction(block))) continue;
      const absl::string_view name = types_.layout_.KeyOf(field);
      if (name.empty()) continue;
      statements.push_back({&field, block, name});
      named.try_emplace({block, name});
    }
  }
  if (named.empty()) return;
  for (ValueId id : graph_.value_ids()) {
    const auto found = named.find({graph_.value(id).block, graph_.value(id).name});
    if (found != named.end() && !found->second.valid()) found->second = id;
  }
  for (const auto& [field, block, name] : statements) {
    const ValueId value = named[{block, name}];
    if (!value.valid()) continue;
    const bool is_main = block == graph_.main_block();
    if (IsAnnotation(*field, block)) {
      if (is_main) types_.annotated_.push_back(value);
      continue;
    }
    if (is_main && field->Is(schema::graph::kValueInfo)) types_.described_.push_back(value);
    if (types_.stated_.try_emplace(value, types_.layout_.ContentsOf(*field)).second) {
      SetStated(value);
    }
  }
}

void TypeFinder::SetStated(ValueId value) {
  for (MessageFields fields(types_.stated(value)); fields.Next();) {
    if (fields.number() == schema::value_info::kType) Set(value, WithoutShape(fields.bytes()));
  }
}

void TypeFinder::Enter(BlockId block, int depth) {
  if (depth == kDeepestGraph) return;
  const absl::Span<const NodeId> nodes = graph_.nodes(block);
  if (flow_ == nullptr) {
    for (NodeId node : nodes) Look(node, depth);
    return;
  }
  std::vector<NodeId> ordered(nodes.begin(), nodes.end());
  std::sort(ordered.begin(), ordered.end(),
            [&](NodeId a, NodeId b) { return flow_->rank(a) < flow_->rank(b); });
  for (NodeId node : ordered) Look(node, depth);
}

void TypeFinder::Look(NodeId node, int depth) {
  if (budget_ == 0) return;
  --budget_;
  if (const BlockId callee = CalleeOf(node); callee.valid()) {
    Call(node, callee, depth);
    return;
  }
  EnterBodies(node, depth);
  uint32_t slot = 0;
  for (ValueId output : graph_.outputs(node)) {
    if (output.valid() && Of(output).empty()) {
      Set(output, TypeOf(node, slot, depth));
      has_unknown_ = has_unknown_ || Of(output).empty();
    }
    ++slot;
  }
}

// An operator that no rule knows makes what those need that read it. What it is given is no more
// than a guess, which is taken if it is of a floating type, as they need it.
std::string TypeFinder::TypeForReaders(ValueId output, absl::string_view guess) const {
  const absl::Span<const Use> uses = graph_.uses(output);
  bool is_floating = false;
  for (const Use& use : uses.subspan(0, std::min(uses.size(), kMostReaders))) {
    const ReadingRule rule = ReadingRuleOf(graph_.op(use.node).type, use.slot);
    if (rule.element != 0) return TensorType(rule.element);
    is_floating = is_floating || rule.is_floating;
    if (!rule.like_others) continue;
    const absl::Span<const ValueId> inputs = graph_.inputs(use.node);
    for (ValueId other : inputs.subspan(0, std::min(inputs.size(), kMostReaders))) {
      if (other != output && !Of(other).empty()) return std::string(Of(other));
    }
  }
  return is_floating && IsFloating(guess) ? std::string(guess) : "";
}

std::string TypeFinder::TypeOf(NodeId node, uint32_t slot, int depth) const {
  const OperatorRules& rules = rules_[graph_.node(node).op];
  if (!rules.has_any) return TypeForReaders(graph_.outputs(node)[slot], OfInput(node, 0));
  const TypeRule rule =
      slot < rules.of_outputs.size() ? rules.of_outputs[slot] : RuleOf(graph_.op(node).type, slot);
  const absl::string_view first = OfInput(node, 0);
  switch (rule.kind) {
    case TypeRule::Kind::kInput:
      return std::string(OfInput(node, rule.argument));
    case TypeRule::Kind::kFixed:
      return TensorType(rule.argument);
    case TypeRule::Kind::kAttribute: {
      const std::string type =
          AttributeType(Attribute(node, rule.attribute), TensorType(rule.argument));
      return graph_.op(node).type == "SequenceEmpty" ? SequenceOf(type) : type;
    }
    case TypeRule::Kind::kAttributeOrInput:
      return AttributeType(Attribute(node, rule.attribute), OfInput(node, rule.argument));
    case TypeRule::Kind::kZeroPoint: {
      const absl::string_view type = OfInput(node, rule.argument);
      if (!type.empty()) return std::string(type);
      return AttributeType(Attribute(node, rule.attribute), TensorType(data_type::kUint8));
    }
    case TypeRule::Kind::kSequence:
      return SequenceOf(first);
    case TypeRule::Kind::kElement: {
      const std::string element = ElementOf(first);
      return element.empty() ? std::string(first) : element;
    }
    case TypeRule::Kind::kOptional:
      return OptionalOf(first);
    case TypeRule::Kind::kConstant:
      return ConstantType(node);
    case TypeRule::Kind::kFilled:
      return graph_.tensors(node).empty()
                 ? TensorType(data_type::kFloat)
                 : TensorType(graph_.tensor(graph_.tensors(node)[0]).data_type);
    case TypeRule::Kind::kBodies:
      return depth + 1 == kDeepestGraph ? "" : BodyType(node, slot);
    case TypeRule::Kind::kUnknown:
      return "";
  }
  return "";
}

// In a function the attribute may be one of the node that calls it, and so on.
std::string TypeFinder::AttributeType(const NodeAttribute* attribute,
                                      absl::string_view otherwise) const {
  for (size_t i = callers_.size(); i-- > 0 && attribute != nullptr;) {
    if (attribute->reference.empty()) break;
    attribute = Attribute(callers_[i], attribute->reference);
  }
  // 0 stands for one that is not given, too.
  if (attribute == nullptr || attribute->integer == 0) return std::string(otherwise);
  return TensorType(static_cast<int32_t>(attribute->integer));
}

std::string TypeFinder::ConstantType(NodeId node) const {
  if (!graph_.tensors(node).empty()) {
    return TensorType(graph_.tensor(graph_.tensors(node)[0]).data_type);
  }
  const auto found = attributes_.find(node);
  if (found == attributes_.end()) return "";
  for (const NodeAttribute& attribute : found->second) {
    const int32_t element = ConstantElement(attribute.name);
    if (element != 0) return TensorType(element);
  }
  return "";
}

// Of a Loop's body the first output is the condition.
std::string TypeFinder::BodyType(NodeId node, uint32_t slot) const {
  const absl::string_view op = graph_.op(node).type;
  for (BlockId body : graph_.blocks(node)) {
    const absl::Span<const ValueId> outputs = graph_.outputs(body);
    const size_t at = slot + (op == "Loop" ? 1 : 0);
    if (at >= outputs.size() || Of(outputs[at]).empty()) continue;
    const absl::string_view type = Of(outputs[at]);
    return op == "SequenceMap" ? SequenceOf(type) : std::string(type);
  }
  return "";
}

// What a body is given: of a Loop the number of the iteration and the condition, then what is
// carried along.
void TypeFinder::EnterBodies(NodeId node, int depth) {
  const absl::string_view op = graph_.op(node).type;
  for (BlockId body : graph_.blocks(node)) {
    const absl::Span<const ValueId> inputs = graph_.inputs(body);
    for (size_t i = 0; i < inputs.size(); ++i) {
      if (op == "Loop" && i < 2) {
        Set(inputs[i], TensorType(i == 0 ? data_type::kInt64 : data_type::kBool));
        continue;
      }
      const absl::string_view given = OfInput(node, static_cast<int32_t>(i));
      const std::string element = op == "SequenceMap" ? ElementOf(given) : "";
      Set(inputs[i], element.empty() ? given : absl::string_view(element));
    }
    Enter(body, depth + 1);
  }
}

// The types of the inputs, and the attributes, of which any may say one.
TypeFinder::Texts TypeFinder::GivenTo(NodeId node, BlockId function) const {
  Texts given;
  for (size_t i = 0; i < graph_.inputs(function).size(); ++i) {
    given.emplace_back(OfInput(node, static_cast<int32_t>(i)));
  }
  const auto found = attributes_.find(node);
  if (found == attributes_.end()) return given;
  for (const NodeAttribute& attribute : found->second) {
    if (!references_.contains(attribute.name)) continue;
    given.push_back(absl::StrCat(attribute.name, "=", AttributeType(&attribute, "")));
  }
  return given;
}

// Functions have no types of their own: theirs are those of each call.
void TypeFinder::Call(NodeId node, BlockId function, int depth) {
  const absl::Span<const ValueId> formal = graph_.inputs(function);
  const uint64_t cost = formal.size() + graph_.outputs(function).size();
  if (budget_ < cost) return;
  budget_ -= cost;
  Texts given = GivenTo(node, function);
  if (calls_.try_emplace({function, given}, Texts()).second) {
    // A function that calls itself, which ONNX forbids, finds its own entry, still empty.
    EnterCallee(node, given, depth);
    Texts made;
    for (ValueId output : graph_.outputs(function)) made.emplace_back(Of(output));
    calls_[{function, given}] = std::move(made);
  }
  const Texts& made = calls_[{function, std::move(given)}];
  const absl::Span<const ValueId> outputs = graph_.outputs(node);
  for (size_t i = 0; i < outputs.size() && i < made.size(); ++i) {
    Set(outputs[i], made[i]);
    has_unknown_ = has_unknown_ || made[i].empty();
  }
}

void TypeFinder::EnterCallee(NodeId node, const Texts& given, int depth) {
  const BlockId function = CalleeOf(node);
  Forget(function);
  const absl::Span<const ValueId> formal = graph_.inputs(function);
  for (size_t i = 0; i < formal.size(); ++i) Set(formal[i], given[i]);
  callers_.push_back(node);
  Enter(function, depth + 1);
  callers_.pop_back();
}

// What was found of the values in it when it was called before.
void TypeFinder::Forget(BlockId function) {
  std::vector<BlockId> open = {function};
  while (!open.empty()) {
    const BlockId block = open.back();
    open.pop_back();
    budget_ -= std::min<uint64_t>(budget_, values_of_[block].size());
    for (ValueId value : values_of_[block]) {
      if (graph_.value(value).kind == ValueKind::kInitializer) continue;
      types_.types_[value] = 0;
      SetStated(value);
    }
    for (NodeId node : graph_.nodes(block)) {
      const absl::Span<const BlockId> bodies = graph_.blocks(node);
      open.insert(open.end(), bodies.begin(), bodies.end());
    }
  }
}

absl::StatusOr<ValueTypes> ValueTypes::Find(const FileImage& image, const ScannedModel& model,
                                            absl::Span<const NodeId> calls) {
  OH_ASSIGN_OR_RETURN(
      ModelLayout layout,
      ModelLayout::Read(image, model, std::vector<bool>(model.graph.node_count(), false)));
  ValueTypes types(std::move(layout));
  OH_RETURN_IF_ERROR(TypeFinder(model, types).Find(image, calls));
  return types;
}

}  // namespace onnx_hier
