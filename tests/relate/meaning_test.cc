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
