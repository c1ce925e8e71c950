#include "lib/types/value_types.h"

#include <algorithm>
#include <utility>

#include "lib/base/status_macros.h"
#include "lib/graph/callees.h"
#include "lib/graph/data_type.h"
#include "lib/onnx/message_fields.h"
#include "lib/onnx/node_attributes.h"
#include "lib/onnx/schema.h"
#include "lib/types/type_rules.h"
#include "lib/types/value_type.h"

namespace onnx_hier {
namespace {

// Functions and graphs that nest deeper, and calls with ever other types, are nobody's; the types
// of what they make stay unknown.
constexpr int kDeepest = 64;
constexpr uint64_t kBudget = 8;  // nodes looked at, for each node of the file

// Which attribute of a Constant says what.
int32_t ConstantElement(absl::string_view attribute) {
  if (attribute == "value_float" || attribute == "value_floats") return data_type::kFloat;
  if (attribute == "value_int" || attribute == "value_ints") return data_type::kInt64;
  if (attribute == "value_string" || attribute == "value_strings") return data_type::kString;
  return 0;
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
        budget_(kBudget * (graph_.node_count() + 1)) {
    types_.texts_ = {""};
    types_.types_.assign(graph_.value_count(), 0);
    for (ValueId id : graph_.value_ids()) values_of_[graph_.value(id).block].push_back(id);
  }

  absl::Status Find(const FileImage& image) {
    OH_RETURN_IF_ERROR(ReadAttributesOf(image));
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
    if (has_unknown_) Enter(graph_.main_block(), 0);
    return absl::OkStatus();
  }

 private:
  using Texts = std::vector<std::string>;

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

  absl::Status ReadAttributesOf(const FileImage& image);
  void ReadStated();
  void Enter(BlockId block, int depth);
  void Look(NodeId node, int depth);
  std::string TypeOf(NodeId node, uint32_t slot, int depth) const;
  std::string AttributeType(NodeId node, absl::string_view name) const;
  std::string ConstantType(NodeId node) const;
  std::string BodyType(NodeId node, uint32_t slot) const;
  void EnterBodies(NodeId node, int depth);
  void Call(NodeId node, BlockId function, int depth);
  void Forget(BlockId function);

  const ScannedModel& model_;
  const Graph& graph_;
  ValueTypes& types_;
  const IdVector<OpId, BlockId> callees_;
  IdVector<BlockId, std::vector<ValueId>> values_of_;
  absl::flat_hash_map<std::string, uint32_t> numbers_;  // of types, in texts_
  absl::flat_hash_map<NodeId, std::vector<NodeAttribute>> attributes_;
  absl::flat_hash_map<std::pair<BlockId, Texts>, Texts> calls_;  // outputs by function and inputs
  uint64_t budget_;
  bool has_unknown_ = false;
};

absl::Status TypeFinder::ReadAttributesOf(const FileImage& image) {
  std::vector<NodeId> nodes;
  for (NodeId node : graph_.node_ids()) {
    bool needed = false;
    for (uint32_t slot = 0; slot < graph_.outputs(node).size() && slot < 2; ++slot) {
      needed = needed || RuleOf(graph_.op(node).type, slot).needs_attributes();
    }
    if (needed && graph_.tensors(node).empty()) nodes.push_back(node);
  }
  std::sort(nodes.begin(), nodes.end(), [&](NodeId a, NodeId b) {
    return model_.frames[model_.node_frames[a]].begin < model_.frames[model_.node_frames[b]].begin;
  });
  OH_ASSIGN_OR_RETURN(FileImage again, image.Again());
  OH_ASSIGN_OR_RETURN(const std::vector<NodeAttribute> attributes,
                      ReadAttributes(again, model_, nodes));
  for (NodeAttribute attribute : attributes) {
    // The name's bytes go with the image: those that rules ask for are few.
    static constexpr absl::string_view kNames[] = {
        "dtype",      "output_datatype", "output_dtype", "stash_type",
        "to",         "value_float",     "value_floats", "value_int",
        "value_ints", "value_string",    "value_strings"};
    const auto* const name = std::find(std::begin(kNames), std::end(kNames), attribute.name);
    if (name == std::end(kNames) || attribute.is_named) continue;
    attribute.name = *name;
    attributes_[attribute.node].push_back(attribute);
  }
  return absl::OkStatus();
}

void TypeFinder::ReadStated() {
  absl::flat_hash_map<std::pair<BlockId, absl::string_view>, ValueId> named;
  for (BlockId block : graph_.block_ids()) {
    if (types_.layout_.fields(block).empty()) continue;
    for (ValueId id : values_of_[block]) named.try_emplace({block, graph_.value(id).name}, id);
  }
  for (BlockId block : graph_.block_ids()) {
    const bool is_main = block == graph_.main_block();
    for (const FieldSpan& field : types_.layout_.fields(block)) {
      const auto found = field.key.empty() ? named.end() : named.find({block, field.key});
      if (found == named.end()) continue;
      const ValueId value = found->second;
      if (is_main && field.Is(schema::graph::kValueInfo)) types_.described_.push_back(value);
      if (field.contents.empty()) {
        if (is_main) types_.annotated_.push_back(value);
        continue;
      }
      types_.stated_.try_emplace(value, field.contents);
      for (MessageFields fields(field.contents); fields.Next();) {
        if (fields.number() == schema::value_info::kType) Set(value, WithoutShape(fields.bytes()));
      }
    }
  }
}

void TypeFinder::Enter(BlockId block, int depth) {
  if (depth == kDeepest) return;
  for (NodeId node : graph_.nodes(block)) Look(node, depth);
}

void TypeFinder::Look(NodeId node, int depth) {
  if (budget_ == 0) return;
  --budget_;
  const BlockId callee = callees_.empty() ? BlockId() : callees_[graph_.node(node).op];
  if (callee.valid()) {
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

std::string TypeFinder::TypeOf(NodeId node, uint32_t slot, int depth) const {
  const TypeRule rule = RuleOf(graph_.op(node).type, slot);
  const absl::string_view first = OfInput(node, 0);
  switch (rule.kind) {
    case TypeRule::Kind::kInput:
      return std::string(OfInput(node, rule.argument));
    case TypeRule::Kind::kFixed:
      return TensorType(rule.argument);
    case TypeRule::Kind::kAttribute: {
      const std::string type = AttributeType(node, rule.attribute);
      const std::string found = type.empty() ? TensorType(rule.argument) : type;
      return graph_.op(node).type == "SequenceEmpty" ? SequenceOf(found) : found;
    }
    case TypeRule::Kind::kAttributeOrInput: {
      const std::string type = AttributeType(node, rule.attribute);
      return type.empty() ? std::string(OfInput(node, rule.argument)) : type;
    }
    case TypeRule::Kind::kZeroPoint: {
      const absl::string_view type = OfInput(node, rule.argument);
      if (!type.empty()) return std::string(type);
      const std::string said = AttributeType(node, rule.attribute);
      return said.empty() ? TensorType(data_type::kUint8) : said;
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
      return depth + 1 == kDeepest ? "" : BodyType(node, slot);
  }
  return "";
}

std::string TypeFinder::AttributeType(NodeId node, absl::string_view name) const {
  const auto found = attributes_.find(node);
  if (found == attributes_.end()) return "";
  for (const NodeAttribute& attribute : found->second) {
    if (attribute.name == name) return TensorType(static_cast<int32_t>(attribute.integer));
  }
  return "";
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

// Functions have no types of their own: theirs are those of each call.
void TypeFinder::Call(NodeId node, BlockId function, int depth) {
  const absl::Span<const ValueId> formal = graph_.inputs(function);
  Texts given;
  for (size_t i = 0; i < formal.size(); ++i) {
    given.emplace_back(OfInput(node, static_cast<int32_t>(i)));
  }
  if (calls_.try_emplace({function, given}, Texts()).second) {
    // A function that calls itself, which ONNX forbids, finds its own entry, still empty.
    Forget(function);
    for (size_t i = 0; i < formal.size(); ++i) Set(formal[i], given[i]);
    Enter(function, depth + 1);
    Texts made;
    for (ValueId output : graph_.outputs(function)) made.emplace_back(Of(output));
    calls_[{function, given}] = std::move(made);
  }
  const Texts& made = calls_[{function, std::move(given)}];
  const absl::Span<const ValueId> outputs = graph_.outputs(node);
  for (size_t i = 0; i < outputs.size() && i < made.size(); ++i) Set(outputs[i], made[i]);
}

void TypeFinder::Forget(BlockId function) {
  const auto forget = [this](BlockId block) {
    for (ValueId value : values_of_[block]) {
      if (graph_.value(value).kind != ValueKind::kInitializer) types_.types_[value] = 0;
    }
  };
  forget(function);
  for (NodeId node : graph_.nodes(function)) {
    for (BlockId body : graph_.blocks(node)) forget(body);
  }
}

absl::StatusOr<ValueTypes> ValueTypes::Find(const FileImage& image, const ScannedModel& model) {
  OH_ASSIGN_OR_RETURN(
      ModelLayout layout,
      ModelLayout::Read(image, model, std::vector<bool>(model.graph.node_count(), false)));
  ValueTypes types(std::move(layout));
  OH_RETURN_IF_ERROR(TypeFinder(model, types).Find(image));
  return types;
}

}  // namespace onnx_hier
