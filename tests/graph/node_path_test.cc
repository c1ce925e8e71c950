// SPDX-License-Identifier: Apache-2.0
#include <set>
#include <string>
#include <vector>

#include "absl/strings/match.h"
#include "doctest/doctest.h"
#include "lib/base/fit_text.h"
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

TEST_CASE("a long way to a node is cut, and different ways stay different") {
  TestGraph model;
  const std::string name(1000, 'n');
  std::vector<NodeId> nodes;
  for (const std::string& attribute : {name + "a", name + "b", std::string(100, '\x1b')}) {
    const NodeId outer = model.In(BlockId(0)).Node("If", {}, {});
    NodeId node = outer;
    for (int depth = 0; depth < 3; ++depth) {
      node = model.In(model.Subgraph(node, attribute)).Node("If", {}, {});
      nodes.push_back(node);
    }
  }
  nodes.push_back(model.In(model.Function(name, "a")).Node("Neg", {}, {}));
  nodes.push_back(model.In(model.Function(name, "b")).Node("Neg", {}, {}));
  const Graph& graph = model.Build();
  std::set<std::string> paths;
  for (NodeId node : nodes) {
    paths.insert(graph.NodePath(node));
    CHECK(WrittenLength(graph.NodePath(node)) <= Graph::kLongestNodePath);
  }
  CHECK(paths.size() == nodes.size());
  CHECK(graph.NodePath(nodes[0]).substr(0, 4) == "0/nn");
  CHECK(absl::EndsWith(graph.NodePath(nodes.back()), ":b/0"));
}

}  // namespace
}  // namespace onnx_hier
