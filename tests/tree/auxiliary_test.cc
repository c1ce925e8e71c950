// SPDX-License-Identifier: Apache-2.0
#include "lib/tree/auxiliary.h"

#include "doctest/doctest.h"
#include "lib/owners/infer.h"
#include "tests/support/layered_model.h"
#include "tests/support/test_graph.h"

namespace onnx_hier {
namespace {

using testing::LayeredModel;

// What is found in a graph, with all that it refers to.
struct Found {
  explicit Found(const Graph& graph) {
    const Evidence evidence = CollectEvidence(graph, {}, paths);
    const GraphAnalysis analysis(graph);
    assignments =
        InferOwners(analysis, evidence, CollectKnown(analysis.flow(), evidence, paths), paths)
            .Take();
    auxiliary = FindAuxiliary(analysis, evidence, paths, assignments);
  }

  ModulePaths paths;
  Assignments assignments;
  std::vector<PathId> auxiliary;
};

TEST_CASE("a join lists the modules that meet in it, be they in its own") {
  const LayeredModel model(2, [](size_t) { return true; });
  const Found found(model.graph());
  const Range range = found.assignments[NodeId(15)].auxiliary;  // layers.1, the first Add
  REQUIRE(range.size() == 2);
  CHECK(found.paths.Tag(found.auxiliary[range.begin]) == "/layers.1/attention");
  CHECK(found.paths.Tag(found.auxiliary[range.begin + 1]) == "/layers.0");
}

TEST_CASE("one Constant of all layers lists those that read it") {
  testing::TestGraph model;
  model.Node("Constant", {}, {"c"}, "/layers.0/act/Constant");
  model.Node("Mul", {"x", "c"}, {"a"}, "/layers.0/act/Mul");
  model.Node("Mul", {"a", "c"}, {"b"}, "/layers.1/act/Mul");
  model.Node("Mul", {"b", "c"}, {"d"}, "/layers.2/act/Mul");
  const Found found(model.Build());
  const Range range = found.assignments[NodeId(0)].auxiliary;
  REQUIRE(range.size() == 2);
  CHECK(found.paths.Tag(found.assignments[NodeId(0)].primary) == "/layers.0/act");
  CHECK(found.paths.Tag(found.auxiliary[range.begin]) == "/layers.1/act");
  CHECK(found.paths.Tag(found.auxiliary[range.begin + 1]) == "/layers.2/act");
}

TEST_CASE("a fused node has the modules of all that it was fused from") {
  testing::TestGraph model;
  model.Initializer("block.conv.weight", {4, 4, 3, 3});
  model.Node("FusedConv", {"x", "block.conv.weight"}, {"/block/relu/Relu_output_0"},
             "/block/conv/Conv");
  model.Node("Sigmoid", {"/block/relu/Relu_output_0"}, {"/gate/Sigmoid_output_0"}, "/gate/Sigmoid");
  const Found found(model.Build());
  REQUIRE(found.auxiliary.size() == 1);
  CHECK(found.paths.Tag(found.assignments[NodeId(0)].primary) == "/block/conv");
  CHECK(found.assignments[NodeId(0)].auxiliary.size() == 1);
  CHECK(found.paths.Tag(found.auxiliary[0]) == "/block/relu");
}

}  // namespace
}  // namespace onnx_hier
