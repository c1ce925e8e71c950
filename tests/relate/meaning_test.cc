// SPDX-License-Identifier: Apache-2.0

// What makes a model compute something else although its nodes read and make the same values:
// branches, functions, versions of operators, inputs.

#include <string>

#include "absl/strings/str_cat.h"
#include "doctest/doctest.h"
#include "lib/graph/data_type.h"
#include "lib/onnx/value_type.h"
#include "onnx_hier/diff.h"
#include "tests/relate/compared.h"
#include "tests/support/wire.h"

namespace onnx_hier {
namespace {

using wire::Bytes;
using wire::Number;

std::string ModelOf(const std::string& fields, uint64_t opset = 17) {
  return absl::StrCat(Number(1, 8), fields, Bytes(8, Bytes(1, "") + Number(2, opset)),
                      Bytes(8, Bytes(1, "f") + Number(2, 1)));
}

bool Differ(const std::string& a, const std::string& b) {
  CHECK(testing::Compared(a, a).diff.IsEmpty());
  const bool differ = !testing::Compared(a, b).diff.IsEmpty();
  CHECK(differ != testing::Compared(b, a).diff.IsEmpty());
  return differ;
}

std::string Branch(const std::string& attribute, const std::string& op) {
  return wire::Subgraph(attribute,
                        wire::Node(op, {"x"}, {op}, absl::StrCat("/l/", op)) + wire::Output(op));
}

std::string IfOf(const std::string& branches) {
  return ModelOf(wire::Graph(wire::Input("c") + wire::Input("x") +
                             wire::Node("If", {"c"}, {"z"}, "/l/If", branches) +
                             wire::Output("z")));
}

TEST_CASE("branches that change places, and attributes that do") {
  const std::string a = IfOf(Branch("then_branch", "Exp") + Branch("else_branch", "Log"));
  CHECK(Differ(a, IfOf(Branch("then_branch", "Log") + Branch("else_branch", "Exp"))));
  CHECK(Differ(a, IfOf(Branch("else_branch", "Exp") + Branch("then_branch", "Log"))));
  CHECK(!Differ(a, IfOf(Branch("else_branch", "Log") + Branch("then_branch", "Exp"))));
}

// Two functions, each of which is called once.
std::string Functions(const std::string& first, const std::string& second,
                      const std::string& header = "") {
  const auto function = [&](const std::string& name, const std::string& op) {
    return wire::Function("f", name, {"i"}, {"o"},
                          wire::FunctionNode(op, {"i"}, {"o"}, op) + header);
  };
  return ModelOf(
      wire::Graph(wire::Input("x") + wire::Node("F", {"x"}, {"y"}, "/a/F", wire::Domain("f")) +
                  wire::Node("G", {"y"}, {"z"}, "/b/G", wire::Domain("f")) + wire::Output("z")) +
      function("F", first) + function("G", second));
}

TEST_CASE("bodies of functions that change places, and what their headers say") {
  CHECK(Differ(Functions("Exp", "Log"), Functions("Log", "Exp")));
  const auto opset = [](uint64_t version) { return Bytes(9, Bytes(1, "") + Number(2, version)); };
  CHECK(Differ(Functions("Exp", "Log", opset(12)), Functions("Exp", "Log", opset(13))));
  const auto alpha = [](uint64_t value) {
    return Bytes(11, Bytes(1, "alpha") + Number(3, value) + Number(20, 2));
  };
  CHECK(Differ(Functions("Exp", "Log", alpha(1)), Functions("Exp", "Log", alpha(2))));
  CHECK(!Differ(Functions("Exp", "Log", opset(12) + alpha(1)),
                Functions("Exp", "Log", alpha(1) + opset(12))));
}

TEST_CASE("versions of operators in which a node computes something else") {
  const auto one = [](const std::string& op, uint64_t opset) {
    return ModelOf(
        wire::Graph(wire::Input("x") + wire::Node(op, {"x"}, {"z"}, "/a/n") + wire::Output("z")),
        opset);
  };
  CHECK(Differ(one("Softmax", 12), one("Softmax", 13)));
  CHECK(!Differ(one("Softmax", 13), one("Softmax", 17)));
  CHECK(!Differ(one("Relu", 12), one("Relu", 17)));
}

std::string CustomOf(const std::string& attributes) {
  return ModelOf(wire::Graph(wire::Input("x") +
                             wire::Node("Custom", {"x"}, {"z"}, "/a/n", attributes) +
                             wire::Output("z")));
}

TEST_CASE("attributes that are written in other ways, and some that look alike") {
  const auto typed = [](uint64_t type, const std::string& value) {
    return CustomOf(wire::Attribute("k", value + Number(20, type)));
  };
  // A zero that is not written, numbers in one field or several, tensors raw or typed.
  CHECK(!Differ(typed(2, ""), typed(2, Number(3, 0))));
  CHECK(Differ(typed(2, ""), typed(1, "")));
  CHECK(!Differ(typed(7, Number(8, 1) + Number(8, 2)), typed(7, Bytes(8, "\1\2"))));
  CHECK(Differ(typed(7, Number(8, 0) + Number(8, 0)), typed(7, Number(8, 0))));
  const std::string head = Number(1, 2) + Number(2, 1);
  const std::string numbers("\0\0\x80?\0\0\0@", 8);
  CHECK(!Differ(typed(4, Bytes(5, head + Bytes(9, numbers))),
                typed(4, Bytes(5, head + Bytes(4, numbers)))));
  // Texts that are cut elsewhere, also in a tensor.
  CHECK(Differ(typed(8, Bytes(9, "ab") + Bytes(9, "c")), typed(8, Bytes(9, "a") + Bytes(9, "bc"))));
  const std::string texts = Number(1, 2) + Number(2, 8);
  CHECK(Differ(typed(4, Bytes(5, texts + Bytes(6, "ab") + Bytes(6, "c"))),
               typed(4, Bytes(5, texts + Bytes(6, "a") + Bytes(6, "bc")))));
  // However long, and of one name twice.
  const std::string list(5000, '\1');
  CHECK(Differ(typed(7, Bytes(8, list)), typed(7, Bytes(8, list.substr(1) + '\2'))));
  const auto number = [](const std::string& name, uint64_t value) {
    return wire::Attribute(name, Number(3, value) + Number(20, 2));
  };
  CHECK(
      Differ(CustomOf(number("k", 1) + number("k", 2)), CustomOf(number("k", 2) + number("k", 1))));
  CHECK(!Differ(CustomOf(number("k", 1) + number("l", 2)),
                CustomOf(number("l", 2) + number("k", 1))));
}

TEST_CASE("which attribute changed, from what to what") {
  const std::string half("\0\0\0?", 4);
  const std::string a =
      CustomOf(wire::Attribute("epsilon", wire::Varint(2 << 3 | 5) + half + Number(20, 1)) +
               wire::Attribute("mode", Bytes(4, "nearest") + Number(20, 3)) +
               wire::Attribute("shape", Bytes(8, std::string(9, '\1')) + Number(20, 7)));
  const std::string b =
      CustomOf(wire::Attribute("mode", Bytes(4, "linear") + Number(20, 3)) +
               wire::Attribute("shape", Bytes(8, std::string(10, '\1')) + Number(20, 7)));
  const ModelDiff diff = testing::Compared(a, b).diff;
  REQUIRE(diff.changed.size() == 1);
  const std::vector<AttributeDiff>& attributes = diff.changed[0].attributes;
  REQUIRE(attributes.size() == 3);
  CHECK(attributes[0].op == "Custom");
  CHECK(attributes[0].name == "epsilon");
  CHECK(attributes[0].a == "0.5");
  CHECK(attributes[0].b.empty());
  CHECK(attributes[1].a == "'nearest'");
  CHECK(attributes[1].b == "'linear'");
  CHECK(attributes[2].a == "[1,1,1,1,1,1,1,1,...] of 9");
  CHECK(attributes[2].b == "[1,1,1,1,1,1,1,1,...] of 10");
}

TEST_CASE("names of inputs and outputs that change places") {
  const auto sub = [](const wire::Names& inputs, const std::string& ports) {
    return ModelOf(wire::Graph(ports + wire::Node("Sub", inputs, {"z"}, "/a/Sub") +
                               wire::Node("Abs", {"z"}, {"y"}, "/a/Abs") + wire::Output("z") +
                               wire::Output("y")));
  };
  const std::string a = sub({"x", "w"}, wire::Input("x") + wire::Input("w"));
  const std::string b = sub({"w", "x"}, wire::Input("w") + wire::Input("x"));
  CHECK(Differ(a, b));
  const ModelDiff diff = testing::Compared(a, b).diff;
  REQUIRE(diff.inputs.size() == 2);
  CHECK(diff.inputs[0].name == "x");
  CHECK(diff.inputs[0].a == "place 1, unknown");
  CHECK(diff.inputs[0].b == "place 2, unknown");
}

// An input of a type and a shape.
std::string InputOf(const std::string& name, int32_t element, const std::string& dims) {
  const std::string tensor = Number(1, static_cast<uint64_t>(element)) + Bytes(2, dims);
  return Bytes(11, Bytes(1, name) + Bytes(2, Bytes(1, tensor)));
}

TEST_CASE("inputs that callers must give otherwise") {
  const auto with = [](const std::string& inputs, const std::string& rest = "") {
    return ModelOf(wire::Graph(inputs + rest + wire::Node("Mul", {"x", "w"}, {"z"}, "/a/Mul") +
                               wire::Output("z")));
  };
  const auto dim = [](uint64_t size) { return Bytes(1, Number(1, size)); };
  const auto open = [](const std::string& name) { return Bytes(1, Bytes(2, name)); };
  const std::string w = wire::Initializer("w", {4}, std::string(16, '\1'));
  const std::string a = with(InputOf("x", data_type::kFloat, open("batch") + dim(4)), w);
  CHECK(!Differ(a, with(InputOf("x", data_type::kFloat, open("n") + dim(4)), w)));
  CHECK(Differ(a, with(InputOf("x", data_type::kFloat, open("batch") + dim(5)), w)));
  CHECK(Differ(a, with(InputOf("x", data_type::kFloat16, open("batch") + dim(4)), w)));
  const std::string fixed = with(InputOf("x", data_type::kFloat, dim(1) + dim(4)), w);
  REQUIRE(Differ(a, fixed));
  const ModelDiff diff = testing::Compared(a, fixed).diff;
  REQUIRE(diff.inputs.size() == 1);
  CHECK(diff.inputs[0].name == "x");
  CHECK(diff.inputs[0].a == "float32[batch,4]");
  CHECK(diff.inputs[0].b == "float32[1,4]");
  // One with a default.
  const std::string optional = with(InputOf("x", data_type::kFloat, open("batch") + dim(4)) +
                                        InputOf("w", data_type::kFloat, dim(4)),
                                    w);
  REQUIRE(Differ(a, optional));
  CHECK(testing::Compared(a, optional).diff.inputs[0].b == "optional float32[4]");
}

TEST_CASE("outputs that nobody reads count") {
  const auto split = [](const wire::Names& outputs) {
    return ModelOf(wire::Graph(wire::Input("x") + wire::Node("Split", {"x"}, outputs, "/a/Split") +
                               wire::Output("z")));
  };
  CHECK(Differ(split({"z", "q"}), split({"z", "q", "r"})));
  CHECK(!Differ(split({"z", "q"}), split({"z", "p"})));
}

TEST_CASE("inputs that are left out at the end") {
  const auto clip = [](const wire::Names& inputs) {
    return ModelOf(wire::Graph(wire::Input("x") + wire::Input("low") +
                               wire::Node("Clip", inputs, {"z"}, "/a/Clip") + wire::Output("z")));
  };
  CHECK(!Differ(clip({"x", "low"}), clip({"x", "low", ""})));
  CHECK(Differ(clip({"x", "low"}), clip({"x", "", "low"})));
}

}  // namespace
}  // namespace onnx_hier
