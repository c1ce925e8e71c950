// SPDX-License-Identifier: Apache-2.0
#include "lib/parts/run_order.h"

#include "doctest/doctest.h"
#include "tests/support/test_graph.h"

namespace onnx_hier {
namespace {

using testing::TestGraph;

std::string Wrong(TestGraph& model) {
  const Graph& graph = model.Build();
  return std::string(CheckRunOrder(Units(graph, graph.main_block())).message());
}

TEST_CASE("nodes that can run, in whatever order they stand") {
  TestGraph model;
  model.Input("x").Node("Relu", {"h"}, {"y"});
  model.Node("Relu", {"x"}, {"h"});
  CHECK(Wrong(model).empty());
}

TEST_CASE("a value that is made twice") {
  TestGraph model;
  model.Input("x").Node("Relu", {"x"}, {"y"});
  model.Node("Relu", {"x"}, {"y"});
  CHECK(Wrong(model) == "the value 'y' is made twice, by node 1 again: no valid model");
}

TEST_CASE("nodes that wait for each other") {
  TestGraph model;
  model.Input("x").Node("Add", {"x", "b"}, {"a"});
  model.Node("Relu", {"a"}, {"b"});
  CHECK(Wrong(model) == "node 0 needs what only it makes, directly or not: no valid model");
}

}  // namespace
}  // namespace onnx_hier
