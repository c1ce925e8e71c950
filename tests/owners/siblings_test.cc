// SPDX-License-Identifier: Apache-2.0
#include "lib/owners/siblings.h"

#include <string>

#include "doctest/doctest.h"
#include "lib/graph/graph_analysis.h"
#include "tests/support/test_graph.h"

namespace onnx_hier {
namespace {

using testing::TestGraph;

// Adds what reads `input`: three products with weights of their own, and a fourth one with
// another operand, which is no sibling.
void AddProjections(TestGraph& model, const std::string& input, const std::string& layer,
                    int count) {
  for (int i = 0; i < count; ++i) {
    const std::string weight = layer + "w" + std::to_string(i);
    model.Initializer(weight, {4, 4});
    model.Node("MatMul", {input, weight}, {layer + "y" + std::to_string(i)});
  }
  model.Node("Softmax", {input}, {layer + "s"});
  model.Node("MatMul", {layer + "s", input}, {layer + "z"});
}

TEST_CASE("the first of three siblings with weights is no twin of another layer's second") {
  TestGraph model;
  model.Node("Relu", {"x"}, {"a"});
  AddProjections(model, "a", "first_", 3);  // 1 to 3, then 4 and 5
  model.Node("Relu", {"first_z"}, {"b"});
  AddProjections(model, "b", "second_", 3);  // 7 to 9, then 10 and 11
  model.Node("Relu", {"second_z"}, {"c"});
  AddProjections(model, "c", "third_", 2);  // 13 and 14
  const GraphAnalysis analysis(model.Build());
  const Siblings siblings(analysis.flow(), analysis.fingerprints());
  CHECK(siblings.MayBeTwins(Rank(1), Rank(7)));
  CHECK_FALSE(siblings.MayBeTwins(Rank(1), Rank(8)));
  CHECK_FALSE(siblings.MayBeTwins(Rank(3), Rank(7)));
  // Of other numbers of siblings nobody knows which is which.
  CHECK(siblings.MayBeTwins(Rank(1), Rank(14)));
  // What has no weight may be a part of the module around it, and is not told apart.
  CHECK(siblings.MayBeTwins(Rank(5), Rank(7)));
  CHECK(siblings.MayBeTwins(Rank(4), Rank(10)));
}

}  // namespace
}  // namespace onnx_hier
