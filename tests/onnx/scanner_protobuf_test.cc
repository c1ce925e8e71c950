// SPDX-License-Identifier: Apache-2.0

// The scanner against libonnx: both must see the same model.

#include <string>

#include "tests/onnx/model_text.h"
#include "tests/support/status.h"
#include "tests/support/wire.h"

namespace onnx_hier {
namespace {

using testing::ModelText;
using testing::ParseModel;
using testing::Scan;
using testing::Value;
using wire::Bytes;
using wire::Number;

std::string Ours(const std::string& bytes) {
  const testing::Scanned scanned = Value(Scan(bytes));
  return ModelText(scanned.model.graph);
}
std::string Theirs(const std::string& bytes) { return ModelText(ParseModel(bytes)); }

#define CHECK_SAME(bytes) CHECK(Ours(bytes) == Theirs(bytes))

const std::string& Branch() {
  static const std::string branch =
      wire::Node("Add", {"x", "b"}, {"s"}, "add", wire::Doc("inner") + wire::Domain("ai.onnx")) +
      wire::Name("branch") + wire::Initializer("b", {2}, "12345678") + wire::Output("s");
  return branch;
}

TEST_CASE("a plain model") {
  CHECK_SAME(wire::Model(
      Bytes(2, "producer") + Bytes(3, "1.0") + Bytes(4, "org") + Number(5, 3) +
      wire::Graph(wire::Node("MatMul", {"x", "w"}, {"h"}, "/fc/MatMul") +
                  wire::Node("Clip", {"h", "", "max"}, {"", "y"}, "", wire::Doc("")) +
                  wire::Name("main") + wire::Initializer("w", {4, 4}, std::string(64, 'w')) +
                  wire::Input("x") + wire::Input("w") + wire::Output("y")) +
      Bytes(14, Bytes(1, "key") + Bytes(2, "value"))));
}

TEST_CASE("graphs in nodes, in lists, in functions and in training") {
  const std::string nested =
      wire::Node(
          "If", {"c"}, {"y"}, "if",
          wire::Subgraph("then_branch", Branch()) +
              wire::Subgraph("else_branch", wire::Node("If", {"d"}, {"e"}, "inner if",
                                                       wire::Subgraph("then_branch", Branch()))) +
              wire::Doc("outer")) +
      wire::Node("Custom", {}, {}, "lists", wire::Subgraphs("bodies", {Branch(), "", Branch()}));
  CHECK_SAME(wire::Model(wire::Graph(nested)));
  CHECK_SAME(
      wire::Model(wire::Graph(nested) +
                  wire::Training(wire::Initialization(Branch()) + wire::Algorithm(nested)) +
                  wire::Training(wire::Algorithm(Branch())) +
                  wire::Function("dom", "F", {"x"}, {"y"},
                                 wire::FunctionNode("Neg", {"x"}, {"y"}, "neg", wire::Doc("f")) +
                                     wire::FunctionNode("If", {"x"}, {"y"}, "if",
                                                        wire::Subgraph("then_branch", Branch()))) +
                  wire::Function("", "G", {}, {}, "")));
}

TEST_CASE("tensors in attributes, sparse, external, packed") {
  const std::string external = Number(1, 2) + Number(2, 1) + Bytes(8, "far") +
                               Bytes(13, Bytes(1, "location") + Bytes(2, "w.bin")) + Number(14, 1);
  const std::string packed =
      Bytes(1, wire::Varint(3) + wire::Varint(300)) + Number(2, 10) + Bytes(8, "packed");
  const std::string sparse = Bytes(1, Number(1, 2) + Number(2, 1) + Bytes(8, "values")) +
                             Bytes(2, Number(1, 2) + Number(2, 7) + Bytes(8, "indices")) +
                             Number(3, 100) + Number(3, 7);
  CHECK_SAME(wire::Model(wire::Graph(
      wire::Node("Constant", {}, {"c"}, "",
                 wire::Attribute("value", Bytes(5, packed)) +
                     wire::Attribute("values", Bytes(10, external) + Bytes(10, packed)) +
                     wire::Attribute("sparse_value", Bytes(22, sparse)) +
                     wire::Attribute("sparse_values", Bytes(23, sparse) + Bytes(23, sparse))) +
      Bytes(5, external) + Bytes(5, packed) + Bytes(15, sparse))));
}

TEST_CASE("fields in any order, unknown ones and groups among them") {
  const std::string strange = Number(900, 1, 4) + wire::Fixed32(901) + wire::Fixed64(902) +
                              wire::Group(903, Bytes(1, "x") + wire::Group(1, "")) +
                              Bytes(904, "unknown");
  const std::string node = strange + wire::Domain("d") + Bytes(3, "name") + wire::Doc("doc") +
                           Bytes(2, "y") + strange + wire::Subgraph("body", strange + Branch()) +
                           Bytes(4, "Op") + Bytes(1, "x") + strange;
  CHECK_SAME(strange + Bytes(8, strange + Number(2, 17) + Bytes(1, "dom")) +
             wire::Graph(wire::Output("y") + strange + Bytes(1, node) + wire::Input("x") +
                         wire::Name("late")) +
             Number(1, 8) + strange);
}

TEST_CASE("of a field given twice the last one counts, a message in pieces is one") {
  const std::string node = Bytes(4, "First") + Bytes(3, "first") + wire::Doc("first") +
                           Bytes(3, "second") + Bytes(4, "Second") + wire::Doc("second");
  const std::string in_pieces = Bytes(
      5, Bytes(6, Branch()) + Bytes(1, "body") +
             Bytes(6, wire::Node("Neg", {"s"}, {"t"}) + wire::Name("renamed")) + Bytes(1, "loop"));
  CHECK_SAME(wire::Model(
      Number(1, 3) + Bytes(2, "a") + wire::Graph(Bytes(1, node) + wire::Name("one")) +
      wire::Function("d", "F", {}, {}, wire::FunctionNode("Neg", {}, {})) +
      wire::Graph(wire::Node("Loop", {}, {}, "", in_pieces) + wire::Name("two")) + Bytes(2, "b") +
      wire::Training(wire::Initialization("") + wire::Algorithm(Branch()) +
                     wire::Algorithm(wire::Node("Neg", {"s"}, {"t"})))));
}

TEST_CASE("a field of the wrong type is an unknown field") {
  CHECK_SAME(wire::Model(wire::Graph(
                 Bytes(1, Bytes(4, "Op") + Number(6, 7) + wire::Fixed32(3) + wire::Group(1, "")) +
                 Number(1, 5) + wire::Fixed64(2) + Bytes(5, Bytes(2, "float") + Bytes(8, "w")))) +
             Bytes(1, "8"));
}

TEST_CASE("names need not be text") {
  CHECK_SAME(wire::Model(wire::Graph(wire::Node(std::string("O\0p", 3), {"\xFF\xFE"}, {"\n"},
                                                "\x80", wire::Doc(std::string("\0\xC3", 2))))));
}

TEST_CASE("numbers of any size") {
  CHECK_SAME(Number(1, UINT64_MAX) + Number(5, 1ull << 63) + wire::Graph("") +
             Bytes(8, Number(2, UINT64_MAX)));
  CHECK_SAME(wire::Model(wire::Graph(wire::Initializer("w", {-1, INT64_MAX, INT64_MIN}, "", -5))));
}

TEST_CASE("ninety-five Ifs in one another") {
  CHECK_SAME(wire::Model(wire::Graph(wire::NestedIfs(95, Branch()))));
}

#undef CHECK_SAME

}  // namespace
}  // namespace onnx_hier
