// SPDX-License-Identifier: Apache-2.0
#include "doctest/doctest.h"
#include "onnx_hier/tags.h"
#include "tests/support/test_graph.h"

namespace onnx_hier {
namespace {

using testing::TestGraph;

TEST_CASE("each nameless node is called after its operator and its number in the file") {
  TestGraph model;
  model.Node("Relu", {"x"}, {"a"}, "/act/Relu");
  const NodeId choose = model.Node("If", {"c"}, {"b"});
  model.In(model.Subgraph(choose, "then_branch")).Node("Neg", {"a"}, {"t"});
  model.In(model.Subgraph(choose, "else_branch")).Node("Neg", {"a"}, {"t"});
  model.In(model.Function("d", "F")).Node("Exp", {"i"}, {"o"});
  const GivenNames names(model.Build());
  CHECK(names.size() == 4);
  CHECK(names[NodeId(0)] == "");
  CHECK(names[NodeId(1)] == "If_1");
  CHECK(names[NodeId(2)] == "Neg_2");
  CHECK(names[NodeId(3)] == "Neg_3");
  CHECK(names[NodeId(4)] == "Exp_4");
}

TEST_CASE("names that are there stay, and nobody gets them") {
  TestGraph model;
  model.Node("Relu", {"x"}, {"a"});
  model.Node("Neg", {"a"}, {"b"}, "twice");
  model.Node("Relu", {"b"}, {"c"});
  model.Node("Neg", {"c"}, {"d"}, "twice");
  model.Node("Neg", {"d"}, {"e"}, "Relu_0");
  model.Node("Neg", {"e"}, {"f"}, "Relu_6");
  const GivenNames names(model.Build());
  CHECK(names.size() == 2);
  // Not Relu_0, which is there, and not Relu_6, the first one that is no node's number.
  CHECK(names[NodeId(0)] == "Relu_7");
  CHECK(names[NodeId(1)] == "");
  CHECK(names[NodeId(2)] == "Relu_2");
}

TEST_CASE(
    "names that several nodes share get a number, but for the first one, where that is asked") {
  TestGraph model;
  model.Node("Neg", {"x"}, {"a"}, "/l/twice");
  model.Node("Neg", {"a"}, {"b"}, "/l/twice");
  model.Node("Neg", {"b"}, {"c"}, "/l/twice_1");
  model.Node("Relu", {"c"}, {"d"});
  model.Node("Neg", {"d"}, {"e"}, "/l/twice");
  const GivenNames names(model.Build(), NamedNodes::kUnnamedAndShared);
  CHECK(names.size() == 3);
  CHECK(names[NodeId(0)] == "");
  CHECK(names[NodeId(1)] == "/l/twice_5");  // /l/twice_1 is there
  CHECK(names[NodeId(2)] == "");
  CHECK(names[NodeId(3)] == "Relu_3");
  CHECK(names[NodeId(4)] == "/l/twice_4");
}

// Or the parameter would seem to be named after an operator, and not after a module.
TEST_CASE("no node is called like what holds a parameter") {
  TestGraph model;
  model.Initializer("Gemm_0.weight", {4, 4});
  model.Node("Gemm", {"x", "Gemm_0.weight"}, {"y"});
  CHECK(GivenNames(model.Build())[NodeId(0)] == "Gemm_1");
}

TEST_CASE("where all nodes have names, none is given") {
  TestGraph model;
  model.Node("Relu", {"x"}, {"y"}, "n");
  const GivenNames names(model.Build());
  CHECK(names.size() == 0);
  CHECK(names[NodeId(0)] == "");
}

}  // namespace
}  // namespace onnx_hier
