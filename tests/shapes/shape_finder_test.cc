// SPDX-License-Identifier: Apache-2.0

// What branches, loops, scans and functions make of shapes; single operators: shape_rules_test.cc.
#include <string>
#include <vector>

#include "absl/algorithm/container.h"
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
      return dims ? Text(*dims) : "-";
    }
    return "no such value";
  }
  const ValueShapes& shapes() const { return shapes_; }
  bool IsConstant(absl::string_view name) const {
    const Graph& graph = model_.graph();
    for (ValueId id : graph.value_ids()) {
      if (graph.value(id).name == name) return shapes_.is_constant(id);
    }
    return false;
  }
  // The operator that does not fit its inputs; "": all do.
  std::string misfit() const {
    const NodeId node = shapes_.misfit();
    return node.valid() ? std::string(model_.graph().op(node).type) : "";
  }
  // What runs, how often, and what it makes by then: "Relu*15[2,8]".
  std::vector<std::string> Runs() {
    std::vector<std::string> runs;
    const auto visit = [&](const NodeVisit& run, const ValueShapes& shapes) {
      const Graph& graph = model_.graph();
      const auto dims = shapes.dims(graph.outputs(run.node)[0]);
      runs.push_back(absl::StrCat(graph.op(run.node).type, "*", all_.Text(run.times),
                                  dims ? Text(*dims) : "-"));
    };
    Value(ValueShapes::Find({source_.image, source_.scanned, "", types_}, {Given({"2", "8"})}, all_,
                            visit));
    return runs;
  }

 private:
  std::string Text(absl::Span<const Dim> dims) const {
    std::string text = "[";
    for (Dim dim : dims) absl::StrAppend(&text, text.size() > 1 ? "," : "", all_.Text(dim));
    return text + "]";
  }
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

// Of an x that is reshaped to what a node makes, which must be known for that.
std::string Reshaped(const std::string& shape) {
  return shape + Node("Reshape", {"x", "shape"}, {"y"});
}

std::string Tensor(const std::vector<uint64_t>& dims, uint64_t data_type, const std::string& raw) {
  std::string fields;
  for (const uint64_t dim : dims) fields += Number(1, dim);
  return fields + Number(2, data_type) + wire::Bytes(9, raw);
}

TEST_CASE("constants: single numbers, lists, tensors, texts") {
  const auto constant = [](const std::string& attribute) {
    return Node("Constant", {}, {"shape"}, "", attribute);
  };
  CHECK(Found(constant(IntAttribute("value_int", 4)))["shape"] == "[]");
  const std::string ints = Attribute("value_ints", Number(8, 4) + Number(8, 4));
  CHECK(Found(constant(ints))["shape"] == "[2]");
  CHECK(Found(Reshaped(constant(ints)))["y"] == "[4,4]");
  CHECK(Found(constant(Attribute("value_float", wire::Fixed32(2))))["shape"] == "[]");
  CHECK(Found(constant(Attribute("value_floats", wire::Bytes(7, std::string(12, 0)))))["shape"] ==
        "[3]");
  CHECK(Found(constant(Attribute("value_string", wire::Bytes(4, "text"))))["shape"] == "[]");
  CHECK(Found(constant(Attribute("something", Number(3, 1))))["shape"] == "-");
  const std::string held =
      Attribute("value", wire::Bytes(5, Tensor({2}, 7,
                                               std::string("\x10\0\0\0\0\0\0\0"
                                                           "\x01\0\0\0\0\0\0\0",
                                                           16))));
  CHECK(Found(constant(held))["shape"] == "[2]");
  CHECK(Found(Reshaped(constant(held)))["y"] == "[16,1]");
  // Many elements are not kept, their shape is.
  const std::string large =
      Attribute("value", wire::Bytes(5, Tensor({5000}, 7, std::string(40000, 0))));
  CHECK(Found(constant(large))["shape"] == "[5000]");
  CHECK(Found(Reshaped(Int64Initializer("shape", {1, 16})))["y"] == "[1,16]");
  const Found found(constant(ints) + Node("Relu", {"x"}, {"h"}) + Initializer("w", {3}));
  CHECK(found.IsConstant("shape"));
  CHECK(found.IsConstant("w"));
  CHECK_FALSE(found.IsConstant("h"));
}

