// SPDX-License-Identifier: Apache-2.0
#include "lib/parts/units.h"

#include <string>

#include "absl/strings/str_cat.h"
#include "doctest/doctest.h"
#include "tests/support/names.h"
#include "tests/support/test_graph.h"

namespace onnx_hier {
namespace {

using testing::FindValue;
using testing::Names;
using testing::TestGraph;

// "name: reads -> makes", a line for each unit.
std::string UnitText(const Units& units) {
  std::string text;
  for (Unit unit : units.ids()) {
    absl::StrAppend(&text, units.graph().node(units.node(unit)).name, ": ",
                    Names(units.graph(), units.reads(unit)), " -> ",
                    Names(units.graph(), units.makes(unit)), "\n");
  }
  return text;
}

TEST_CASE("what nodes read and make, each value once") {
  TestGraph model;
  model.Input("x").Output("y");
  model.Initializer("w", {1});
  model.Node("Mul", {"x", "w"}, {"a"}, "mul");
  model.Node("Split", {"a"}, {"b", ""}, "split");
  model.Node("Concat", {"b", "", "b", "a"}, {"y"}, "concat");
  const Graph& graph = model.Build();
  const Units units(graph, graph.main_block());
  CHECK(UnitText(units) == "mul: x w -> a\nsplit: a -> b -\nconcat: b a -> y\n");
  CHECK(Names(units, units.readers(FindValue(graph, "a"))) == "split concat");
  CHECK(units.readers(FindValue(graph, "y")).empty());
  CHECK(units.maker(FindValue(graph, "b")) == units.unit(NodeId(1)));
  CHECK(!units.maker(FindValue(graph, "x")).valid());
  CHECK(!units.maker(FindValue(graph, "w")).valid());
  CHECK(units.is_output(FindValue(graph, "y")));
  CHECK(!units.is_output(FindValue(graph, "a")));
}

TEST_CASE("a node reads what the graphs inside it take from outside") {
  TestGraph model;
  model.Initializer("w", {1});
  model.Node("Relu", {"x"}, {"a"}, "relu");
  model.Node("Relu", {"x"}, {"hidden"}, "other");
  const NodeId outer = model.Node("If", {"c"}, {"y"}, "outer");
  const BlockId branch = model.Subgraph(outer, "then_branch");
  model.In(branch).Node("Neg", {"a"}, {"hidden"}, "neg");
  model.Node("Add", {"hidden", "w"}, {"inside"}, "add");
  const NodeId inner = model.Node("If", {"inside"}, {"t"}, "inner");
  model.In(model.Subgraph(inner, "then_branch")).Output("a2");
  model.In(branch).Output("t");
  // A branch that gives out what it has not made.
  model.In(model.Subgraph(outer, "else_branch")).Output("x");
  model.In(BlockId(0)).Node("Neg", {"x"}, {"a2"}, "late");
  const Graph& graph = model.Build();
  const Units units(graph, graph.main_block());
  // In the branch "hidden" is its own; what the inner If gives out is from here.
  CHECK(Names(graph, units.reads(units.unit(outer))) == "c a w a2 x");
  CHECK(units.unit(inner) == units.unit(outer));
  CHECK(units.node(units.unit(inner)) == outer);
  // "late" makes what "outer" needs.
  CHECK(units.unit(NodeId(6)) < units.unit(outer));
}

TEST_CASE("a graph inside of another") {
  TestGraph model;
  model.Node("Relu", {"x"}, {"a"}, "relu");
  const NodeId loop = model.Node("Loop", {"n"}, {"y"}, "loop");
  const BlockId body = model.Subgraph(loop, "body");
  model.In(body).Input("i").Output("s");
  model.Node("Add", {"a", "i"}, {"s"}, "add");
  const Graph& graph = model.Build();
  const Units units(graph, body);
  CHECK(UnitText(units) == "add: a i -> s\n");
  CHECK(!units.unit(loop).valid());
  CHECK(!units.maker(FindValue(graph, "a")).valid());
  CHECK(units.is_output(FindValue(graph, "s")));
}

TEST_CASE("functions are units of no other graph") {
  TestGraph model;
  model.Node("F", {"x"}, {"y"}, "call", "d");
  model.In(model.Function("d", "F")).Node("Neg", {"p"}, {"q"}, "neg");
  const Graph& graph = model.Build();
  const Units units(graph, graph.main_block());
  CHECK(UnitText(units) == "call: x -> y\n");
  CHECK(!units.unit(NodeId(1)).valid());
}

TEST_CASE("makers come first; what may, keeps its order") {
  TestGraph model;
  model.Node("Neg", {"b"}, {"c"}, "third");
  model.Node("Neg", {"x"}, {"z"}, "free");
  model.Node("Neg", {"x"}, {"a"}, "first");
  model.Node("Neg", {"a"}, {"b"}, "second");
  const Graph& graph = model.Build();
  const Units units(graph, graph.main_block());
  CHECK(UnitText(units) == "free: x -> z\nfirst: x -> a\nsecond: a -> b\nthird: b -> c\n");
  CHECK(Names(units, units.readers(FindValue(graph, "x"))) == "free first");
}

TEST_CASE("cycles are at the end, whatever they are") {
  TestGraph model;
  model.Node("Add", {"a", "b"}, {"a"}, "itself");
  model.Node("Neg", {"d"}, {"c"}, "one");
  model.Node("Neg", {"c"}, {"d"}, "two");
  model.Node("Neg", {"x"}, {"b"}, "sound");
  const Graph& graph = model.Build();
  const Units units(graph, graph.main_block());
  CHECK(UnitText(units) == "sound: x -> b\nitself: a b -> a\none: d -> c\ntwo: c -> d\n");
}

}  // namespace
}  // namespace onnx_hier
