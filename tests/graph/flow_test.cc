// SPDX-License-Identifier: Apache-2.0
#include "lib/graph/flow.h"

#include <string>
#include <vector>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/string_view.h"
#include "doctest/doctest.h"
#include "tests/support/test_graph.h"

namespace onnx_hier {
namespace {

using testing::TestGraph;

TEST_CASE("edges go from producers to consumers, with the slot") {
  TestGraph model;
  model.Node("Relu", {"x"}, {"a"});
  model.Node("Add", {"x", "a"}, {"b"});
  const Flow flow(model.Build());
  REQUIRE(flow.producers(Rank(1)).size() == 1);
  CHECK(flow.producers(Rank(1))[0].rank == Rank(0));
  CHECK(flow.producers(Rank(1))[0].slot == 1);
  REQUIRE(flow.consumers(Rank(0)).size() == 1);
  CHECK(flow.consumers(Rank(0))[0].rank == Rank(1));
}

TEST_CASE("a file that is not sorted gets an order in which producers come first") {
  TestGraph model;
  model.Node("Relu", {"a"}, {"b"});
  model.Node("Abs", {"x"}, {"a"});
  const Flow flow(model.Build());
  CHECK(flow.rank(NodeId(1)) == Rank(0));
  CHECK(flow.node(Rank(1)) == NodeId(0));
  CHECK(flow.producers(Rank(1)).size() == 1);
}

TEST_CASE("an edge that closes a cycle is no edge") {
  TestGraph model;
  model.Node("Relu", {"b"}, {"a"});
  model.Node("Abs", {"a"}, {"b"});
  const Flow flow(model.Build());
  CHECK(flow.producers(Rank(0)).empty());
  CHECK(flow.producers(Rank(1)).size() == 1);
}

TEST_CASE("an output that a node names twice is made once") {
  TestGraph model;
  model.Node("Relu", {"a"}, {"y"});
  model.Node("Split", {"x"}, {"a", "a"});
  const Flow flow(model.Build());
  CHECK(flow.size() == 2);
  CHECK(flow.rank(NodeId(1)) == Rank(0));
  CHECK(flow.rank(NodeId(0)) == Rank(1));
}

// Branches of ten nodes that add a constant each: as traced, with the constants in front, and with
// the branches by turns.
TEST_CASE("an order that no exporter writes is undone") {
  constexpr int kBranches = 8;
  constexpr int kLength = 10;
  struct Line {
    std::string op;
    std::vector<std::string> inputs;
    std::string output;
  };
  const auto constant = [](int branch, int at) { return absl::StrCat("c", branch, ".", at); };
  const auto made = [](int branch, int at) {
    return at == 0 ? std::string("x") : absl::StrCat("v", branch, ".", at);
  };
  const auto line = [&](int branch, int at) {
    return Line{"Add", {made(branch, at), constant(branch, at)}, made(branch, at + 1)};
  };
  std::vector<Line> traced, gathered, scattered;
  for (int branch = 0; branch < kBranches; ++branch) {
    for (int at = 0; at < kLength; ++at) {
      traced.push_back({"Constant", {}, constant(branch, at)});
      traced.push_back(line(branch, at));
    }
  }
  for (const Line& each : traced) {
    if (each.op == "Constant") gathered.push_back(each);
  }
  scattered = gathered;
  for (const Line& each : traced) {
    if (each.op != "Constant") gathered.push_back(each);
  }
  for (int at = 0; at < kLength; ++at) {
    for (int branch = 0; branch < kBranches; ++branch) scattered.push_back(line(branch, at));
  }
  for (const auto& lines : {traced, gathered, scattered}) {
    TestGraph model;
    model.Input("x");
    for (const Line& each : lines) model.Node(each.op, each.inputs, {each.output});
    std::vector<std::string> ends;
    for (int branch = 0; branch < kBranches; ++branch) ends.push_back(made(branch, kLength));
    model.Node("Sum", ends, {"y"});
    model.Output("y");
    const Graph& graph = model.Build();
    const Flow flow(graph);
    for (size_t i = 0; i < traced.size(); ++i) {
      const absl::Span<const ValueId> outputs = graph.outputs(flow.node(Rank(i)));
      CHECK(graph.value(outputs[0]).name == traced[i].output);
    }
    for (Rank rank : flow.ranks()) {
      for (const Flow::Edge& edge : flow.producers(rank)) CHECK(edge.rank < rank);
    }
  }
}

// The names of the nodes in order of their ranks, each with a blank behind it.
std::string NamesInOrder(const Graph& graph) {
  const Flow flow(graph);
  std::string names;
  for (Rank i : flow.ranks()) absl::StrAppend(&names, graph.node(flow.node(i)).name, " ");
  return names;
}

TEST_CASE("one count over all operators tells the order in which nodes were made") {
  TestGraph model;
  model.Node("Constant", {}, {"c"}, "Constant_2");
  SUBCASE("of a file that is sorted anew") {
    model.Node("Abs", {"x"}, {"a"}, "Abs_0");
    model.Node("Neg", {"x"}, {"b"}, "Neg_4");
    model.Node("Exp", {"a"}, {"d"}, "Exp_1");
    model.Node("Mul", {"d", "c"}, {"e"}, "Mul_3");
    CHECK(NamesInOrder(model.Build()) == "Abs_0 Exp_1 Constant_2 Mul_3 Neg_4 ");
  }
  SUBCASE("what has no number stands before what reads it first") {
    model.Node("Abs", {"x"}, {"a"}, "Abs_0");
    model.Node("Cast", {"x"}, {"b"}, "inserted");
    model.Node("Exp", {"a"}, {"d"}, "Exp_1");
    model.Node("Mul", {"d", "c"}, {"e"}, "Mul_3");
    model.Node("Add", {"b", "e"}, {"f"}, "Add_4");
    CHECK(NamesInOrder(model.Build()) == "Abs_0 Exp_1 Constant_2 Mul_3 inserted Add_4 ");
  }
  SUBCASE("but what a node reads comes first") {
    model.Node("Abs", {"c"}, {"a"}, "Abs_0");
    CHECK(NamesInOrder(model.Build()) == "Constant_2 Abs_0 ");
  }
  SUBCASE("not if each operator has a count of its own") {
    model.Node("Abs", {"x"}, {"a"}, "Abs_1");
    model.Node("Exp", {"a"}, {"d"}, "Exp_1");
    CHECK(NamesInOrder(model.Build()) == "Constant_2 Abs_1 Exp_1 ");
  }
  SUBCASE("not if most names are no such ones") {
    model.Node("Abs", {"x"}, {"a"}, "Abs_0");
    for (int i = 0; i < 3; ++i) model.Node("Exp", {"a"}, {absl::StrCat("e", i)}, "exp");
    CHECK(NamesInOrder(model.Build()) == "Constant_2 Abs_0 exp exp exp ");
  }
}

// Layers of a Shape, a Gather that reads it, and an Add, each value named by `name`; the nodes are
// called like their values. All Shapes come first, the last one foremost.
template <class Name>
std::string OrderOfLayers(const Name& name, int layers) {
  TestGraph model;
  for (int i = layers; i-- > 0;) {
    model.Node("Shape", {absl::StrCat("x", i)}, {name("shape", i)}, name("shape", i));
  }
  std::string last = "x";
  for (int i = 0; i < layers; ++i) {
    model.Node("Gather", {last, name("shape", i)}, {name("gather", i)}, name("gather", i));
    last = name("add", i);
    model.Node("Add", {name("gather", i), "w"}, {last}, last);
  }
  return NamesInOrder(model.Build());
}

TEST_CASE("values that are counted tell the order as well") {
  constexpr int kLayers = 8;
  std::string expected;
  const auto expect = [&](const auto& name) {
    for (int i = 0; i < kLayers; ++i) {
      absl::StrAppend(&expected, name("shape", i), " ", name("gather", i), " ", name("add", i),
                      " ");
    }
  };
  SUBCASE("with one count over all") {
    const auto name = [](absl::string_view stem, int layer) {
      return absl::StrCat(stem, "_", 3 * layer + (stem == "shape" ? 0 : stem == "gather" ? 1 : 2));
    };
    expect(name);
    CHECK(OrderOfLayers(name, kLayers) == expected);
    // Few say nothing.
    CHECK(absl::StartsWith(OrderOfLayers(name, 4), "shape_9 shape_6 shape_3 shape_0 "));
  }
  SUBCASE("with a count for each stem, and none for its first") {
    const auto name = [](absl::string_view stem, int layer) {
      return layer == 0 ? std::string(stem) : absl::StrCat(stem, "_", layer);
    };
    expect(name);
    CHECK(OrderOfLayers(name, kLayers) ==
          absl::StrCat("shape gather add ", expected.substr(expected.find("shape_1"))));
  }
  SUBCASE("but not those that onnxruntime counts") {
    const auto name = [](absl::string_view stem, int layer) {
      return absl::StrCat(stem, "_token_", layer);
    };
    CHECK(absl::StartsWith(OrderOfLayers(name, kLayers), "shape_token_7 shape_token_6 "));
  }
  SUBCASE("nor what has a path") {
    const auto name = [](absl::string_view stem, int layer) {
      return absl::StrCat("/", stem, "_", layer);
    };
    CHECK(absl::StartsWith(OrderOfLayers(name, kLayers), "/shape_7 /shape_6 "));
  }
}

TEST_CASE("a value that is called as of an equal one made later stands before what reads it") {
  TestGraph model;
  model.Node("Abs", {"x"}, {"abs_90"}, "abs");
  std::string last = "abs_90";
  for (int i = 20; i-- > 0;) {
    model.Node("Neg", {absl::StrCat("x", i)}, {absl::StrCat("neg_", 2 * i)}, absl::StrCat("n", i));
  }
  for (int i = 0; i < 20; ++i) {
    const std::string sum = absl::StrCat("add_", 2 * i + 1);
    model.Node("Add", {last, absl::StrCat("neg_", 2 * i)}, {sum}, absl::StrCat("a", i));
    last = sum;
  }
  CHECK(absl::StartsWith(NamesInOrder(model.Build()), "n0 abs a0 n1 a1 n2 "));
}

TEST_CASE("constants: of parameters and constants alone") {
  TestGraph model;
  model.Initializer("w", {2, 2});
  model.Node("Constant", {}, {"c"});
  model.Node("Transpose", {"w"}, {"t"});
  model.Node("MatMul", {"x", "t"}, {"m"});
  const Flow flow(model.Build());
  CHECK(flow.is_constant(Rank(0)));
  CHECK(flow.is_constant(Rank(1)));
  CHECK_FALSE(flow.is_constant(Rank(2)));
}

}  // namespace
}  // namespace onnx_hier