TEST_CASE("nodes in any order") {
  const Found found(Node("Relu", {"t"}, {"y"}) + Node("Transpose", {"x"}, {"t"}));
  CHECK(found["y"] == "[8,2]");
}

TEST_CASE("more dimensions than anybody has, and sizes that are none") {
  std::vector<uint64_t> sizes(16, 1);
  sizes[0] = 16;
  CHECK(Found(Reshaped(Int64Initializer("shape", sizes)))["y"] ==
        "[16,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1]");
  sizes.push_back(1);
  CHECK(Found(Reshaped(Int64Initializer("shape", sizes)))["y"] == "-");
  CHECK(Found(Node("Relu", {"w"}, {"y"}) + Initializer("w", {3, -2}))["y"] == "[3,?]");
}

TEST_CASE("an If: what both branches make, as far as it is alike") {
  const auto choice = [](const std::string& other, const std::string& condition = "c") {
    return Node("If", {condition}, {"y", "z"}, "",
                Subgraph("then_branch", Node("Relu", {"x"}, {"t"}) + Output("t") + Output("x")) +
                    Subgraph("else_branch", other + Output("e"))) +
           Input("c");
  };
  CHECK(Found(choice(Node("Sin", {"x"}, {"e"})))["y"] == "[2,8]");
  const Found partly(choice(Node("Concat", {"x", "x"}, {"e"}, "", IntAttribute("axis", 1))));
  CHECK(partly["y"] == "[2,?]");
  CHECK(partly["z"] == "-");  // one branch makes none
  CHECK(Found(choice(Node("Flatten", {"c"}, {"e"})))["y"] == "-");
  CHECK(Found(choice(Node("Unsqueeze", {"x", "a"}, {"e"}) + Int64Initializer("a", {0})))["y"] ==
        "-");
  CHECK(Found(choice(Node("Unheard", {"x"}, {"e"})))["y"] == "-");
  // Nothing says which.
  CHECK(Found(choice(Node("Sin", {"x"}, {"e"}), ""))["y"] == "[2,8]");
  const std::string two = Initializer("two", {2}, std::string(2, 1), 9);
  CHECK(Found(choice(Node("Sin", {"x"}, {"e"}), "two") + two)["z"] == "-");
  // One branch alone.
  const std::string only = Node("If", {"c"}, {"y"}, "",
                                Subgraph("then_branch", Node("Sin", {"x"}, {"t"}) + Output("t")));
  CHECK(Found(only + Flag(true))["y"] == "[2,8]");
  CHECK(Found(only + Flag(false))["y"] == "-");
}

TEST_CASE("a loop whose body and node do not count alike, or whose state changes its rank") {
  const auto loop = [](const std::vector<std::string>& inputs,
                       const std::vector<std::string>& outputs, const std::string& body) {
    return Node("Loop", inputs, outputs, "", Subgraph("body", body)) + Int64Initializer("n", {5});
  };
  const std::string on = Input("i") + Input("go") + Input("h");
  const std::string sin = Node("Sin", {"h"}, {"next"}) + Output("go");
  CHECK(Found(loop({"n", "", "x"}, {"last", "more", "most"}, on + sin + Output("next")))["more"] ==
        "-");
  CHECK(Found(loop({"n", "", "x"}, {"last"}, on + sin + Output("next")))["last"] == "[2,8]");
  CHECK(Found(loop({"n", ""}, {"last"}, on + sin + Output("next")))["last"] == "-");
  CHECK(Found(loop({"n"}, {"last"}, Input("i") + Output("i")))["last"] == "-");
  // What the node does not hand in is no state: all that is made is stacked.
  CHECK(Found(loop({"n"}, {"all"},
                   Input("i") + Node("Sin", {"i"}, {"s"}) + Output("i") + Output("s")))["all"] ==
        "[5]");
  const std::string rank = on + Node("Unsqueeze", {"h", "a"}, {"next"}) + Output("go") +
                           Output("next") + Int64Initializer("a", {0});
  const Found ranks(loop({"n", "", "x"}, {"last"}, rank));
  CHECK(ranks["last"] == "-");
  CHECK(ranks["h"] == "-");
  CHECK(Found(Node("Loop", {"n", "", "x"}, {"last"}) + Input("n"))["last"] == "-");
  // Two numbers are no count.
  const Found two(Node("Loop", {"n", "", "x"}, {"last", "each"}, "",
                       Subgraph("body", on + sin + Output("next") + Output("h"))) +
                  Int64Initializer("n", {5, 6}));
  CHECK(two["each"] == "[?,2,8]");
}

