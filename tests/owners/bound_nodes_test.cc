// SPDX-License-Identifier: Apache-2.0
#include "lib/owners/bound_nodes.h"

#include <string>

#include "absl/strings/str_cat.h"
#include "doctest/doctest.h"
#include "lib/graph/graph_analysis.h"
#include "tests/owners/place_text.h"
#include "tests/support/test_graph.h"

namespace onnx_hier {
namespace {

using testing::TestGraph;

std::string EndsOf(TestGraph& model) {
  const Flow flow(model.Build());
  const BoundNodes bound(flow);
  std::string text;
  for (Rank rank : flow.ranks()) {
    const Rank end = bound.end(rank);
    absl::StrAppend(&text, end.valid() ? absl::StrCat(end.index()) : "-", " ");
  }
  return text;
}

// The module of each node.
std::string PlacesIn(TestGraph& model) {
  const Graph& graph = model.Build();
  ModulePaths paths;
  const Evidence evidence = CollectEvidence(graph, {}, paths);
  return testing::InferredPlaces(testing::Infer(graph, evidence, paths), paths);
}

TEST_CASE("numbered values lead to the node that is called as the call is") {
  TestGraph model;
  model.Input("x");
  model.Node("MatMul", {"x", "w"}, {"val_1"}, "node_MatMul_1");
  model.Node("Add", {"val_1", "b"}, {"linear"}, "node_linear");
  model.Node("Reshape", {"linear", "s"}, {"val_2"}, "node_Reshape_2");
  model.Node("Shape", {"val_2"}, {"val_3"}, "node_Shape_3");
  model.Node("Reshape", {"val_2", "val_3"}, {"group_norm"}, "node_group_norm");
  model.Node("Shape", {"group_norm"}, {"val_4"}, "node_Shape_4");
  model.Node("Reshape", {"linear", "val_4"}, {"view"}, "node_view");
  model.Node("Reshape", {"group_norm", "val_4"}, {"view_1"}, "node_view_1");
  model.Node("Sum", {"view", "view_1"}, {"val_5"}, "node_Sum_5");
  CHECK(EndsOf(model) == "1 1 4 4 4 - 6 7 - ");
}

TEST_CASE("the outputs of one call are one call") {
  TestGraph model;
  model.Input("x");
  model.Node("Identity", {"x"}, {"val_1"}, "node_LSTM_1");
  model.Node("Transpose", {"val_1"}, {"getitem"}, "node_lstm__0");
  model.Node("Squeeze", {"val_1"}, {"getitem_1"}, "node_lstm__1");
  model.Node("Squeeze", {"x"}, {"other"}, "node_lstm__x");
  CHECK(EndsOf(model) == "2 2 2 3 ");
}

TEST_CASE("nodes that are called as what they make are ends of calls, where no number is left") {
  TestGraph model;
  model.Input("x");
  model.Node("Reshape", {"x", "s"}, {"gemm_input_reshape_arg"}, "gemm_input_reshape");
  model.Node("Gemm", {"gemm_input_reshape_arg", "w"}, {"gemm_output_reshape_arg"}, "fused");
  model.Node("Reshape", {"gemm_output_reshape_arg", "s"}, {"linear"}, "gemm_output_reshape");
  SUBCASE("as an exporter calls them") {
    model.Node("Relu", {"linear"}, {"relu_1"}, "node_relu_1");
    CHECK(EndsOf(model) == "2 2 2 3 ");
  }
  SUBCASE("not if they are called after ONNX operators") {
    model.Node("Relu", {"linear"}, {"relu_1"}, "node_Relu_1");
    CHECK(EndsOf(model) == "- - - - ");
  }
}

TEST_CASE("files whose values are called otherwise have no calls") {
  TestGraph model;
  model.Input("x");
  model.Node("MatMul", {"x", "w"}, {"val_x"}, "node_MatMul_1");
  model.Node("Add", {"val_x", "b"}, {"val_"}, "node_Add_1");
  CHECK(EndsOf(model) == "- - ");
}

TEST_CASE("all of a call is where its parameters are") {
  TestGraph model;
  model.Input("x");
  model.Initializer("a.fc.bias", {4});
  model.Initializer("val_9", {4, 4});
  model.Node("MatMul", {"x", "val_9"}, {"val_1"}, "node_MatMul_1");
  model.Node("Cast", {"val_1"}, {"val_2"}, "node_Cast_2");
  model.Node("Add", {"val_2", "a.fc.bias"}, {"val_3"}, "node_Add_3");
  model.Node("Cast", {"val_3"}, {"linear"}, "node_linear");
  CHECK(PlacesIn(model) == "a.fc a.fc a.fc a.fc ");
}

// Blocks of a convolution whose weight nobody owns, between what turns its input around and back, a
// norm and an activation; `numbered`: how the values inside of a call are called, `prefix`: what
// nodes have in front of these names.
std::string PlacesInBlocks(absl::string_view numbered, absl::string_view prefix) {
  TestGraph model;
  model.Input("x");
  std::string x = "x";
  for (int i = 0; i < 3; ++i) {
    const auto name = [i](absl::string_view of) { return absl::StrCat(of, "_", i); };
    const auto node = [&](absl::string_view op, const TestGraph::Names& inputs,
                          const std::string& output) {
      model.Node(op, inputs, {output}, absl::StrCat(prefix, output));
    };
    const std::string weight = absl::StrCat("blocks.", i, ".norm.weight");
    model.Initializer(weight, {4});
    model.Initializer(name("kernel"), {4, 4, 1});
    node("Transpose", {x}, name("transpose"));
    node("Conv", {name("transpose"), name("kernel")}, name("conv"));
    node("Transpose", {name("conv")}, name("back"));
    node("LayerNormalization", {name("back"), weight}, name("layer_norm"));
    node("Erf", {name("layer_norm")}, name(numbered));
    node("Mul", {name("layer_norm"), name(numbered)}, name("gelu"));
    node("Add", {name("gelu"), x}, name("add"));
    x = name("add");
  }
  return PlacesIn(model);
}

TEST_CASE("a module without others does no more than the call that reads its parameters") {
  for (const char* prefix : {"node_", "n_"}) {
    const std::string told_apart = PlacesInBlocks("val", prefix);
    CHECK(told_apart.find("blocks.1.norm") == told_apart.rfind("blocks.1.norm"));
  }
  const std::string by_nodes = PlacesInBlocks("tmp", "node_");
  CHECK(by_nodes.find("blocks.1.norm") == by_nodes.rfind("blocks.1.norm"));
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
  CHECK(EndsOf(model) == "- - 4 4 4 - - - 9 9 - - ");
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
