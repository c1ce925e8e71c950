#include "lib/match/transferred_places.h"

#include <string>

#include "doctest/doctest.h"
#include "tests/match/contents.h"
#include "tests/support/status.h"
#include "tests/support/test_graph.h"

namespace onnx_hier {
namespace {

using testing::Contents;
using testing::TestGraph;
using testing::Value;

// Two convolutions with an activation between: modules "first", "act" and "second", in this order.
struct Original {
  Original() {
    model.Input("x").Initializer("w1", {4, 4, 3, 3});
    model.Initializer("w2", {4, 4, 3, 3});
    model.Node("Conv", {"x", "w1"}, {"a"}, "conv1");
    model.Node("Relu", {"a"}, {"b"}, "relu");
    model.Node("Conv", {"b", "w2"}, {"y"}, "conv2");
    model.Output("y");
    graph = &model.Build();
    annotation.assignments = Assignments(graph->node_count());
    size_t node = 0;
    for (const char* name : {"first", "act", "second"}) {
      annotation.assignments[NodeId(node++)].primary = annotation.paths.Parse(name);
    }
  }

  TestGraph model;
  const Graph* graph;
  Annotation annotation;
};

// The qualified names of where the nodes of `to` are put, with spaces between.
std::string Places(TestGraph& new_model) {
  Original original;
  const Graph& to = new_model.Build();
  Contents from_contents(*original.graph);
  Contents to_contents(to);
  const GraphMatch match = Value(MatchGraphs(*original.graph, from_contents, to, to_contents));
  ModulePaths paths;
  Evidence evidence;
  evidence.nodes.resize(to.node_count());
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
  CHECK(Places(quantised) == "first first first first act second");
}

TEST_CASE("what has no counterpart is not placed") {
  TestGraph other;
  other.Input("x").Node("Exp", {"x"}, {"e"}, "exp");
  other.Node("Relu", {"x"}, {"b"}, "relu");
  CHECK(Places(other) == "? act");
}

}  // namespace
}  // namespace onnx_hier