TEST_CASE("what changes from round to round is not what it was at first") {
  // The state is a shape: its contents are others after one round.
  const std::string body =
      Input("i") + Input("go") + Input("h") + Node("Add", {"h", "one"}, {"next"}) +
      Node("Expand", {"x0", "h"}, {"made"}) + Output("go") + Output("next") + Output("made");
  const Found found(Node("Loop", {"n", "", "shape"}, {"last", "each"}, "", Subgraph("body", body)) +
                    Int64Initializer("n", {2}) + Int64Initializer("shape", {3}) +
                    Int64Initializer("one", {1}) + Initializer("x0", {1}));
  CHECK(found["last"] == "[1]");
  CHECK(found["made"] == "-");  // it was [3] in the first round
}

TEST_CASE("nodes in loops run as often as these go round") {
  const std::string inner =
      Node("Loop", {"m", "", "k"}, {"inner"}, "",
           Subgraph("body", Input("j") + Input("on") + Input("g") + Node("Relu", {"g"}, {"g2"}) +
                                Output("on") + Output("g2")));
  const std::string body = Input("i") + Input("go") + Input("h") + Node("Sin", {"h"}, {"k"}) +
                           inner + Output("go") + Output("inner");
  const std::string graph = Node("Loop", {"n", "", "x"}, {"last"}, "", Subgraph("body", body)) +
                            Int64Initializer("n", {5}) + Int64Initializer("m", {3}) +
                            Node("Cos", {"last"}, {"y"});
  CHECK(Found(graph).Runs() == std::vector<std::string>{"Sin*5[2,8]", "Relu*15[2,8]", "Loop*5[2,8]",
                                                        "Loop*1[2,8]", "Cos*1[2,8]"});
}

