// SPDX-License-Identifier: Apache-2.0
#include "lib/parts/chain.h"

#include <string>

#include "absl/strings/str_cat.h"
#include "doctest/doctest.h"
#include "tests/support/test_graph.h"

namespace onnx_hier {
namespace {

using testing::TestGraph;

std::string Names(const Graph& graph, const std::vector<ValueId>& values) {
  std::string text;
  for (ValueId value : values) {
    absl::StrAppend(&text, text.empty() ? "" : " ", graph.value(value).name);
  }
  return text;
}

TEST_CASE("each link gives what later ones and the model need") {
  TestGraph model;
  model.Input("x");
  model.Node("Relu", {"x"}, {"a"});          // stage 0
  model.Node("Shape", {"x"}, {"s"});         // goes with who needs it
  model.Node("Relu", {"a"}, {"b"});          // stage 1
  model.Node("Reshape", {"b", "s"}, {"c"});  // stage 1
  model.Node("Reshape", {"c", "s"}, {"y"});  // stage 2
  model.Node("Constant", {}, {"k"});
  model.Output("y").Output("a").Output("k");
  const Graph& graph = model.Build();
  const Units units(graph, graph.main_block());
  const Repeatable repeatable(units);
  Stages stages;
  stages.of.assign(units.size(), 0);
  stages.of[Unit(2)] = stages.of[Unit(3)] = 1;
  stages.of[Unit(4)] = 2;
  stages.count = 4;
  const std::vector<Link> links = Chain(units, repeatable, stages);
  REQUIRE(links.size() == 3);
  CHECK(Names(graph, links[0].closure.inputs) == "x");
  CHECK(Names(graph, links[0].closure.outputs) == "a");
  CHECK(Names(graph, links[1].closure.inputs) == "a x");
  CHECK(Names(graph, links[1].closure.outputs) == "c");
  CHECK(links[1].closure.copied == 0);
  CHECK(Names(graph, links[2].closure.inputs) == "c x");
  CHECK(Names(graph, links[2].closure.outputs) == "y k");
  CHECK(links[2].closure.copied == 1);
}

TEST_CASE("the last link gives out parameters that are outputs of the model") {
  TestGraph model;
  model.Input("x");
  model.Initializer("w", {1});
  model.Initializer("k", {1});
  model.Node("Relu", {"x"}, {"a"});
  model.Node("Add", {"a", "w"}, {"y"});
  model.Output("k").Output("y").Output("w").Output("x");
  const Graph& graph = model.Build();
  const Units units(graph, graph.main_block());
  const Repeatable repeatable(units);
  Stages stages;
  stages.of.assign(units.size(), 0);
  stages.of[Unit(1)] = 1;
  stages.count = 2;
  const std::vector<Link> links = Chain(units, repeatable, stages);
  REQUIRE(links.size() == 2);
  CHECK(Names(graph, links[0].closure.outputs) == "a");
  CHECK(Names(graph, links[1].closure.outputs) == "y k w");
  CHECK(ParametersIn(units, links[0].closure).empty());
  CHECK(Names(graph, ParametersIn(units, links[1].closure)) == "w k");
}

TEST_CASE("a model of parameters alone is one link") {
  TestGraph model;
  model.Initializer("k", {1});
  model.Output("k");
  const Graph& graph = model.Build();
  const Units units(graph, graph.main_block());
  const Repeatable repeatable(units);
  Stages stages;
  stages.count = 1;
  const std::vector<Link> links = Chain(units, repeatable, stages);
  REQUIRE(links.size() == 1);
  CHECK(links[0].closure.units.empty());
  CHECK(Names(graph, links[0].closure.outputs) == "k");
}

TEST_CASE("a stage that gives nothing is left out") {
  TestGraph model;
  model.Input("x");
  model.Node("Relu", {"x"}, {"dead"});
  model.Node("Relu", {"x"}, {"y"});
  model.Output("y");
  const Graph& graph = model.Build();
  const Units units(graph, graph.main_block());
  const Repeatable repeatable(units);
  Stages stages;
  stages.of.assign(units.size(), 0);
  stages.of[Unit(1)] = 1;
  stages.count = 2;
  const std::vector<Link> links = Chain(units, repeatable, stages);
  REQUIRE(links.size() == 1);
  CHECK(links[0].stage == 1);
}

}  // namespace
}  // namespace onnx_hier
