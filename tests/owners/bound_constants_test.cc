// SPDX-License-Identifier: Apache-2.0
#include "lib/owners/bound_constants.h"

#include <string>

#include "absl/strings/str_cat.h"
#include "doctest/doctest.h"
#include "lib/owners/infer.h"
#include "tests/owners/place_text.h"
#include "tests/support/test_graph.h"

namespace onnx_hier {
namespace {

using testing::TestGraph;

std::string BoundOf(TestGraph& model) {
  const Flow flow(model.Build());
  std::string text;
  for (const BoundConstant& pair : FindBoundConstants(flow)) {
    absl::StrAppend(&text, pair.constant.index(), "-", pair.reader.index(), " ");
  }
  return text;
}

TEST_CASE("constants that stand right before their only reader are bound to it") {
  TestGraph model;
  model.Node("Constant", {}, {"far"});
  model.Node("Relu", {"x"}, {"a"});
  model.Node("Constant", {}, {"low"});
  model.Node("Constant", {}, {"high"});
  model.Node("Clip", {"a", "low", "high"}, {"b"});
  model.Node("Constant", {}, {"shared"});
  model.Node("Mul", {"b", "shared"}, {"c"});
  model.Node("Add", {"c", "shared"}, {"d"});
  model.Node("Constant", {}, {"squared"});
  model.Node("Mul", {"squared", "squared"}, {"e"});
  model.Node("Sub", {"d", "far"}, {"f"});
  model.Node("Constant", {}, {"unread"});
  CHECK(BoundOf(model) == "2-4 3-4 8-9 ");
}

TEST_CASE("a node is where the constant is that was made for it, and the other way round") {
  TestGraph model;
  model.Node("Relu", {"x"}, {"a"}, "/first/Relu");
  model.Node("Constant", {}, {"low"}, "/act/Constant");
  model.Node("Constant", {}, {"high"});
  model.Node("Clip", {"a", "low", "high"}, {"b"});
  model.Node("Relu", {"b"}, {"c"}, "/last/Relu");
  const Graph& graph = model.Build();
  ModulePaths paths;
  const Evidence evidence = CollectEvidence(graph, {}, paths);
  const NodeOwners assignments = testing::Infer(graph, evidence, paths);
  CHECK(testing::InferredPlaces(assignments, paths) == "first act act act last ");
  CHECK(assignments[NodeId(2)].method == Method::kReaders);
  CHECK(assignments[NodeId(3)].method == Method::kLocality);
}

}  // namespace
}  // namespace onnx_hier
