// SPDX-License-Identifier: Apache-2.0

// What branches, loops, scans and functions make of shapes; single operators: shape_rules_test.cc.
#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "doctest/doctest.h"
#include "lib/onnx/model_source.h"
#include "lib/onnx/value_types.h"
#include "lib/shapes/value_shapes.h"
#include "onnx_hier/model.h"
#include "tests/support/status.h"
#include "tests/support/wire.h"

namespace onnx_hier {
namespace {

using testing::Value;
using wire::Attribute;
using wire::Initializer;
using wire::Input;
using wire::Int64Initializer;
using wire::IntAttribute;
using wire::Node;
using wire::Number;
using wire::Output;
using wire::Subgraph;

// The model's graph has one input, x, of [2, 8].
class Found {
 public:
  explicit Found(const std::string& graph, const std::string& more = "",
                 std::vector<std::string> dims = {"2", "8"})
      : model_(Value(Model::FromBytes(wire::Model(wire::Graph(Input("x") + graph) + more)))),
        source_(ModelAccess::Source(model_)),
        types_(Value(ValueTypes::Find(source_.image, source_.scanned))),
        shapes_(Value(ValueShapes::Find({source_.image, source_.scanned, "", types_}, {Given(dims)},
                                        all_))) {}

  // "[2,8]" of the first value of that name; "-": not known.
  std::string operator[](absl::string_view name) const {
    const Graph& graph = model_.graph();
    for (ValueId id : graph.value_ids()) {
      if (graph.value(id).name != name) continue;
      const auto dims = shapes_.dims(id);
      if (!dims) return "-";
      std::string text = "[";
      for (Dim dim : *dims) absl::StrAppend(&text, text.size() > 1 ? "," : "", all_.Text(dim));
      return text + "]";
    }
    return "no such value";
  }
  const ValueShapes& shapes() const { return shapes_; }

 private:
  DimList Given(const std::vector<std::string>& dims) {
    DimList list;
    for (const std::string& dim : dims) {
      const bool is_number = dim.find_first_not_of("0123456789") == std::string::npos;
      list.push_back(is_number ? Dim(std::stod(dim)) : all_.Symbol(dim));
    }
    return list;
  }

  Expressions all_;
  Model model_;
  const ModelSource& source_;
  ValueTypes types_;
  ValueShapes shapes_;
};

std::string Flag(bool value) { return Initializer("c", {}, std::string(1, value ? 1 : 0), 9); }

// y: transposed, or as it is.
std::string Choice() {
  return Node("If", {"c"}, {"y"}, "",
              Subgraph("then_branch", Node("Transpose", {"x"}, {"t"}) + Output("t")) +
                  Subgraph("else_branch", Node("Relu", {"x"}, {"e"}) + Output("e")));
}

TEST_CASE("of the branches of an If that one counts which the condition names") {
  CHECK(Found(Choice() + Flag(true))["y"] == "[8,2]");
  CHECK(Found(Choice() + Flag(false))["y"] == "[2,8]");
  CHECK_FALSE(Found(Choice() + Flag(true)).shapes().has_open_branches());
  const Found open(Choice() + Input("c"));
  CHECK(open["y"] == "[?,?]");
  CHECK(open.shapes().has_open_branches());
}

std::string Loop(const std::string& body, const std::string& rounds) {
  return Node("Loop", {"n", "", "x"}, {"last", "each"}, "",
              Subgraph("body", Input("i") + Input("go") + Input("h") + body + Output("on") +
                                   Output("next") + Output("made"))) +
         rounds;
}

TEST_CASE("a loop: what it hands on, and what it makes each time, behind each other") {
  const std::string body = Node("Identity", {"go"}, {"on"}) + Node("Relu", {"h"}, {"next"}) +
                           Node("Transpose", {"h"}, {"made"});
  const Found known(Loop(body, Int64Initializer("n", {5})));
  CHECK(known["last"] == "[2,8]");
  CHECK(known["each"] == "[5,8,2]");
  const Found open(Loop(body, Input("n")));
  CHECK(open["last"] == "[2,8]");
  CHECK(open["each"] == "[?,8,2]");
}

TEST_CASE("what grows in a loop has no length") {
  const std::string body = Node("Identity", {"go"}, {"on"}) +
                           Node("Concat", {"h", "x"}, {"next"}, "", IntAttribute("axis", 0)) +
                           Node("Relu", {"x"}, {"made"});
  const Found found(Loop(body, Int64Initializer("n", {5})));
  CHECK(found["last"] == "[?,8]");
  CHECK(found["each"] == "[5,2,8]");
}

TEST_CASE("a scan goes along an axis, and stacks what it makes along one") {
  const auto scan = [](const std::string& attributes) {
    return Node("Scan", {"s", "x"}, {"last", "each"}, "",
                IntAttribute("num_scan_inputs", 1) + attributes +
                    Subgraph("body", Input("state") + Input("part") +
                                         Node("Relu", {"state"}, {"state_out"}) +
                                         Node("Relu", {"part"}, {"part_out"}) +
                                         Output("state_out") + Output("part_out"))) +
           Initializer("s", {3, 4});
  };
  const Found first(scan(""));
  CHECK(first["part"] == "[8]");
  CHECK(first["last"] == "[3,4]");
  CHECK(first["each"] == "[2,8]");
  const Found second(scan(Attribute("scan_input_axes", Number(8, 1)) +
                          Attribute("scan_output_axes", Number(8, 1))));
  CHECK(second["part"] == "[2]");
  CHECK(second["each"] == "[2,8]");
  const Found behind(scan(Attribute("scan_input_axes", Number(8, 5))));
  CHECK(behind["part"] == "-");
}

TEST_CASE("a function makes of what it is given in each call") {
  const std::string function =
      wire::Function("local", "F", {"a"}, {"b"}, wire::FunctionNode("Transpose", {"a"}, {"b"}));
  const Found found(Node("F", {"x"}, {"y"}, "", wire::Domain("local")) +
                        Node("F", {"y"}, {"z"}, "", wire::Domain("local")),
                    function);
  CHECK(found["y"] == "[8,2]");
  CHECK(found["z"] == "[2,8]");
}

TEST_CASE("names of dimensions go through all of it") {
  const Found found(Choice() + Flag(true), "", {"batch", "8"});
  CHECK(found["y"] == "[8,batch]");
}

}  // namespace
}  // namespace onnx_hier