TEST_CASE("scans: axes from behind, beyond, and counts that do not fit") {
  const auto scan = [](const std::vector<std::string>& inputs, const std::string& attributes) {
    return Node("Scan", inputs, {"last", "each"}, "",
                attributes + Subgraph("body", Input("state") + Input("part") +
                                                  Node("Relu", {"state"}, {"state_out"}) +
                                                  Node("Relu", {"part"}, {"part_out"}) +
                                                  Output("state_out") + Output("part_out"))) +
           Initializer("s", {3, 4}) + Initializer("t", {2, 6, 8});
  };
  const std::string one = IntAttribute("num_scan_inputs", 1);
  const auto axes = [](absl::string_view name, int64_t axis) {
    return Attribute(name, Number(8, static_cast<uint64_t>(axis)));
  };
  const Found behind(scan({"s", "t"}, one + axes("scan_input_axes", -2)));
  CHECK(behind["part"] == "[2,8]");
  CHECK(behind["each"] == "[6,2,8]");
  CHECK(Found(scan({"s", "t"}, one + axes("scan_input_axes", -4)))["part"] == "-");
  CHECK(Found(scan({"s", "t"}, one + axes("scan_input_axes", 3)))["part"] == "-");
  CHECK(Found(scan({"s", "t"}, one + axes("scan_output_axes", -1)))["each"] == "[6,8,2]");
  CHECK(Found(scan({"s", "t"}, one + axes("scan_output_axes", 2)))["each"] == "[6,8,2]");
  CHECK(Found(scan({"s", "t"}, one + axes("scan_output_axes", 3)))["each"] == "-");
  CHECK(Found(scan({"s", "t"}, one + axes("scan_output_axes", -4)))["each"] == "-");
  // All that it reads is scanned.
  const Found all(scan({"s", "t"}, IntAttribute("num_scan_inputs", 7)));
  CHECK(all["state"] == "[4]");
  CHECK(all["part"] == "[6,8]");
  CHECK(all["last"] == "[2,4]");
  CHECK(all["each"] == "[2,6,8]");
  CHECK(Found(scan({"s"}, one))["last"] == "[3,4]");
  CHECK(Found(Node("Scan", {"s", "x"}, {"last"}, "", one) + Initializer("s", {3}))["last"] == "-");
  std::vector<std::string> runs = Found(scan({"s", "t"}, one)).Runs();
  CHECK(runs == std::vector<std::string>{"Relu*2[3,4]", "Relu*2[6,8]", "Scan*1[3,4]"});
}

TEST_CASE("attributes of a function are those of the call, or what it says itself") {
  const std::string refers =
      Attribute("axis", wire::Bytes(21, "way") + Number(20, 2));  // of ints: AttributeProto.INT
  const std::string concat = wire::FunctionNode("Concat", {"a", "a"}, {"b"}, "", refers);
  const std::string inner =
      wire::Function("local", "F", {"a"}, {"b"}, wire::Bytes(6, "way") + concat);
  const std::string passes = Attribute("way", wire::Bytes(21, "outer") + Number(20, 2));
  const std::string outer =
      wire::Function("local", "G", {"a"}, {"b"},
                     wire::Bytes(6, "outer") +
                         wire::FunctionNode("F", {"a"}, {"b"}, "", wire::Domain("local") + passes));
  const auto call = [](const char* function, const std::string& attributes, const char* result) {
    return Node(function, {"x"}, {result}, "", wire::Domain("local") + attributes);
  };
  const Found found(call("F", IntAttribute("way", 0), "y") +
                        call("F", IntAttribute("way", 1), "z") +
                        call("G", IntAttribute("outer", 0), "u") +
                        call("G", IntAttribute("outer", 1), "v") + call("F", "", "w"),
                    inner + outer);
  CHECK(found["y"] == "[4,8]");
  CHECK(found["z"] == "[2,16]");
  CHECK(found["u"] == "[4,8]");
  CHECK(found["v"] == "[2,16]");
  CHECK(found["w"] == "[2,16]");  // the usual axis
}

TEST_CASE("calls with less, more and other inputs; the same again") {
  const std::string function = wire::Function("local", "F", {"a", "shape"}, {"b", "c"},
                                              wire::FunctionNode("Reshape", {"a", "shape"}, {"b"}) +
                                                  wire::FunctionNode("Sin", {"a"}, {"c"}));
  const auto call = [](const std::vector<std::string>& inputs,
                       const std::vector<std::string>& outputs) {
    return Node("F", inputs, outputs, "", wire::Domain("local"));
  };
  Found found(call({"x", "s"}, {"y", "y2"}) + call({"x", "t"}, {"z"}) + call({"x", "s"}, {"w"}) +
                  call({"x", "s"}, {"v"}) + call({"x"}, {"u", "u2", "u3"}) +
                  Int64Initializer("s", {16}) + Int64Initializer("t", {4, 4}),
              function);
  CHECK(found["y"] == "[16]");
  CHECK(found["y2"] == "[2,8]");
  CHECK(found["z"] == "[4,4]");
  CHECK(found["w"] == "[16]");
  CHECK(found["v"] == "[16]");
  CHECK(found["u"] == "-");
  CHECK(found["u2"] == "[2,8]");
  CHECK(found["u3"] == "-");
  // Who counts is told of each.
  CHECK(absl::c_count(found.Runs(), "Sin*1[2,8]") == 5);
}

