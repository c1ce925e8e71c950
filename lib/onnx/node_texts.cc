// SPDX-License-Identifier: Apache-2.0
#include "lib/onnx/node_texts.h"

#include <array>
#include <cstddef>

#include "lib/onnx/message_fields.h"
#include "lib/onnx/schema.h"
#include "lib/onnx/wire_writer.h"

namespace onnx_hier {
namespace {

constexpr int kDeepest = 64;

enum class Message : uint8_t {
  kNode,
  kInnerNode,
  kAttribute,
  kTensor,       // of an attribute
  kInitializer,  // which makes a value
  kSparseInitializer,
  kGraph,
  kValueInfo,
  kAnnotation,
  kValueEntry,  // whose value names one
  kNoteEntry,
};

struct TextRule {
  Message message;
  uint32_t field;
  bool is_text = true;
  TextRole role = TextRole::kNote;
  Message inner = Message::kNode;  // of what is no text
};

constexpr TextRule Text(Message message, uint32_t field, TextRole role) {
  return {message, field, true, role, message};
}
constexpr TextRule Inner(Message message, uint32_t field, Message inner) {
  return {message, field, false, TextRole::kNote, inner};
}

constexpr TextRule kTextRules[] = {
    Text(Message::kNode, schema::node::kInput, TextRole::kValue),
    Text(Message::kNode, schema::node::kOutput, TextRole::kValue),
    Text(Message::kNode, schema::node::kName, TextRole::kName),
    Text(Message::kNode, schema::node::kDocString, TextRole::kNote),
    Inner(Message::kNode, schema::node::kAttribute, Message::kAttribute),
    Inner(Message::kNode, schema::node::kMetadataProps, Message::kNoteEntry),
    Text(Message::kInnerNode, schema::node::kInput, TextRole::kValue),
    Text(Message::kInnerNode, schema::node::kOutput, TextRole::kValue),
    Text(Message::kInnerNode, schema::node::kName, TextRole::kNote),
    Text(Message::kInnerNode, schema::node::kDocString, TextRole::kNote),
    Inner(Message::kInnerNode, schema::node::kAttribute, Message::kAttribute),
    Inner(Message::kInnerNode, schema::node::kMetadataProps, Message::kNoteEntry),
    Text(Message::kAttribute, schema::attribute::kDocString, TextRole::kNote),
    Inner(Message::kAttribute, schema::attribute::kTensor, Message::kTensor),
    Inner(Message::kAttribute, schema::attribute::kTensors, Message::kTensor),
    Inner(Message::kAttribute, schema::attribute::kGraph, Message::kGraph),
    Inner(Message::kAttribute, schema::attribute::kGraphs, Message::kGraph),
    Text(Message::kTensor, schema::tensor::kName, TextRole::kNote),
    Text(Message::kTensor, schema::tensor::kDocString, TextRole::kNote),
    Text(Message::kInitializer, schema::tensor::kName, TextRole::kValue),
    Text(Message::kInitializer, schema::tensor::kDocString, TextRole::kNote),
    Inner(Message::kSparseInitializer, schema::sparse_tensor::kValues, Message::kInitializer),
    Inner(Message::kGraph, schema::graph::kNode, Message::kInnerNode),
    Text(Message::kGraph, schema::graph::kName, TextRole::kNote),
    Inner(Message::kGraph, schema::graph::kInitializer, Message::kInitializer),
    Text(Message::kGraph, schema::graph::kDocString, TextRole::kNote),
    Inner(Message::kGraph, schema::graph::kInput, Message::kValueInfo),
    Inner(Message::kGraph, schema::graph::kOutput, Message::kValueInfo),
    Inner(Message::kGraph, schema::graph::kValueInfo, Message::kValueInfo),
    Inner(Message::kGraph, schema::graph::kQuantizationAnnotation, Message::kAnnotation),
    Inner(Message::kGraph, schema::graph::kSparseInitializer, Message::kSparseInitializer),
    Inner(Message::kGraph, schema::graph::kMetadataProps, Message::kNoteEntry),
    Text(Message::kValueInfo, schema::value_info::kName, TextRole::kValue),
    Text(Message::kValueInfo, schema::value_info::kDocString, TextRole::kNote),
    Inner(Message::kValueInfo, schema::value_info::kMetadataProps, Message::kNoteEntry),
    Text(Message::kAnnotation, schema::tensor_annotation::kTensorName, TextRole::kValue),
    Inner(Message::kAnnotation, schema::tensor_annotation::kParameterNames, Message::kValueEntry),
    Text(Message::kValueEntry, schema::string_entry::kValue, TextRole::kValue),
    Text(Message::kNoteEntry, schema::string_entry::kValue, TextRole::kNote),
};

// By message and field: which rule, or none.
constexpr size_t kMessages = static_cast<size_t>(Message::kNoteEntry) + 1;
constexpr size_t kFields = 32;
constexpr uint8_t kNoRule = 0xFF;

constexpr auto kRuleOf = [] {
  std::array<std::array<uint8_t, kFields>, kMessages> table{};
  for (auto& fields : table) {
    for (uint8_t& rule : fields) rule = kNoRule;
  }
  uint8_t next = 0;
  for (const TextRule& rule : kTextRules)
    table[static_cast<size_t>(rule.message)][rule.field] = next++;
  return table;
}();

const TextRule* FindRule(Message message, const MessageFields& fields) {
  if (!fields.is_bytes() || fields.number() >= kFields) return nullptr;
  const uint8_t rule = kRuleOf[static_cast<size_t>(message)][fields.number()];
  return rule == kNoRule ? nullptr : &kTextRules[rule];
}

bool Rewrite(Message message, absl::string_view bytes, int depth, TextMaker text, std::string* out);

bool RewriteField(const MessageFields& field, Message message, int depth, TextMaker text,
                  std::string* out) {
  const TextRule* const rule = FindRule(message, field);
  if (rule == nullptr) {
    out->append(field.whole().data(), field.whole().size());
    return true;
  }
  if (rule->is_text) {
    AppendField(field.number(), text(rule->role, field.bytes()), out);
    return true;
  }
  std::string inner;
  if (!Rewrite(rule->inner, field.bytes(), depth + 1, text, &inner)) return false;
  AppendField(field.number(), inner, out);
  return true;
}

bool Rewrite(Message message, absl::string_view bytes, int depth, TextMaker text,
             std::string* out) {
  if (depth > kDeepest) return false;
  MessageFields fields(bytes);
  while (fields.Next()) {
    if (!RewriteField(fields, message, depth, text, out)) return false;
  }
  return fields.at_end();
}

using Visitor = absl::FunctionRef<void(TextRole, absl::string_view)>;

void Visit(Message message, absl::string_view bytes, int depth, Visitor visit);

void VisitField(const MessageFields& field, Message message, int depth, Visitor visit) {
  const TextRule* const rule = FindRule(message, field);
  if (rule == nullptr) return;
  if (rule->is_text) {
    visit(rule->role, field.bytes());
  } else {
    Visit(rule->inner, field.bytes(), depth + 1, visit);
  }
}

void Visit(Message message, absl::string_view bytes, int depth, Visitor visit) {
  if (depth > kDeepest) return;
  for (MessageFields fields(bytes); fields.Next();) VisitField(fields, message, depth, visit);
}

// Whether the field's tag and length take no more bytes than they need.
bool IsShort(const MessageFields& field) {
  const int tag = VarintSize(uint64_t{field.number()} << 3);
  const int length = VarintSize(field.bytes().size());
  return field.whole().size() == static_cast<size_t>(tag + length) + field.bytes().size();
}

bool ComesBack(Message message, absl::string_view bytes, int depth) {
  if (depth > kDeepest) return false;
  MessageFields fields(bytes);
  while (fields.Next()) {
    const TextRule* const rule = FindRule(message, fields);
    if (rule == nullptr) continue;
    if (!IsShort(fields)) return false;
    if (!rule->is_text && !ComesBack(rule->inner, fields.bytes(), depth + 1)) return false;
  }
  return fields.at_end();
}

bool IsIn(NodePart part, const MessageFields& field) {
  return part == NodePart::kWhole || part == PartOf(field);
}

}  // namespace

bool RewriteTexts(absl::string_view node, NodePart part, TextMaker text, std::string* out) {
  MessageFields fields(node);
  while (fields.Next()) {
    if (!IsIn(part, fields)) continue;
    if (!RewriteField(fields, Message::kNode, 0, text, out)) return false;
  }
  return fields.at_end();
}

bool ComesBack(absl::string_view node) { return ComesBack(Message::kNode, node, 0); }

void VisitTexts(absl::string_view node, NodePart part,
                absl::FunctionRef<void(TextRole, absl::string_view)> visit) {
  for (MessageFields fields(node); fields.Next();) {
    if (IsIn(part, fields)) VisitField(fields, Message::kNode, 0, visit);
  }
}

}  // namespace onnx_hier
