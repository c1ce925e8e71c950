// SPDX-License-Identifier: Apache-2.0
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "doctest/doctest.h"
#include "onnx_hier/cost.h"
#include "onnx_hier/onnx_hier.h"
#include "tests/support/status.h"
#include "tests/support/wire.h"

namespace onnx_hier {
namespace {

using testing::Value;
using wire::Attribute;
using wire::Bytes;
using wire::Initializer;
using wire::Int64Initializer;
using wire::Node;
using wire::Number;

// An input of a graph: floats, or of another type; dimensions are numbers, or names.
std::string Input(const std::string& name, const std::vector<std::string>& dims, int type = 1) {
  std::string shape;
  for (const std::string& dim : dims) {
    const bool is_number = !dim.empty() && dim.find_first_not_of("0123456789") == std::string::npos;
    shape += Bytes(1, is_number ? Number(1, std::stoul(dim)) : dim.empty() ? "" : Bytes(2, dim));
  }
  return Bytes(11, Bytes(1, name) + Bytes(2, Bytes(1, Number(1, static_cast<uint64_t>(type)) +
                                                          Bytes(2, shape))));
}

std::string Integers(const std::string& name, const std::vector<uint64_t>& values) {
  std::string fields;
  for (uint64_t value : values) fields += Number(8, value);
  return Attribute(name, fields);
}

struct Measured {
  Model model;
  Annotation annotation;
  Hierarchy hierarchy;
  absl::StatusOr<Costs> costs;

  explicit Measured(const std::string& graph, const CostOptions& options = {},
                    const std::string& more = "")
      : model(Value(Model::FromBytes(wire::Model(wire::Graph(graph) + more)))),
        annotation(Annotate(model)),
        hierarchy(model.graph(), annotation),
        costs(MeasureCosts(model, hierarchy, options)) {}

