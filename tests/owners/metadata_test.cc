// SPDX-License-Identifier: Apache-2.0
#include <string>

#include "absl/strings/str_cat.h"
#include "doctest/doctest.h"
#include "lib/names/readable_graph.h"
#include "tests/owners/place_text.h"
#include "tests/support/test_graph.h"

namespace onnx_hier {
namespace {

using testing::Places;
using testing::ReadablePlaces;
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

// A layer as torch.export's exporter writes it, behind a prefix.
void AddLayer(TestGraph& model, const std::string& front) {
  model.Initializer(front + "layer.0.conv.weight", {4, 4, 1, 1});
  const NodeId conv = model.Node("Conv", {front + "x", front + "layer.0.conv.weight"},
                                 {front + "conv2d"}, front + "node_Conv_1");
  model.Metadata(conv, "pkg.torch.onnx.name_scopes", "['', 'layer.0', 'layer.0.conv', 'conv2d']");
  const NodeId relu = model.Node("Relu", {front + "conv2d"}, {front + "relu"}, front + "node_relu");
  model.Metadata(relu, "pkg.torch.onnx.name_scopes", "['', 'layer.0', 'layer.0.act', 'relu']");
}

TEST_CASE("models that were joined have modules of their own, though metadata knows no prefix") {
  TestGraph model;
  AddLayer(model, "enc_");
  AddLayer(model, "dec_");
  CHECK(ReadablePlaces(model.Build()) ==
        "enc.layer.0.conv | enc.layer.0.act | dec.layer.0.conv | dec.layer.0.act");
  TestGraph with_bare;
  AddLayer(with_bare, "");
  AddLayer(with_bare, "post/");
  CHECK(ReadablePlaces(with_bare.Build()) ==
        "layer.0.conv | layer.0.act | post.layer.0.conv | post.layer.0.act");
}

TEST_CASE("each of several models is read in its own grammar") {
  TestGraph model;
  AddLayer(model, "enc_");
  model.Initializer("dec_net.fc.weight", {4, 4});
  model.Node("MatMul", {"enc_relu", "dec_net.fc.weight"}, {"dec_/net/fc/MatMul_output_0"},
             "dec_/net/fc/MatMul");
  model.Node("Add", {"dec_/net/fc/MatMul_output_0", "dec_x"}, {"dec_/Add_output_0"}, "dec_/Add");
  CHECK(ReadablePlaces(model.Build()) == "enc.layer.0.conv | enc.layer.0.act | dec.net.fc | dec");
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
