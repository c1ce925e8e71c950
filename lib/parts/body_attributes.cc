// SPDX-License-Identifier: Apache-2.0
#include "lib/parts/body_attributes.h"

#include "lib/onnx/message_fields.h"
#include "lib/onnx/node_attributes.h"
#include "lib/onnx/schema.h"
#include "lib/onnx/wire_writer.h"

namespace onnx_hier {
namespace {

constexpr int kDeepest = 64;  // as of graphs whose texts are rewritten

// The field's text where the attribute has it; "".
absl::string_view TextOf(absl::string_view attribute, uint32_t field) {
  absl::string_view text;
  for (MessageFields fields(attribute); fields.Next();) {
    if (fields.number() == field && fields.is_bytes()) text = fields.bytes();
  }
  return text;
}

void AppendWhole(const MessageFields& field, std::string* out) {
  out->append(field.whole().data(), field.whole().size());
}

void AppendNode(absl::string_view node, const AttributeValues& values, int depth, std::string* out);

// Of an attribute that holds graphs: their nodes have values, too.
std::string WithInnerValues(absl::string_view attribute, const AttributeValues& values, int depth) {
  std::string made;
  for (MessageFields field(attribute); field.Next();) {
    const bool is_graph = field.is_bytes() && (field.number() == schema::attribute::kGraph ||
                                               field.number() == schema::attribute::kGraphs);
    if (!is_graph || depth > kDeepest) {
      AppendWhole(field, &made);
      continue;
    }
    std::string graph;
    for (MessageFields inner(field.bytes()); inner.Next();) {
      if (inner.number() != schema::graph::kNode || !inner.is_bytes()) {
        AppendWhole(inner, &graph);
        continue;
      }
      std::string node;
      AppendNode(inner.bytes(), values, depth + 1, &node);
      AppendField(schema::graph::kNode, node, &graph);
    }
    AppendField(field.number(), graph, &made);
  }
  return made;
}

void AppendNode(absl::string_view node, const AttributeValues& values, int depth,
                std::string* out) {
  for (MessageFields field(node); field.Next();) {
    if (field.number() != schema::node::kAttribute || !field.is_bytes()) {
      AppendWhole(field, out);
      continue;
    }
    const absl::string_view reference = TextOf(field.bytes(), schema::attribute::kRefAttrName);
    if (reference.empty()) {
      AppendField(schema::node::kAttribute, WithInnerValues(field.bytes(), values, depth), out);
      continue;
    }
    const auto value = values.find(reference);
    if (value == values.end()) continue;
    const absl::string_view name = TextOf(field.bytes(), schema::attribute::kName);
    AppendField(schema::node::kAttribute, RenamedAttribute(value->second, name), out);
  }
}

}  // namespace

AttributeValues ValuesOfCall(absl::string_view call, const AttributeValues& outer,
                             const AttributeValues& defaults) {
  AttributeValues values = defaults;
  for (MessageFields field(call); field.Next();) {
    if (field.number() != schema::node::kAttribute || !field.is_bytes()) continue;
    const absl::string_view name = TextOf(field.bytes(), schema::attribute::kName);
    const absl::string_view reference = TextOf(field.bytes(), schema::attribute::kRefAttrName);
    if (reference.empty()) {
      values[name] = field.bytes();
    } else if (const auto found = outer.find(reference); found != outer.end()) {
      values[name] = found->second;
    }
  }
  return values;
}

std::string WithValues(absl::string_view node, const AttributeValues& values) {
  std::string made;
  AppendNode(node, values, 0, &made);
  return made;
}

}  // namespace onnx_hier
