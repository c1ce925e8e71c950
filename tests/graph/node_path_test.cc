#include "doctest/doctest.h"
#include "tests/support/test_graph.h"

namespace onnx_hier {
namespace {

using testing::TestGraph;

TEST_CASE("a node's place in words") {
  TestGraph model;
  model.Node("Neg", {}, {});
  const NodeId main = model.Node("If", {}, {});
  const BlockId branch = model.Subgraph(main, "then_branch");
  const NodeId nested = model.In(branch).Node("Custom", {}, {});
  const BlockId listed = model.Subgraph(nested, "bodies", 1);
  const NodeId deepest = model.In(listed).Node("Neg", {}, {});
  const NodeId function = model.In(model.Function("pkg.x", "Layer")).Node("If", {}, {});
  const NodeId in_function = model.In(model.Subgraph(function, "else_branch")).Node("Neg", {}, {});
  const NodeId overload = model.In(model.Function("", "Layer", "v2")).Node("Neg", {}, {});
  const NodeId training = model.In(model.Training("algorithm", 2)).Node("Neg", {}, {});
  const Graph& graph = model.Build();
  CHECK(graph.NodePath(main) == "1");
  CHECK(graph.NodePath(nested) == "1/then_branch/0");
  CHECK(graph.NodePath(deepest) == "1/then_branch/0/bodies[1]/0");
  CHECK(graph.NodePath(function) == "function:pkg.x:Layer/0");
  CHECK(graph.NodePath(in_function) == "function:pkg.x:Layer/0/else_branch/0");
  CHECK(graph.NodePath(overload) == "function::Layer:v2/0");
  CHECK(graph.NodePath(training) == "training:2:algorithm/0");
}

}  // namespace
}  // namespace onnx_hier
