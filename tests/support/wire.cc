// SPDX-License-Identifier: Apache-2.0
#include "tests/support/wire.h"

#include "absl/strings/str_cat.h"

namespace onnx_hier::wire {
namespace {

std::string NodeFields(absl::string_view op, const Names& inputs, const Names& outputs,
                       absl::string_view name, absl::string_view fields) {
  std::string out;
  for (const std::string& input : inputs) out += Bytes(1, input);
  for (const std::string& output : outputs) out += Bytes(2, output);
  if (!name.empty()) out += Bytes(3, name);
  return absl::StrCat(out, Bytes(4, op), fields);
}

}  // namespace

std::string Varint(uint64_t value, int width) {
  std::string out;
  for (--width; value > 0x7F || width > 0; --width) {
    out += static_cast<char>(0x80 | (value % 0x80));
    value /= 0x80;
  }
  return out += static_cast<char>(value);
}

std::string Tag(uint32_t field, uint32_t wire_type, int width) {
  return Varint(uint64_t{field} * 8 + wire_type, width);
}

std::string Number(uint32_t field, uint64_t value, int width) {
  return Tag(field, 0) + Varint(value, width);
}

std::string Bytes(uint32_t field, absl::string_view contents, int length_width) {
  return absl::StrCat(Tag(field, 2), Varint(contents.size(), length_width), contents);
}

std::string Fixed32(uint32_t field) { return Tag(field, 5) + "1234"; }
std::string Fixed64(uint32_t field) { return Tag(field, 1) + "12345678"; }

std::string Group(uint32_t field, absl::string_view fields) {
  return absl::StrCat(Tag(field, 3), fields, Tag(field, 4));
}

std::string Model(absl::string_view fields) {
  return absl::StrCat(Number(1, 8), fields, Bytes(8, Bytes(1, "") + Number(2, 17)));
}

std::string Graph(absl::string_view fields, int length_width) {
  return Bytes(7, fields, length_width);
}

std::string Function(absl::string_view domain, absl::string_view name, const Names& inputs,
                     const Names& outputs, absl::string_view fields) {
  std::string out = Bytes(1, name);
  for (const std::string& input : inputs) out += Bytes(4, input);
  for (const std::string& output : outputs) out += Bytes(5, output);
  return Bytes(25, absl::StrCat(out, fields, Bytes(10, domain)));
}

std::string Training(absl::string_view fields) { return Bytes(20, fields); }

std::string Node(absl::string_view op, const Names& inputs, const Names& outputs,
                 absl::string_view name, absl::string_view fields) {
  return Bytes(1, NodeFields(op, inputs, outputs, name, fields));
}

std::string FunctionNode(absl::string_view op, const Names& inputs, const Names& outputs,
                         absl::string_view name, absl::string_view fields) {
  return Bytes(7, NodeFields(op, inputs, outputs, name, fields));
}

std::string Name(absl::string_view name) { return Bytes(2, name); }
std::string Input(absl::string_view name) { return Bytes(11, Bytes(1, name)); }
std::string Output(absl::string_view name) { return Bytes(12, Bytes(1, name)); }

std::string Initializer(absl::string_view name, const std::vector<int64_t>& dims,
                        absl::string_view raw_data, int32_t data_type) {
  std::string out;
  for (int64_t dim : dims) out += Number(1, static_cast<uint64_t>(dim));
  out += Number(2, static_cast<uint64_t>(data_type)) + Bytes(8, name);
  if (!raw_data.empty()) out += Bytes(9, raw_data);
  return Bytes(5, out);
}

std::string Int64Initializer(absl::string_view name, const std::vector<uint64_t>& values) {
  std::string packed;
  for (uint64_t value : values) packed += Varint(value);
  return Bytes(5, Number(1, values.size()) + Number(2, 7) + Bytes(8, name) + Bytes(7, packed));
}

std::string Doc(absl::string_view text, int length_width) { return Bytes(6, text, length_width); }
std::string Domain(absl::string_view domain) { return Bytes(7, domain); }

std::string Attribute(absl::string_view name, absl::string_view fields) {
  return Bytes(5, absl::StrCat(Bytes(1, name), fields));
}

std::string IntAttribute(absl::string_view name, uint64_t value) {
  return Attribute(name, Number(3, value) + Number(20, 2));
}

std::string Subgraph(absl::string_view attribute, absl::string_view fields) {
  return Attribute(attribute, Bytes(6, fields) + Number(20, 5));
}

std::string Subgraphs(absl::string_view attribute, const std::vector<std::string>& graphs) {
  std::string fields;
  for (const std::string& graph : graphs) fields += Bytes(11, graph);
  return Attribute(attribute, fields + Number(20, 10));
}

std::string Initialization(absl::string_view graph) { return Bytes(1, graph); }
std::string Algorithm(absl::string_view graph) { return Bytes(2, graph); }

std::string NestedIfs(int depth, absl::string_view innermost) {
  std::string fields(innermost);
  for (int i = 0; i < depth; ++i) {
    fields = Node("If", {"c"}, {absl::StrCat("y", i)}, absl::StrCat("if", i),
                  Subgraph("then_branch", fields));
  }
  return fields;
}

}  // namespace onnx_hier::wire
