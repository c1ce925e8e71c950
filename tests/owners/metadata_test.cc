// SPDX-License-Identifier: Apache-2.0
#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "doctest/doctest.h"
#include "lib/names/readable_graph.h"
#include "tests/owners/place_text.h"
#include "tests/support/test_graph.h"

namespace onnx_hier {
namespace {

using testing::Places;
using testing::TestGraph;

NodeId Node(TestGraph& model, const std::string& op, const std::string& in, const std::string& out,
            const std::string& scopes) {
  const NodeId node = model.Node(op, {in}, {out}, absl::StrCat("node_", op));
  if (!scopes.empty()) {
    model.Metadata(node, "pkg.torch.onnx.name_scopes", model.Keep(scopes));
  }
  return node;
}

TEST_CASE("metadata names the module; a node without it is left open") {
  TestGraph model;
  Node(model, "Conv", "x", "a", "['', 'layer.0', 'layer.0.conv', 'conv2d']");
  Node(model, "Relu", "a", "b", "");
  Node(model, "Add", "b", "c", "['', 'add']");
  CHECK(Places(model.Build()) == "layer.0.conv | ? | ");
}

TEST_CASE("a fused node without its metadata is where a builder's name of its value says") {
  TestGraph model;
  const auto built = [&](const char* op, const char* in, const char* out) {
    const NodeId node = model.Node(op, {in}, {out});
    model.Metadata(node, "pkg.onnxscript.name_scopes", "['', 'model', 'layers.0', 'mlp']");
  };
  built("MatMul", "x", "v_model.layers.0.mlp.MatMul_1");
  built("Relu", "v_model.layers.0.mlp.MatMul_1", "v_model.layers.0.mlp.Relu_2");
  model.Node("SkipNorm", {"v_model.layers.0.mlp.Relu_2"}, {"v_model.layers.0.norm.Mul_9"},
             "SkipNorm_0");
  const Graph graph = model.Build();
  const ReadableGraph readable(graph);
  CHECK(Places(readable.graph()) ==
        "model.layers.0.mlp | model.layers.0.mlp | model.layers.0.norm");
}

TEST_CASE("metadata says nothing of calls") {
  TestGraph model;
  Node(model, "Conv", "x", "a", "['', 'conv1', 'conv2d']");
  Node(model, "Relu", "a", "b", "['', 'relu', 'relu']");
  Node(model, "Conv", "b", "c", "['', 'conv2', 'conv2d_1']");
  Node(model, "Relu", "c", "d", "['', 'relu', 'relu_1']");
  CHECK(Places(model.Build()) == "conv1 | relu | conv2 | relu");
}

}  // namespace
}  // namespace onnx_hier
