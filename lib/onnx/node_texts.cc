#include "lib/onnx/node_texts.h"

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

struct Rule {
  Message message;
  uint32_t field;
  bool is_text = true;
  TextRole role = TextRole::kNote;
  Message inner = Message::kNode;  // of what is no text
};

constexpr Rule Text(Message message, uint32_t field, TextRole role) {
  return {message, field, true, role, message};
}
constexpr Rule Inner(Message message, uint32_t field, Message inner) {
  return {message, field, false, TextRole::kNote, inner};
}

constexpr Rule kRules[] = {
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

const Rule* FindRule(Message message, uint32_t field) {
  for (const Rule& rule : kRules) {
    if (rule.message == message && rule.field == field) return &rule;
  }
  return nullptr;
}

bool Rewrite(Message message, absl::string_view bytes, int depth, TextMaker text,
             std::string* out) {
  if (depth > kDeepest) return false;
  MessageFields fields(bytes);
  while (fields.Next()) {
    const Rule* const rule = fields.is_bytes() ? FindRule(message, fields.number()) : nullptr;
    if (rule == nullptr) {
      out->append(fields.whole().data(), fields.whole().size());
    } else if (rule->is_text) {
      AppendField(fields.number(), text(rule->role, fields.bytes()), out);
    } else {
      std::string inner;
      if (!Rewrite(rule->inner, fields.bytes(), depth + 1, text, &inner)) return false;
      AppendField(fields.number(), inner, out);
    }
  }
  return fields.at_end();
}

void Visit(Message message, absl::string_view bytes, int depth,
           absl::FunctionRef<void(TextRole, absl::string_view)> visit) {
  if (depth > kDeepest) return;
  for (MessageFields fields(bytes); fields.Next();) {
    const Rule* const rule = fields.is_bytes() ? FindRule(message, fields.number()) : nullptr;
    if (rule == nullptr) continue;
    if (rule->is_text) {
      visit(rule->role, fields.bytes());
    } else {
      Visit(rule->inner, fields.bytes(), depth + 1, visit);
    }
  }
}

}  // namespace

bool RewriteTexts(absl::string_view node, TextMaker text, std::string* out) {
  return Rewrite(Message::kNode, node, 0, text, out);
}

void VisitTexts(absl::string_view node,
                absl::FunctionRef<void(TextRole, absl::string_view)> visit) {
  Visit(Message::kNode, node, 0, visit);
}

}  // namespace onnx_hier
