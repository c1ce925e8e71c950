// SPDX-License-Identifier: Apache-2.0
#include "lib/parts/kept.h"

#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "doctest/doctest.h"
#include "tests/support/names.h"
#include "tests/support/test_graph.h"

namespace onnx_hier {
namespace {

using testing::FindValue;
using testing::Names;
using testing::TestGraph;

std::string FunctionNames(const Graph& graph, const std::vector<BlockId>& functions) {
  std::string text;
  for (BlockId id : functions) absl::StrAppend(&text, graph.block(id).name, " ");
  return text;
}

TEST_CASE("nodes with what is inside them; parameters that they read") {
  TestGraph model;
  model.Initializer("w", {1});
  model.Initializer("inner", {1});
  model.Initializer("other", {1});
  model.Node("Mul", {"x", "other"}, {"a"}, "left out");
  const NodeId mul = model.Node("Mul", {"a", "w"}, {"b"}, "mul");
  const NodeId choice = model.Node("If", {"b"}, {"c"}, "if");
  const BlockId branch = model.Subgraph(choice, "then_branch");
  model.In(branch).Initializer("its own", {1});
  model.Node("Add", {"inner", "its own"}, {"t"}, "add");
  const NodeId absent = model.In(BlockId(0)).Node("If", {"c"}, {"d"}, "absent");
  model.In(model.Subgraph(absent, "then_branch")).Node("Neg", {"a"}, {"u"}, "neg");
  const Graph& graph = model.Build();
  const Units units(graph, graph.main_block());
  Part part;
  part.nodes = {mul, choice};
  part.inputs = {FindValue(graph, "a")};
  part.outputs = {FindValue(graph, "c")};
  const FunctionCalls calls(graph);
  const Interface interface(graph, graph.main_block());
  const Kept kept(units, calls, interface, part);
  CHECK(Names(graph, kept.nodes()) == "mul if add");
  CHECK(Names(graph, kept.parameters()) == "w inner");
  CHECK(kept.Has(FindValue(graph, "a")));
  CHECK(kept.Has(FindValue(graph, "w")));
  CHECK(kept.Has(FindValue(graph, "c")));
  CHECK(!kept.Has(FindValue(graph, "x")));
  CHECK(!kept.Has(FindValue(graph, "d")));
  CHECK(kept.Has(mul));
  CHECK(!kept.Has(absent));
}

TEST_CASE("inputs and outputs that the model has already, and new ones") {
  TestGraph model;
  model.Input("x").Output("y");
  const NodeId first = model.Node("Neg", {"x"}, {"a"});
  const NodeId second = model.Node("Add", {"a", "x"}, {"y"});
  const Graph& graph = model.Build();
  const Units units(graph, graph.main_block());
  const ValueId x = FindValue(graph, "x");
  const ValueId a = FindValue(graph, "a");
  const ValueId y = FindValue(graph, "y");
  Part part;
  part.nodes = {first};
  part.inputs = {x};
  part.outputs = {a};
  const FunctionCalls calls(graph);
  const Interface interface(graph, graph.main_block());
  CHECK(interface.inputs(x).front() == 0);
  CHECK(interface.outputs(a).empty());
  const Kept front(units, calls, interface, part);
  CHECK(!front.IsNewInput(x));
  CHECK(front.IsNewOutput(a));
  CHECK(!front.IsOutput(y));
  CHECK(!front.IsNewOutput(y));
  part.nodes = {second};
  part.inputs = {a, x};
  part.outputs = {y};
  const Kept back(units, calls, interface, part);
  CHECK(back.IsNewInput(a));
  CHECK(!back.IsNewInput(x));
  CHECK(back.IsOutput(y));
  CHECK(!back.IsNewOutput(y));
}

TEST_CASE("an output without a name has no value to be kept") {
  TestGraph model;
  model.Input("x").Output("").Output("y");
  Part part;
  part.nodes = {model.Node("Neg", {"x"}, {"y"})};
  const Graph& graph = model.Build();
  const Units units(graph, graph.main_block());
  part.outputs = {FindValue(graph, "y")};
  const FunctionCalls calls(graph);
  const Interface interface(graph, graph.main_block());
  const Kept kept(units, calls, interface, part);
  const ValueId unnamed = graph.outputs(graph.main_block())[0];
  REQUIRE(!unnamed.valid());
  CHECK(!kept.Has(unnamed));
  CHECK(!kept.IsOutput(unnamed));
}

TEST_CASE("functions that are called, from whatever depth") {
  TestGraph model;
  const NodeId call = model.Node("A", {}, {}, "call", "d");
  model.Node("D", {}, {}, "other", "d");
  const auto function = [&](const char* name) { return model.Function("d", name); };
  model.In(function("A"));
  const NodeId choice = model.Node("If", {}, {}, "if in A");
  model.In(model.Subgraph(choice, "then_branch")).Node("B", {}, {}, "B in A", "d");
  // Back to itself, which ONNX forbids.
  model.In(function("B")).Node("B", {}, {}, "B in B", "d");
  model.In(function("C")).Node("Neg", {}, {}, "neg in C");
  model.In(function("D")).Node("C", {}, {}, "C in D", "d");
  const Graph& graph = model.Build();
  const Units units(graph, graph.main_block());
  Part part;
  part.nodes = {call};
  const FunctionCalls calls(graph);
  const Interface interface(graph, graph.main_block());
  const Kept kept(units, calls, interface, part);
  CHECK(FunctionNames(graph, kept.functions()) == "A B ");
  CHECK(Names(graph, kept.nodes()) == "call if in A B in A B in B");
}

}  // namespace
}  // namespace onnx_hier
