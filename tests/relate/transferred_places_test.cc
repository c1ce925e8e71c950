// SPDX-License-Identifier: Apache-2.0
#include "lib/relate/transferred_places.h"

#include <string>
#include <vector>

#include "doctest/doctest.h"
#include "tests/relate/contents.h"
#include "tests/support/status.h"
#include "tests/support/test_graph.h"

namespace onnx_hier {
namespace {

using testing::Contents;
using testing::TestGraph;
using testing::Value;

struct Original {
  // The owners of the nodes, in order.
  void Own(const std::vector<const char*>& owners) {
    graph = &model.Build();
    annotation.assignments = Assignments(graph->node_count());
    for (NodeId node : graph->node_ids()) {
      annotation.assignments[node].primary = annotation.paths.Parse(owners[node.index()]);
    }
  }

  TestGraph model;
  const Graph* graph = nullptr;
  Annotation annotation;
};

void MakeConvolutions(Original& original) {
  TestGraph& model = original.model;
  model.Input("x").Initializer("w1", {4, 4, 3, 3});
  model.Initializer("w2", {4, 4, 3, 3});
  model.Node("Conv", {"x", "w1"}, {"a"}, "conv1");
  model.Node("Relu", {"a"}, {"b"}, "relu");
  model.Node("Conv", {"b", "w2"}, {"y"}, "conv2");
  model.Output("y");
  original.Own({"first", "act", "second"});
}

// The qualified names of where the nodes of `to` are put, with spaces between.
std::string Places(const Original& original, TestGraph& new_model) {
  const Graph& to = new_model.Build();
  Contents from_contents(*original.graph);
  Contents to_contents(to);
  const GraphMatch match = Value(MatchGraphs(*original.graph, from_contents, to, to_contents));
  ModulePaths paths;
  Evidence evidence = CollectEvidence(to, {}, paths);
  PlaceTransferred(match, original.annotation, to, paths, evidence);
  std::string text;
  for (const NodeEvidence& node : evidence.nodes) {
    text += (text.empty() ? "" : " ") +
            (node.place.valid() ? paths.QualifiedName(node.place) : std::string("?"));
  }
  return text;
}

TEST_CASE("nodes that were put in are where the operator with the weight is") {
  TestGraph quantised;
  quantised.Input("x").Initializer("w1", {4, 4, 3, 3});
  quantised.Initializer("w2", {4, 4, 3, 3});
  quantised.Node("QuantizeLinear", {"x"}, {"q"});
  quantised.Node("DequantizeLinear", {"q"}, {"d"});
  quantised.Node("Conv", {"d", "w1"}, {"a_16"}, "conv1");
  quantised.Node("Cast", {"a_16"}, {"a_32"});
  quantised.Node("Relu", {"a_32"}, {"b"}, "relu");
  quantised.Node("Conv", {"b", "w2"}, {"y"}, "conv2");
  Original original;
  MakeConvolutions(original);
  CHECK(Places(original, quantised) == "first first first first act second");
}

TEST_CASE("what was made of weights of several modules is in what holds these") {
  Original original;
  TestGraph& model = original.model;
  model.Input("x");
  for (const char* name : {"q", "k", "v"}) model.Initializer(name, {4, 4});
  model.Node("LayerNormalization", {"x"}, {"n"}, "norm");
  model.Node("MatMul", {"n", "q"}, {"a"}, "query");
  model.Node("MatMul", {"n", "k"}, {"b"}, "key");
  model.Node("MatMul", {"n", "v"}, {"c"}, "value");
  model.Node("MatMul", {"a", "b"}, {"d"}, "scores");
  model.Node("Softmax", {"d"}, {"e"}, "softmax");
  model.Node("MatMul", {"e", "c"}, {"y"}, "context");
  model.Output("y");
  original.Own({"norm", "self.query", "self.key", "self.value", "self", "self", "self"});
  TestGraph fused;
  fused.Input("x").Initializer("qkv", {4, 12});
  fused.Node("LayerNormalization", {"x"}, {"n"}, "norm");
  fused.Node("Attention", {"n", "qkv"}, {"y"}, "Attention");
  fused.Output("y");
  CHECK(Places(original, fused) == "norm self");
}

TEST_CASE("what has no counterpart is not placed") {
  TestGraph other;
  other.Input("x").Node("Exp", {"x"}, {"e"}, "exp");
  other.Node("Relu", {"x"}, {"b"}, "relu");
  Original original;
  MakeConvolutions(original);
  CHECK(Places(original, other) == "? act");
}

TEST_CASE("what a call became is in the module that called, or where its parameters say") {
  Original original;
  original.model.Input("x").Initializer("block.0.fc.weight", {4, 4});
  original.model.Node("Layer", {"x", "block.0.fc.weight"}, {"y"}, "call", "own");
  original.model.Output("y").In(original.model.Function("own", "Layer"));
  original.model.Node("MatMul", {"i", "w"}, {"m"});
  original.model.Node("Relu", {"m"}, {"o"});
  original.Own({"block.0", "", ""});
  TestGraph inlined;
  inlined.Input("x").Initializer("block.0.fc.weight", {4, 4});
  inlined.Node("MatMul", {"x", "block.0.fc.weight"}, {"m"});
  inlined.Node("Relu", {"m"}, {"r"});
  inlined.Node("Exp", {"r"}, {"y"});
  inlined.Output("y");
  CHECK(Places(original, inlined) == "? block.0 block.0");
}

}  // namespace
}  // namespace onnx_hier
