// SPDX-License-Identifier: Apache-2.0
#include "lib/owners/infer.h"

#include <algorithm>
#include <string>

#include "doctest/doctest.h"
#include "lib/tree/module_tree.h"
#include "tests/owners/place_text.h"
#include "tests/support/layered_model.h"
#include "tests/support/test_graph.h"

namespace onnx_hier {
namespace {

using testing::Infer;
using testing::LayeredModel;
using testing::TestGraph;

struct Tally {
  size_t open = 0, exact = 0, cross = 0;
  double promised = 0;  // sum of the confidences of open nodes
};

Tally Count(const LayeredModel& model) {
  ModulePaths paths;
  const Evidence evidence = CollectEvidence(model.graph(), {}, paths);
  const NodeOwners assignments = Infer(model.graph(), evidence, paths);
  Tally tally;
  for (NodeId id : model.graph().node_ids()) {
    const Assignment& assignment = assignments[id];
    REQUIRE(assignment.primary.valid());
    CHECK(assignment.confidence >= 0);
    CHECK(assignment.confidence <= 1);
    const PathId owner = paths.Parse(model.owners()[id.index()]);
    if (evidence.nodes[id].place.valid()) {
      CHECK(assignment.primary == evidence.nodes[id].place);
      continue;
    }
    ++tally.open;
    tally.exact += assignment.primary == owner;
    tally.cross += RelationOf(assignment.primary, owner, paths) == Relation::kOtherNumber;
    tally.promised += assignment.confidence;
  }
  return tally;
}

TEST_CASE("names say all: nothing is left to decide") {
  const LayeredModel model(4, [](size_t) { return true; });
  CHECK(Count(model).open == 0);
}

TEST_CASE("a table of embeddings is looked up in its own module, whatever is around") {
  TestGraph model;
  model.Initializer("layer.bias_table.weight", {32, 4});
  model.Initializer("layer.proj.weight", {4, 4});
  model.Node("Add", {"x", "y"}, {"a"}, "/layer/Add");
  model.Node("Gather", {"layer.bias_table.weight", "a"}, {"b"});
  model.Node("Transpose", {"b"}, {"c"}, "/layer/Transpose");
  model.Node("Add", {"c", "a"}, {"d"}, "/layer/Add_1");
  const Graph& graph = model.Build();
  ModulePaths paths;
  const Evidence evidence = CollectEvidence(graph, {}, paths);
  const Assignment lookup = Infer(graph, evidence, paths)[NodeId(1)];
  CHECK(paths.QualifiedName(lookup.primary) == "layer.bias_table");
  CHECK(lookup.method == Method::kParameters);
}

TEST_CASE("every third name gone: twins in other layers tell") {
  const LayeredModel model(12, [](size_t i) { return i % 3 != 0; });
  const Tally tally = Count(model);
  CHECK(tally.open == 41);
  CHECK(tally.exact >= 39);
  CHECK(tally.cross == 0);
}

TEST_CASE("what is given as a twin looks like the node, and is another one") {
  const LayeredModel model(18, [](size_t i) { return i % 3 != 0; });
  const Graph& graph = model.graph();
  ModulePaths paths;
  const Evidence evidence = CollectEvidence(graph, {}, paths);
  const NodeOwners assignments = Infer(graph, evidence, paths);
  size_t twins = 0;
  for (NodeId id : graph.node_ids()) {
    const Assignment& assignment = assignments[id];
    if (assignment.method != Method::kRepetition || !assignment.witness.valid()) continue;
    ++twins;
    CHECK(assignment.witness != id);
    CHECK(graph.op(assignment.witness).type == graph.op(id).type);
  }
  CHECK(twins > 10);
}

TEST_CASE("a Constant that has a parameter's name is that parameter") {
  TestGraph model;
  model.Node("Constant", {}, {"norm.weight"});
  model.Node("Constant", {}, {"head.weight"});
  model.Node("Mul", {"x", "norm.weight"}, {"a"});
  model.Node("Mul", {"a", "head.weight"}, {"y"});
  const Graph& graph = model.Build();
  ModulePaths paths;
  const Evidence evidence = CollectEvidence(graph, {}, paths);
  const NodeOwners assignments = Infer(graph, evidence, paths);
  CHECK(paths.QualifiedName(assignments[NodeId(1)].primary) == "head");
  CHECK(assignments[NodeId(1)].method == Method::kParameters);
  CHECK(assignments[NodeId(1)].confidence > 0.9);
}

TEST_CASE("a weight that nobody names is read in no norm") {
  TestGraph model;
  std::string x = "x";
  for (const char* block : {"stem", "head"}) {
    for (const char* leaf : {"weight", "bias"}) {
      model.Initializer(absl::StrCat(block, ".bn.", leaf), {4});
    }
    model.Initializer(absl::StrCat("onnx::Conv_", block), {4, 4, 3, 3});
    const std::string conv = absl::StrCat(block, "_conv");
    model.Node("Conv", {x, absl::StrCat("onnx::Conv_", block)}, {conv});
    model.Node("InstanceNormalization",
               {conv, absl::StrCat(block, ".bn.weight"), absl::StrCat(block, ".bn.bias")}, {block});
    x = block;
  }
  const Graph& graph = model.Build();
  ModulePaths paths;
  const Evidence evidence = CollectEvidence(graph, {}, paths);
  const NodeOwners assignments = Infer(graph, evidence, paths);
  for (NodeId conv : {NodeId(0), NodeId(2)}) {
    const std::string place = paths.QualifiedName(assignments[conv].primary);
    CHECK(place.find("bn") == std::string::npos);
    CHECK(assignments[conv].confidence < 0.5);
  }
}

TEST_CASE("all names gone: parameters and structure tell, and no layer is mistaken for another") {
  const LayeredModel model(12, [](size_t) { return false; });
  const Tally tally = Count(model);
  CHECK(tally.open == 121);
  // mlp.act has no parameter that could name it: one node of each layer.
  CHECK(tally.exact >= 80);
  CHECK(tally.cross == 0);
  CHECK(tally.promised / static_cast<double>(tally.open) > 0.5);
}

TEST_CASE("a module that has parameters may multiply by those of one inside") {
  TestGraph model;
  model.Initializer("attention.in_proj_bias", {4});
  for (const char* name : {"attention.out_proj.weight", "mlp.fc.weight"}) {
    model.Initializer(name, {4, 4});
  }
  model.Node("Add", {"x", "attention.in_proj_bias"}, {"a"});
  model.Node("MatMul", {"a", "attention.out_proj.weight"}, {"b"});
  model.Node("MatMul", {"b", "mlp.fc.weight"}, {"y"});
  const Graph& graph = model.Build();
  ModulePaths paths;
  const Evidence evidence = CollectEvidence(graph, {}, paths);
  const NodeOwners owners = testing::Infer(graph, evidence, paths);
  CHECK(testing::InferredPlaces(owners, paths) == "attention attention.out_proj mlp.fc ");
  CHECK(owners[NodeId(1)].confidence < 0.5f);
  CHECK(owners[NodeId(2)].confidence > 0.9f);
}

TEST_CASE("what is not sure enough goes outwards, until it is") {
  for (const bool named : {true, false}) {
    CAPTURE(named);
    const LayeredModel model(12, [&](size_t i) { return named && i % 5 == 0; });
    size_t inside = 0;
    for (const float least : {0.0f, 0.9f, 0.99f}) {
      ModulePaths paths;
      const Evidence evidence = CollectEvidence(model.graph(), {}, paths);
      const NodeOwners assignments = Infer(model.graph(), evidence, paths, {.least = Least(least)});
      size_t held = 0;
      for (NodeId id : model.graph().node_ids()) {
        const Assignment& assignment = assignments[id];
        CHECK(assignment.containment >= std::max(least, assignment.confidence));
        CHECK(assignment.containment <= 1);
        held += paths.Contains(assignment.primary, paths.Parse(model.owners()[id.index()])) ? 1 : 0;
      }
      CHECK(held >= inside);
      inside = held;
    }
  }
}

TEST_CASE("the same result in every run, and on any number of threads") {
  const auto resolve = [](const LayeredModel& model, size_t threads) {
    ModulePaths paths;
    const Evidence evidence = CollectEvidence(model.graph(), {}, paths);
    const NodeOwners assignments = Infer(model.graph(), evidence, paths, {.threads = threads});
    std::string text;
    for (const Assignment& assignment : assignments) {
      text += paths.Tag(assignment.primary) + " " + std::to_string(assignment.primary.index()) +
              " " + std::to_string(assignment.confidence) + "\n";
    }
    return text;
  };
  const auto compare = [&](const LayeredModel& model) {
    const std::string first = resolve(model, 1);
    for (const size_t threads : {1, 2, 7}) CHECK(resolve(model, threads) == first);
  };
  compare(LayeredModel(6, [](size_t i) { return i % 2 == 0; }));
  // Several rounds of open nodes; twins must name all layers' mlp.act but the first's.
  compare(LayeredModel(
      800, [](size_t i) { return i < 10 || (i % 10 != 4 && i % 10 != 7 && i % 10 != 8); }));
  // Only parameters tell.
  compare(LayeredModel(100, [](size_t) { return false; }));
}

TEST_CASE("nothing is known: the root, and no pretence") {
  TestGraph model;
  model.Node("Relu", {"x"}, {"y"});
  const Graph& graph = model.Build();
  ModulePaths paths;
  const Evidence evidence = CollectEvidence(graph, {}, paths);
  const NodeOwners assignments = Infer(graph, evidence, paths);
  CHECK(assignments[NodeId(0)].primary == paths.root());
  CHECK(assignments[NodeId(0)].confidence < 0.9f);
}

TEST_CASE("nodes in no order, and a cycle, are decided all the same") {
  TestGraph model;
  model.Node("Relu", {"b"}, {"c"}, "/m/Relu");
  model.Node("Abs", {"a"}, {"b"});
  model.Node("Neg", {"x"}, {"a"}, "/m/Neg");
  model.Node("Add", {"e", "c"}, {"d"});
  model.Node("Sub", {"d", "c"}, {"e"});
  const Graph& graph = model.Build();
  ModulePaths paths;
  const Evidence evidence = CollectEvidence(graph, {}, paths);
  const NodeOwners assignments = Infer(graph, evidence, paths);
  CHECK(paths.Tag(assignments[NodeId(1)].primary) == "/m");
  for (const Assignment& assignment : assignments) CHECK(assignment.primary.valid());
}

TEST_CASE("a value with very many readers, and very many layers, cost no more than their number") {
  TestGraph model;
  model.Node("Shape", {"x"}, {"s"});
  for (int i = 0; i < 50000; ++i) {
    const std::string n = std::to_string(i);
    model.Node("Expand", {"x", "s"}, {"e" + n}, i % 2 == 0 ? "/l." + n + "/Expand" : "");
  }
  const Graph& graph = model.Build();
  ModulePaths paths;
  const Evidence evidence = CollectEvidence(graph, {}, paths);
  const NodeOwners assignments = Infer(graph, evidence, paths);
  for (const Assignment& assignment : assignments) REQUIRE(assignment.primary.valid());
}

}  // namespace
}  // namespace onnx_hier