TEST_CASE("functions that call each other without end are followed as far as anybody nests them") {
  std::string functions;
  for (int i = 0; i < 70; ++i) {
    functions += wire::Function("local", absl::StrCat("F", i), {"a"}, {"b"},
                                i == 69 ? wire::FunctionNode("Relu", {"a"}, {"b"})
                                        : wire::FunctionNode(absl::StrCat("F", i + 1), {"a"}, {"b"},
                                                             "", wire::Domain("local")));
  }
  const auto call = [](int i) {
    return Node(absl::StrCat("F", i), {"x"}, {"y"}, "", wire::Domain("local"));
  };
  const Found deep(call(0), functions);
  CHECK(deep["y"] == "-");
  CHECK(deep.shapes().is_cut_short());
  const Found shallow(call(7), functions);
  CHECK(shallow["y"] == "[2,8]");
  CHECK_FALSE(shallow.shapes().is_cut_short());
}

TEST_CASE("what the file states, where no rule tells") {
  const auto stated = [](const std::string& dims) {
    return Node("Unheard", {"x"}, {"y"}) +
           wire::Bytes(13, wire::Bytes(1, "y") +
                               wire::Bytes(2, wire::Bytes(1, Number(1, 1) + wire::Bytes(2, dims))));
  };
  const std::string three = wire::Bytes(1, Number(1, 3));
  // A name says nothing that is known.
  CHECK(Found(stated(three + wire::Bytes(1, wire::Bytes(2, "n")) + wire::Bytes(1, "")))["y"] ==
        "[3,?,?]");
  CHECK(Found(stated(""))["y"] == "[]");
  CHECK(Found(Node("Unheard", {"x"}, {"y"}))["y"] == "-");
  // A rule knows better.
  CHECK(Found(Node("Relu", {"x"}, {"y"}) +
              wire::Bytes(13, wire::Bytes(1, "y") +
                                  wire::Bytes(2, wire::Bytes(1, wire::Bytes(2, three)))))["y"] ==
        "[2,8]");
}

TEST_CASE("a node that does not fit its inputs is named; one of which they are not known is not") {
  const auto joined = [](int axis) {
    return Node("Concat", {"x", "w"}, {"y"}, "", IntAttribute("axis", static_cast<uint64_t>(axis)));
  };
  const std::string w = Initializer("w", {2, 4});
  CHECK(Found(joined(1) + w).misfit().empty());
  CHECK(Found(joined(2) + w).misfit() == "Concat");
  CHECK(Found(joined(2) + Input("w")).misfit().empty());
  CHECK(Found(joined(2) + w, "", {"2", "n"}).misfit().empty());
  // The first one.
  CHECK(Found(joined(2) + w + Node("Transpose", {"x"}, {"t"}, "", Attribute("perm", Number(8, 5))))
            .misfit() == "Concat");
  CHECK(Found(Node("Unheard", {"x"}, {"y"})).misfit().empty());
}

TEST_CASE("quotients of integers are integers") {
  const auto divided = [](const std::string& type) {
    return Node("Cast", {"n"}, {"a"}, "", Attribute("to", type)) +
           Node("Div", {"a", "two"}, {"half"}) +
           Node("Cast", {"half"}, {"shape"}, "", IntAttribute("to", 7)) +
           Node("Expand", {"one", "shape"}, {"y"}) + Int64Initializer("n", {7}) +
           Int64Initializer("two", {2}) + Initializer("one", {1});
  };
  CHECK(Found(divided(Number(3, 7)))["y"] == "[3]");
  CHECK(Found(divided(Number(3, 6)))["y"] == "[3]");
}

}  // namespace
}  // namespace onnx_hier