  uint64_t Whole(absl::string_view column) const {
    return Value(costs).Find(column)->whole().whole();
  }
  std::string Message() const { return std::string(costs.status().message()); }
};

// /net/conv, /net/act, /net/fc
std::string Net() {
  return Node("Conv", {"x", "net.conv.weight"}, {"c"}, "/net/conv/Conv") +
         Node("Relu", {"c"}, {"r"}, "/net/act/Relu") +
         Node("Flatten", {"r"}, {"f"}, "/net/Flatten") +
         Node("MatMul", {"f", "net.fc.weight"}, {"y"}, "/net/fc/MatMul") +
         Initializer("net.conv.weight", {4, 3, 3, 3}) + Initializer("net.fc.weight", {144, 10}) +
         Bytes(12, Bytes(1, "y"));
}

TEST_CASE("multiply-accumulates, bytes, what is alive, by module") {
  const Measured measured(Input("x", {"2", "3", "8", "8"}) + Net());
  CHECK_OK(measured.costs.status());
  const Costs& costs = *measured.costs;
  const Column& macs = *costs.Find("macs");
  const auto of = [&](const char* module) {
    return macs.figure(measured.hierarchy.Find(module)).total.whole();
  };
  CHECK(of("net.conv") == 2 * 4 * 6 * 6 * 27);
  CHECK(of("net.act") == 0);
  CHECK(of("net.fc") == 2 * 10 * 144);
  CHECK(of("net") == of("net.conv") + of("net.fc"));
  CHECK(measured.Whole("operations") == 2 * 4 * 36);
  CHECK(measured.Whole("read") == 4 * (2 * 3 * 64 + 3 * 288));
  CHECK(measured.Whole("written") == 4 * (3 * 288 + 20));
  // While the convolution runs, its input and output are there; then two of 288.
  CHECK(measured.Whole("alive") == 4 * (2 * 3 * 64 + 288));
  CHECK(costs.peak == NodeId(0));
  CHECK(costs.unknown.empty());
  CHECK(costs.Find("bound") == nullptr);
}

TEST_CASE("a device: what takes longer, to calculate or to move") {
  CostOptions options;
  options.device = Device{1, 1};  // an operation and a byte each nanosecond
  const Measured measured(Input("x", {"2", "3", "8", "8"}) + Net(), options);
  CHECK_OK(measured.costs.status());
  const Column& bound = *measured.costs->Find("bound");
  const auto of = [&](const char* module) {
    return bound.figure(measured.hierarchy.Find(module)).total.real();
  };
  CHECK(of("net.conv") == 2 * (2 * 4 * 6 * 6 * 27));
  CHECK(of("net.act") == 4 * 2 * 288);
  CHECK(of("net.fc") == 4 * (288 + 1440 + 20));
}

TEST_CASE("sizes that are open: one sample, and the others are asked for") {
  const std::string graph = Node("MatMul", {"x", "w"}, {"y"}, "/fc/MatMul") +
                            Initializer("w", {8, 4}) + Bytes(12, Bytes(1, "y"));
  const std::string input = Input("x", {"batch", "seq", "8"});
  CHECK(Measured(input + graph).Message() == "the model leaves open how large 'seq' (of 'x') is");
  CostOptions options;
  options.sizes = {{"seq", 16}};
  CHECK(Measured(input + graph, options).Whole("macs") == 16 * 8 * 4);
  options.sizes = {{"seq", 16}, {"batch", 3}};
  CHECK(Measured(input + graph, options).Whole("macs") == 3 * 16 * 8 * 4);
  options.sizes = {};
  options.shapes = {{"x", "2x5x8"}};
  CHECK(Measured(input + graph, options).Whole("macs") == 2 * 5 * 8 * 4);
  options.shapes = {{"x", "2,5,9"}};
  CHECK(Measured(input + graph, options).Message() == "'x' is 8 in dimension 2 for good, not 9");
  options.shapes = {{"x", "2x5x8"}};
  options.sizes = {{"seq", 16}};
  CHECK(Measured(input + graph, options).Message() == "the size 'seq' is given twice: 5 and 16");
  options.shapes = {};
  options.sizes = {{"length", 1}};
  CHECK(Measured(input + graph, options).Message() ==
        "no input has a size 'length'; there are 'batch', 'seq'");
  options.sizes = {};
  options.shapes = {{"p", "1x8x16"}};
  const std::string sum = Input("p", {"batch", "8", "past + new"});
  CHECK(Measured(sum + Node("Relu", {"p"}, {"r"}), options).Whole("operations") == 8 * 16);
  options.shapes = {};
  options.sizes = {{"past", 3}, {"new", 2}};
  CHECK(Measured(sum + Node("Relu", {"p"}, {"r"}), options).Whole("operations") == 8 * 5);
  CHECK(Measured(wire::Input("x") + graph).Message() ==
        "the model states no shape of its input 'x'");
  options.sizes = {};
  options.symbolic = true;
  const Measured symbolic(input + graph, options);
  CHECK(Value(symbolic.costs).formulas[ModuleId(0)] == "32*seq");
  CHECK(Value(symbolic.costs).columns.empty());
}

TEST_CASE("shapes that are made of shapes") {
  CostOptions options;
  options.values = true;
  const Measured measured(
      Input("x", {"2", "6", "8"}) + Node("Shape", {"x"}, {"s"}) +
          Node("Gather", {"s", "one"}, {"length"}) +
          Node("Concat", {"length", "rest"}, {"to"}, "", Integers("axis", {0})) +
          Node("Reshape", {"x", "to"}, {"y"}) + Int64Initializer("one", {1}) +
          Int64Initializer("rest", {static_cast<uint64_t>(-1), 4}) + Bytes(12, Bytes(1, "y")),
      options);
  const std::vector<CountedValue> values = Value(measured.costs).values;
  REQUIRE(values.size() == 4);
  CHECK(values[3].shape == std::vector<std::string>{"6", "4", "4"});
}

TEST_CASE("branches, loops and functions") {
  const std::string product = Node("MatMul", {"x", "w"}, {"p"}) + Bytes(12, Bytes(1, "p"));
  const std::string more =
      Input("x", {"2", "8"}) + Initializer("w", {8, 8}) + Bytes(12, Bytes(1, "y"));
  const auto branches =
      wire::Subgraph("then_branch", product) +
      wire::Subgraph("else_branch", Node("Identity", {"x"}, {"e"}) + Bytes(12, Bytes(1, "e")));
  const std::string if_node = Node("If", {"c"}, {"y"}, "", branches);
  const Measured open(Input("c", {}, 9) + if_node + more);
  CHECK(open.Whole("macs") == 128);
  CHECK(Value(open.costs).has_open_branches);
  const Measured known(if_node + more + Initializer("c", {}, std::string(1, '\0'), 9));
  CHECK(known.Whole("macs") == 0);
  CHECK_FALSE(Value(known.costs).has_open_branches);

  const std::string body = wire::Subgraph(
      "body", Bytes(11, Bytes(1, "i")) + Bytes(11, Bytes(1, "go")) + Bytes(11, Bytes(1, "h")) +
                  Node("MatMul", {"h", "w"}, {"next"}) + Node("Identity", {"go"}, {"on"}) +
                  Bytes(12, Bytes(1, "on")) + Bytes(12, Bytes(1, "next")));
  const std::string loop = Node("Loop", {"n", "", "x"}, {"y"}, "", body);
  const Measured rounds(loop + more + Int64Initializer("n", {5}));
  CHECK(rounds.Whole("macs") == 5 * 128);
  const Measured unknown(Input("n", {"1"}, 7) + loop + more);
  CHECK(unknown.Whole("macs") == 128);
  CHECK(Value(unknown.costs).has_open_loops);

  const Measured calls(Node("F", {"x", "w"}, {"a"}, "", wire::Domain("local")) +
                           Node("F", {"a", "w"}, {"y"}, "", wire::Domain("local")) + more,
                       {},
                       wire::Function("local", "F", {"x", "w"}, {"z"},
                                      wire::FunctionNode("MatMul", {"x", "w"}, {"z"})));
  CHECK(calls.Whole("macs") == 2 * 128);
  // What is passed to a function is a weight all the same, and calls read nothing by themselves.
  CHECK(calls.Whole("read") == 2 * 64);
  CHECK(calls.Whole("written") == 2 * 64);
}

// Of a graph of one node, which makes y: multiply-accumulates; none: not known.
std::optional<uint64_t> MacsOf(const std::string& inputs, const std::string& node) {
  const Measured measured(inputs + node + Bytes(12, Bytes(1, "y")));
  const Costs costs = Value(measured.costs);
  const Figure& figure = costs.Find("macs")->figure(ModuleId(0));
  if (figure.unknown > 0) return std::nullopt;
  return figure.total.whole();
}

TEST_CASE("what operators multiply") {
  const std::string hidden = Attribute("hidden_size", Number(3, 4));
  const std::string sequence = Input("x", {"5", "2", "3"});
  const auto recurrent = [&](int gates) {
    return Initializer("w", {1, 4 * gates, 3}) + Initializer("r", {1, 4 * gates, 4});
  };
  // 40 elements are made, each by the gates, of the input and of what was made before.
  struct Recurrent {
    const char* op_type;
    int gates;
  };
  for (const Recurrent& each : {Recurrent{"RNN", 1}, {"GRU", 3}, {"LSTM", 4}}) {
    const auto [op_type, gates] = each;
    CAPTURE(each.op_type);
    const std::string node = Node(op_type, {"x", "w", "r"}, {"y"}, "", hidden);
    CHECK(MacsOf(sequence + recurrent(gates), node) == 40 * gates * (3 + 4));
    // The state alone is read: as many were made.
    const std::string last = Node(op_type, {"x", "w", "r"}, {"", "y"}, "", hidden);
    CHECK(MacsOf(sequence + recurrent(gates), last) == 40 * gates * (3 + 4));
    CHECK(!MacsOf(Input("x", {"5", "6"}) + recurrent(gates), node).has_value());
    CHECK(!MacsOf(sequence + Initializer("w", {1, 4 * gates, 3}) + Initializer("r", {4 * gates, 4}),
                  node)
               .has_value());
  }
  const std::string heads = Attribute("num_heads", Number(3, 2)) + wire::Domain("com.microsoft");
  const std::string packed = Node("Attention", {"x", "w", "b"}, {"y"}, "", heads);
  const std::string bias = Initializer("b", {24});
  CHECK(MacsOf(Input("x", {"2", "5", "8"}) + Initializer("w", {8, 24}) + bias, packed) ==
        80 * 24 + 2 * 80 * 5);
  CHECK(!MacsOf(Input("x", {"2", "40"}) + Initializer("w", {8, 24}) + bias, packed).has_value());
  CHECK(!MacsOf(Input("x", {"2", "5", "8"}) + Initializer("w", {192}) + bias, packed).has_value());
  CHECK(MacsOf(
            Input("q", {"2", "5", "8"}) + Input("k", {"2", "7", "8"}) + Input("v", {"2", "7", "8"}),
            Node("MultiHeadAttention", {"q", "k", "v"}, {"y"}, "", heads)) == 2 * 80 * 7);
  CHECK(MacsOf(Input("x", {"2", "8"}) + Initializer("w", {6, 1, 4}, "", 2),
               Node("MatMulNBits", {"x", "w"}, {"y"}, "",
                    Attribute("K", Number(3, 8)) + Attribute("N", Number(3, 6)) +
                        wire::Domain("com.microsoft"))) == 2 * 6 * 8);
  CHECK(MacsOf(Input("a", {"2", "3", "4"}) + Input("b", {"2", "4", "5"}),
               Node("Einsum", {"a", "b"}, {"y"}, "",
                    Attribute("equation", Bytes(4, "bij,bjk->bik")))) == 2 * 3 * 4 * 5);
  CHECK(MacsOf(Input("a", {"4", "3"}) + Initializer("w", {4, 5}),
               Node("Gemm", {"a", "w"}, {"y"}, "", Attribute("transA", Number(3, 1)))) ==
        3 * 5 * 4);
  CHECK(MacsOf(Input("x", {"1", "2", "4", "4"}) + Initializer("w", {2, 3, 3, 3}),
               Node("ConvTranspose", {"x", "w"}, {"y"})) == 2 * 16 * 27);
}

TEST_CASE("what cannot be known is said, and sums are at least") {
  const Measured measured(Input("x", {"2", "8"}) + Initializer("w", {8, 8}) +
                          Node("Mystery", {"x"}, {"m"}, "", wire::Domain("com.example")) +
                          Node("MatMul", {"m", "w"}, {"a"}) + Node("MatMul", {"x", "w"}, {"b"}) +
                          Bytes(12, Bytes(1, "b")));
  CHECK(measured.Whole("macs") == 128);
  CHECK(Value(measured.costs).unknown == std::vector<NodeId>{NodeId(1)});
  CHECK(Value(measured.costs).Find("macs")->figure(ModuleId(0)).unknown == 1);
}

TEST_CASE("functions that call each other without end") {
  std::string functions;
  for (int i = 0; i < 60; ++i) {
    const std::string name = absl::StrCat("F", i);
    const std::string next = absl::StrCat("F", i + 1);
    functions +=
        wire::Function("local", name, {"x"}, {"z"},
                       wire::FunctionNode(next, {"x"}, {"y"}, "", wire::Domain("local")) +
                           wire::FunctionNode(next, {"y"}, {"z"}, "", wire::Domain("local")));
  }
  functions +=
      wire::Function("local", "F60", {"x"}, {"z"}, wire::FunctionNode("MatMul", {"x", "x"}, {"z"}));
  const Measured measured(Input("x", {"2", "2"}) +
                              Node("F0", {"x"}, {"y"}, "", wire::Domain("local")) +
                              Bytes(12, Bytes(1, "y")),
                          {}, functions);
  CHECK(Value(measured.costs).is_cut_short);
}

}  // namespace
}  // namespace onnx_hier
