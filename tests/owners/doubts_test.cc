// SPDX-License-Identifier: Apache-2.0
#include "lib/owners/doubts.h"

#include "doctest/doctest.h"
#include "tests/support/test_graph.h"

namespace onnx_hier {
namespace {

using testing::TestGraph;

// Three nodes: one that its name puts into "mlp.fc" with some doubt, one that was weighed, and one
// of "mlp", of which a parameter tells.
struct Doubted {
  Doubted() {
    TestGraph model;
    model.Input("x");
    model.Initializer("mlp.weight", {4, 4});
    model.Initializer("7", {4, 4});
    model.Node("MatMul", {"x", "7"}, {"a"}, "/mlp/fc/MatMul");
    model.Node("Relu", {"a"}, {"b"});
    model.Node("MatMul", {"b", "mlp.weight"}, {"y"}, "/mlp/MatMul");
    const Graph& graph = model.Build();
    evidence = CollectEvidence(graph, {}, paths);
    fc = paths.Parse("mlp.fc");
    mlp = paths.Parse("mlp");
    evidence.nodes.Doubt(NodeId(0), 0.9f);
    owners = NodeOwners(graph.node_count());
    owners.Decide(NodeId(0), {.primary = fc, .confidence = 0.9f});
    owners.Decide(NodeId(1), {.primary = fc, .confidence = 1});
    owners.Decide(NodeId(2), {.primary = mlp, .confidence = 1});
  }

  ModulePaths paths;
  Evidence evidence;
  PathId fc;
  PathId mlp;
  NodeOwners owners;
};

TEST_CASE("what was weighed is no surer than the names that tell of its module") {
  Doubted file;
  DoubtNames(file.evidence, {}, Least(), file.paths, file.owners);
  CHECK(file.owners[NodeId(1)].primary == file.fc);
  CHECK(file.owners[NodeId(1)].confidence == 0.9f);
  CHECK(file.owners[NodeId(1)].containment == 0.9f);
  CHECK(file.owners[NodeId(2)].confidence == 1);
}

TEST_CASE("whoever wants more gets what is around it") {
  Doubted file;
  DoubtNames(file.evidence, {}, Least(0.99f), file.paths, file.owners);
  for (NodeId node : {NodeId(0), NodeId(1)}) {
    CHECK(file.owners[node].primary == file.mlp);
    CHECK(file.owners[node].confidence == 0);
    CHECK(file.owners[node].containment == 1);
  }
  CHECK(file.owners[NodeId(2)].confidence == 1);
}

TEST_CASE("a module of which nothing tells but names inside of it is no surer than these") {
  TestGraph model;
  model.Input("x");
  model.Initializer("7", {4, 4});
  model.Node("MatMul", {"x", "7"}, {"y"}, "/stem/fc/MatMul");
  const Graph& graph = model.Build();
  ModulePaths paths;
  const Evidence evidence = CollectEvidence(graph, {}, paths);
  REQUIRE(evidence.nodes[NodeId(0)].confidence < 0.99f);
  NodeOwners owners(graph.node_count(), evidence.nodes[NodeId(0)].place);
  DoubtNames(evidence, {}, Least(0.99f), paths, owners);
  CHECK(owners[NodeId(0)].primary == paths.root());
}

TEST_CASE("a name that is doubted in a module that is there may belong anywhere") {
  Doubted file;
  file.evidence.nodes.Doubt(NodeId(2), 0.1f);
  file.owners.Doubt(NodeId(2), 0.1f, 0.1f);
  DoubtNames(file.evidence, {}, Least(0.5f), file.paths, file.owners);
  CHECK(file.owners[NodeId(2)].primary == file.paths.root());
  CHECK(file.owners[NodeId(2)].containment == 1);
}

TEST_CASE("where all names are guesses, nothing but the root is sure") {
  Doubted file;
  DoubtNames(file.evidence, {.all = 0.5f}, Least(), file.paths, file.owners);
  CHECK(file.owners[NodeId(2)].confidence == 0.5f);
  DoubtNames(file.evidence, {.all = 0.5f}, Least(0.6f), file.paths, file.owners);
  for (const Assignment& owner : file.owners) CHECK(owner.primary == file.paths.root());
}

TEST_CASE("where only parameters have dots, a module without any may be called otherwise") {
  Doubted file;
  DoubtNames(file.evidence, {.untold = 0.75f}, Least(), file.paths, file.owners);
  CHECK(file.owners[NodeId(1)].primary == file.fc);
  CHECK(file.owners[NodeId(1)].confidence == 0.75f);
  CHECK(file.owners[NodeId(2)].confidence == 1);
}

}  // namespace
}  // namespace onnx_hier
