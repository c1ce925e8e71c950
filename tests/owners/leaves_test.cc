// SPDX-License-Identifier: Apache-2.0
#include "lib/owners/leaves.h"

#include "doctest/doctest.h"
#include "tests/support/test_graph.h"

namespace onnx_hier {
namespace {

using testing::TestGraph;

TEST_CASE("a weight that nothing names is not exactly in a module that holds others") {
  TestGraph model;
  model.Input("x");
  for (const char* name : {"stem.conv.weight", "101"}) model.Initializer(name, {4, 4, 3, 3});
  for (const char* name : {"102", "103"}) model.Initializer(name, {4, 4});
  model.Node("Conv", {"x", "stem.conv.weight"}, {"a"});
  model.Node("Conv", {"a", "101"}, {"b"});
  model.Node("Relu", {"b"}, {"c"});
  model.Node("MatMul", {"c", "102"}, {"d"});
  model.Node("MatMul", {"d", "103"}, {"y"});
  const Graph& graph = model.Build();
  ModulePaths paths;
  const Evidence evidence = CollectEvidence(graph, {}, paths);
  const PathId stem = paths.Parse("stem");
  NodeOwners owners(graph.node_count());
  for (NodeId node : graph.node_ids()) {
    owners.Decide(node, {.primary = stem, .confidence = 0.8f, .containment = 0.9f});
  }
  owners.Move(NodeId(4), paths.Parse("stem.conv"));
  CorrectByLeaves(Flow(graph), evidence, paths, owners);
  CHECK(owners[NodeId(0)].confidence == 0.8f);  // its own name tells
  CHECK(owners[NodeId(1)].confidence < 0.01f);
  CHECK(owners[NodeId(1)].containment == 0.9f);
  CHECK(owners[NodeId(2)].confidence == 0.8f);
  CHECK(owners[NodeId(3)].confidence < 0.2f);
  CHECK(owners[NodeId(4)].confidence == 0.8f);  // in a leaf
}

TEST_CASE("several weights that nothing names are of modules inside") {
  TestGraph model;
  for (const char* name : {"101", "102"}) model.Initializer(name, {4, 4});
  model.Node("MatMul", {"x", "101"}, {"a"});
  model.Node("MatMul", {"x", "102"}, {"b"});
  model.Node("MatMul", {"a", "b"}, {"y"});
  const Graph& graph = model.Build();
  ModulePaths paths;
  const Evidence evidence = CollectEvidence(graph, {}, paths);
  const PathId attention = paths.Parse("attention");
  NodeOwners owners(graph.node_count());
  const Assignment guessed = {.primary = attention, .confidence = 0.9f, .containment = 0.9f};
  for (NodeId node : graph.node_ids()) owners.Decide(node, guessed);
  CorrectByLeaves(Flow(graph), evidence, paths, owners);
  CHECK(owners[NodeId(0)].confidence < 0.2f);
  CHECK(owners[NodeId(1)].confidence < 0.2f);
  CHECK(owners[NodeId(2)].confidence == 0.9f);
}

TEST_CASE("a list that is never called owns no node") {
  TestGraph model;
  model.Input("x");
  for (const char* name : {"net.layers.0.weight", "net.layers.1.weight"}) {
    model.Initializer(name, {4, 4});
  }
  model.Node("MatMul", {"x", "net.layers.0.weight"}, {"a"}, "/net/layers.0/MatMul");
  model.Node("Mul", {"a", "x"}, {"b"});
  model.Node("MatMul", {"b", "net.layers.1.weight"}, {"c"}, "/net/layers.1/MatMul");
  const Graph& graph = model.Build();
  ModulePaths paths;
  const Evidence evidence = CollectEvidence(graph, {}, paths);
  NodeOwners owners(graph.node_count());
  owners.Move(NodeId(0), paths.Parse("net.layers.0"));
  owners.Move(NodeId(1), paths.Parse("net.layers"));
  owners.Move(NodeId(2), paths.Parse("net.layers.1"));
  CorrectByLeaves(Flow(graph), evidence, paths, owners);
  CHECK(paths.Tag(owners[NodeId(1)].primary) == "/net");
}

}  // namespace
}  // namespace onnx_hier
