// SPDX-License-Identifier: Apache-2.0
#include "lib/tree/auxiliary.h"

#include "doctest/doctest.h"
#include "lib/owners/infer.h"
#include "tests/support/layered_model.h"
#include "tests/support/test_graph.h"

namespace onnx_hier {
namespace {

using testing::LayeredModel;

TEST_CASE("a join lists the modules that meet in it, be they in its own") {
  const LayeredModel model(2, [](size_t) { return true; });
  ModulePaths paths;
  const Evidence evidence = CollectEvidence(model.graph(), {}, paths);
  const GraphAnalysis analysis(model.graph());
  Assignments assignments =
      InferOwners(analysis, evidence, CollectKnown(analysis.flow(), evidence, paths), paths);
  const std::vector<PathId> auxiliary = FindAuxiliary(analysis, evidence, paths, assignments);
  const Range range = assignments[NodeId(15)].auxiliary;  // layers.1, the first Add
  REQUIRE(range.size() == 2);
  CHECK(paths.Tag(auxiliary[range.begin]) == "/layers.1/attention");
  CHECK(paths.Tag(auxiliary[range.begin + 1]) == "/layers.0");
}

TEST_CASE("one Constant of all layers lists those that read it") {
  testing::TestGraph model;
  model.Node("Constant", {}, {"c"}, "/layers.0/act/Constant");
  model.Node("Mul", {"x", "c"}, {"a"}, "/layers.0/act/Mul");
  model.Node("Mul", {"a", "c"}, {"b"}, "/layers.1/act/Mul");
  model.Node("Mul", {"b", "c"}, {"d"}, "/layers.2/act/Mul");
  const Graph& graph = model.Build();
  ModulePaths paths;
  const Evidence evidence = CollectEvidence(graph, {}, paths);
  const GraphAnalysis analysis(graph);
  Assignments assignments =
      InferOwners(analysis, evidence, CollectKnown(analysis.flow(), evidence, paths), paths);
  const std::vector<PathId> auxiliary = FindAuxiliary(analysis, evidence, paths, assignments);
  const Range range = assignments[NodeId(0)].auxiliary;
  REQUIRE(range.size() == 2);
  CHECK(paths.Tag(assignments[NodeId(0)].primary) == "/layers.0/act");
  CHECK(paths.Tag(auxiliary[range.begin]) == "/layers.1/act");
  CHECK(paths.Tag(auxiliary[range.begin + 1]) == "/layers.2/act");
}

TEST_CASE("a fused node has the modules of all that it was fused from") {
  testing::TestGraph model;
  model.Initializer("block.conv.weight", {4, 4, 3, 3});
  model.Node("FusedConv", {"x", "block.conv.weight"}, {"/block/relu/Relu_output_0"},
             "/block/conv/Conv");
  model.Node("Sigmoid", {"/block/relu/Relu_output_0"}, {"/gate/Sigmoid_output_0"}, "/gate/Sigmoid");
  const Graph& graph = model.Build();
  ModulePaths paths;
  const Evidence evidence = CollectEvidence(graph, {}, paths);
  const GraphAnalysis analysis(graph);
  Assignments assignments =
      InferOwners(analysis, evidence, CollectKnown(analysis.flow(), evidence, paths), paths);
  const std::vector<PathId> auxiliary = FindAuxiliary(analysis, evidence, paths, assignments);
  REQUIRE(auxiliary.size() == 1);
  CHECK(paths.Tag(assignments[NodeId(0)].primary) == "/block/conv");
  CHECK(assignments[NodeId(0)].auxiliary.size() == 1);
  CHECK(paths.Tag(auxiliary[0]) == "/block/relu");
}

}  // namespace
}  // namespace onnx_hier
