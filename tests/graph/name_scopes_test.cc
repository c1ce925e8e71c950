// SPDX-License-Identifier: Apache-2.0

// Which value a name means: the rules of ONNX for nested graphs, functions and training graphs.

#include "doctest/doctest.h"
#include "tests/support/test_graph.h"

namespace onnx_hier {
namespace {

using testing::FindValue;
using testing::TestGraph;

TEST_CASE("a value may be defined after its use") {
  TestGraph model;
  const NodeId reader = model.Node("Relu", {"h"}, {"y"});
  const NodeId maker = model.Node("Neg", {"x"}, {"h"});
  const Graph& graph = model.Build();
  CHECK(graph.value(graph.inputs(reader)[0]).producer == maker);
}

TEST_CASE("sibling branches use one name for two values") {
  TestGraph model;
  const NodeId choose = model.Node("If", {"c"}, {"y"});
  const BlockId then_block = model.Subgraph(choose, "then_branch");
  const BlockId else_block = model.Subgraph(choose, "else_branch");
  const NodeId then_maker = model.In(then_block).Node("Neg", {"x"}, {"h"});
  const NodeId then_reader = model.Node("Relu", {"h"}, {"o"});
  const NodeId else_maker = model.In(else_block).Node("Abs", {"x"}, {"h"});
  const NodeId else_reader = model.Node("Relu", {"h"}, {"o"});
  const Graph& graph = model.Build();
  CHECK(graph.value(graph.inputs(then_reader)[0]).producer == then_maker);
  CHECK(graph.value(graph.inputs(else_reader)[0]).producer == else_maker);
  CHECK(graph.inputs(then_reader)[0] != graph.inputs(else_reader)[0]);
}

TEST_CASE("an inner value hides an outer one, inside its graph only") {
  TestGraph model;
  const NodeId outer = model.Node("Neg", {"x"}, {"h"});
  const NodeId choose = model.Node("If", {"c"}, {"y"});
  const NodeId after = model.Node("Exp", {"h"}, {"z"});
  const BlockId inner_block = model.Subgraph(choose, "then_branch");
  const NodeId inner_reader = model.In(inner_block).Node("Relu", {"h"}, {"o"});
  const NodeId inner = model.Node("Abs", {"x"}, {"h"});  // defined after its use, too
  const Graph& graph = model.Build();
  CHECK(graph.value(graph.inputs(inner_reader)[0]).producer == inner);
  CHECK(graph.value(graph.inputs(after)[0]).producer == outer);
}

TEST_CASE("a nested graph reads values of all graphs around it") {
  TestGraph model;
  model.Input("x");
  model.Initializer("w", {2});
  const NodeId made = model.Node("Neg", {"x"}, {"h"});
  const NodeId loop = model.Node("Loop", {"", "c"}, {"y"});
  const BlockId body = model.Subgraph(loop, "body");
  const NodeId choose = model.In(body).Input("i").Node("If", {"c2"}, {"o"});
  const BlockId branch = model.Subgraph(choose, "then_branch");
  const NodeId reader = model.In(branch).Node("Sum", {"x", "w", "h", "i"}, {"s"});
  const Graph& graph = model.Build();
  const auto inputs = graph.inputs(reader);
  CHECK(graph.value(inputs[0]).kind == ValueKind::kInput);
  CHECK(graph.value(inputs[1]).kind == ValueKind::kInitializer);
  CHECK(graph.value(inputs[2]).producer == made);
  CHECK(graph.value(inputs[3]).block == body);
  CHECK(graph.uses(inputs[0]).size() == 2);  // readers in nested graphs included
  CHECK(graph.block(branch).depth == 2);
}

TEST_CASE("what nobody defines is one value in each graph that reads it first") {
  TestGraph model;
  const NodeId choose = model.Node("If", {"c"}, {"y"});
  const NodeId first = model.In(model.Subgraph(choose, "then_branch")).Node("Neg", {"u"}, {"o"});
  const NodeId second = model.In(model.Subgraph(choose, "else_branch")).Node("Neg", {"u"}, {"o"});
  const Graph& graph = model.Build();
  CHECK(graph.value(graph.inputs(first)[0]).kind == ValueKind::kUndefined);
  CHECK(graph.inputs(first)[0] != graph.inputs(second)[0]);
}

TEST_CASE("a function sees nothing of the main graph, a training graph does") {
  TestGraph model;
  const NodeId made = model.Node("Neg", {"x"}, {"h"});
  const NodeId in_function = model.In(model.Function("d", "F")).Node("Relu", {"h"}, {"o"});
  const NodeId in_training = model.In(model.Training("algorithm")).Node("Relu", {"h"}, {"o"});
  const Graph& graph = model.Build();
  CHECK(graph.value(graph.inputs(in_function)[0]).kind == ValueKind::kUndefined);
  CHECK(graph.value(graph.inputs(in_training)[0]).producer == made);
}

TEST_CASE("an omitted input or output is no value") {
  TestGraph model;
  const NodeId node = model.Node("Clip", {"x", "", "max"}, {"", "y"});
  const Graph& graph = model.Build();
  REQUIRE(graph.inputs(node).size() == 3);
  CHECK_FALSE(graph.inputs(node)[1].valid());
  CHECK_FALSE(graph.outputs(node)[0].valid());
  CHECK(graph.value(graph.outputs(node)[1]).producer == node);
  CHECK_FALSE(FindValue(graph, "").valid());
}

TEST_CASE("a graph input with a default is an initializer") {
  TestGraph model;
  model.Input("w").Output("w");
  const TensorId tensor = model.Initializer("w", {3});
  const Graph& graph = model.Build();
  const ValueId value = graph.inputs(graph.main_block())[0];
  CHECK(graph.value(value).kind == ValueKind::kInitializer);
  CHECK(graph.value(value).tensor == tensor);
  CHECK(graph.outputs(graph.main_block())[0] == value);
}

TEST_CASE("of several nodes that make one name the first counts, for all readers") {
  TestGraph model;
  const NodeId first = model.Node("Relu", {"x"}, {"y"});
  const NodeId again = model.Node("Abs", {"x"}, {"y", "y"});
  const NodeId reader = model.Node("Neg", {"y"}, {"z"});
  const Graph& graph = model.Build();
  CHECK(graph.value(graph.inputs(reader)[0]).producer == first);
  CHECK(graph.inputs(reader)[0] == graph.outputs(first)[0]);
  REQUIRE(graph.outputs(again).size() == 2);
  CHECK(graph.outputs(again)[0] != graph.outputs(again)[1]);
  for (ValueId value : graph.outputs(again)) {
    CHECK(graph.value(value).name == "y");
    CHECK(graph.value(value).producer == again);
    CHECK(graph.uses(value).empty());
  }
}

TEST_CASE("a thousand graphs inside one another") {
  constexpr uint32_t kDepth = 1000;
  TestGraph model;
  model.Input("x");
  NodeId node = model.Node("If", {"x"}, {"y"});
  for (uint32_t i = 0; i < kDepth; ++i) {
    node = model.In(model.Subgraph(node, "then_branch")).Node("If", {"x"}, {"y"});
  }
  const Graph& graph = model.Build();
  CHECK(graph.block(graph.node(node).block).depth == kDepth);
  CHECK(graph.uses(FindValue(graph, "x")).size() == kDepth + 1);
}

}  // namespace
}  // namespace onnx_hier
