// SPDX-License-Identifier: Apache-2.0
#include "lib/owners/branches.h"

#include <string>
#include <vector>

#include "absl/strings/str_join.h"
#include "doctest/doctest.h"
#include "lib/graph/graph_analysis.h"
#include "tests/support/test_graph.h"

namespace onnx_hier {
namespace {

using testing::TestGraph;

// The strays, by the order of their nodes. A place that ends with "!" is an anchor.
std::string Strays(const GraphAnalysis& analysis, const std::vector<std::string>& places) {
  const Flow& flow = analysis.flow();
  ModulePaths paths;
  IdVector<Rank, PathId> place_of(flow.size());
  IdSet<Rank> is_anchored(flow.size());
  for (Rank rank : flow.ranks()) {
    std::string place = places[flow.node(rank).index()];
    if (place.empty()) continue;
    if (place.back() == '!') {
      is_anchored.Add(rank);
      place.pop_back();
    }
    place_of[rank] = paths.Parse(place);
  }
  std::vector<size_t> nodes;
  for (Rank rank : FindStrayBranches(flow, paths, place_of, is_anchored)) {
    nodes.push_back(flow.node(rank).index());
  }
  return absl::StrJoin(nodes, " ");
}

TEST_CASE("of two branches between a norm and a join, one shows no sign of its module") {
  TestGraph model;
  model.Input("x");
  model.Node("Mul", {"x"}, {"norm"});
  model.Node("MatMul", {"norm"}, {"q"});
  model.Node("Shape", {"q"}, {"size"});
  model.Node("Reshape", {"q", "size"}, {"attention"});
  model.Node("MatMul", {"norm"}, {"up"});
  model.Node("Relu", {"up"}, {"act"});
  model.Node("MatMul", {"act"}, {"down"});
  model.Node("Add", {"attention", "down"}, {"join"});
  const GraphAnalysis analysis(model.Build());
  CHECK(Strays(analysis, {"h.0.norm!", "h.0.mlp", "h.0.mlp", "h.0.mlp", "h.0.mlp!", "h.0.mlp",
                          "h.0.mlp!", "h.0"}) == "1 2 3");
  // A path through the module's own children counts.
  CHECK(Strays(analysis,
               {"h.0.norm!", "h.0", "h.0", "h.0", "h.0.mlp!", "h.0.mlp", "h.0.mlp!", "h.0"}) == "");
  // So does one to a join that is in the module.
  CHECK(Strays(analysis, {"h.0.norm!", "mlp", "mlp", "mlp", "mlp!", "mlp", "mlp!", "mlp"}) == "");
}

TEST_CASE("sizes alone make no branch") {
  TestGraph model;
  model.Input("x");
  model.Node("Shape", {"x"}, {"size"});
  model.Node("Cast", {"size"}, {"cast"});
  model.Node("MatMul", {"x"}, {"y"});
  model.Node("Reshape", {"y", "cast"}, {"z"});
  const GraphAnalysis analysis(model.Build());
  CHECK(Strays(analysis, {"a", "a", "a!", ""}) == "");
}

TEST_CASE("what is made of sizes does") {
  TestGraph model;
  model.Input("x");
  model.Node("Shape", {"x"}, {"size"});
  model.Node("ConstantOfShape", {"size"}, {"mask"});
  model.Node("Add", {"x", "mask"}, {"y"});
  const GraphAnalysis analysis(model.Build());
  CHECK(Strays(analysis, {"embeddings", "embeddings", "layer!"}) == "0 1");
}

TEST_CASE("nodes without a place are left alone") {
  TestGraph model;
  model.Input("x");
  model.Node("Relu", {"x"}, {"y"});
  model.Node("Relu", {"y"}, {"z"});
  const GraphAnalysis analysis(model.Build());
  CHECK(Strays(analysis, {"", ""}) == "");
  CHECK(Strays(analysis, {"a", ""}) == "0");
}

}  // namespace
}  // namespace onnx_hier
