// SPDX-License-Identifier: Apache-2.0

// Bodies of local functions belong where they are called.
#include <string>
#include <vector>

#include "doctest/doctest.h"
#include "tests/owners/place_text.h"
#include "tests/support/test_graph.h"

namespace onnx_hier {
namespace {

using testing::Places;
using testing::TestGraph;

TEST_CASE("a body that is called once is in the module of its call") {
  TestGraph model;
  model.Initializer("block.fc.weight", {4, 4});
  model.Node("Block", {"x", "block.fc.weight"}, {"y"}, "/block/Block", "my.models");
  const BlockId body = model.Function("my.models", "Block");
  model.builder().AddInput(body, "in");
  model.builder().AddInput(body, "w");
  model.In(body).Node("Gemm", {"in", "w"}, {"h"}, "Gemm_0");
  model.Node("Relu", {"h"}, {"out"}, "Relu_1");
  CHECK(Places(model.Build()) == "block | block.fc | block");
}

TEST_CASE("a call in the model itself of what is no module's function says nothing") {
  TestGraph model;
  model.Initializer("block.fc.weight", {4, 4});
  model.Node("aten_relu", {"x"}, {"y"}, "aten_relu_1", "pkg.onnxscript.torch_lib");
  model.Node("Gemm", {"y", "block.fc.weight"}, {"z"}, "Gemm_2");
  const BlockId body = model.Function("pkg.onnxscript.torch_lib", "aten_relu");
  model.builder().AddInput(body, "in");
  model.In(body).Node("Relu", {"in"}, {"out"}, "n0");
  CHECK(Places(model.Build()) == "? | ? | ?");
}

TEST_CASE("a body that is called from several modules is in what contains them") {
  TestGraph model;
  model.Initializer("net.layer.0.fc.weight", {4, 4});
  model.Initializer("net.layer.1.fc.weight", {4, 4});
  model.Node("Layer", {"x", "net.layer.0.fc.weight"}, {"y"}, "/net/layer.0/Layer", "my");
  model.Node("Layer", {"y", "net.layer.1.fc.weight"}, {"z"}, "/net/layer.1/Layer", "my");
  const BlockId body = model.Function("my", "Layer");
  model.builder().AddInput(body, "in");
  model.builder().AddInput(body, "w");
  model.In(body).Node("Gemm", {"in", "w"}, {"h"}, "Gemm_0");
  // `layer` is a list, which is never called: `net` is the nearest module that is.
  CHECK(Places(model.Build()) == "net.layer.0 | net.layer.1 | net");
}

TEST_CASE("names of functions tell how far out a call is") {
  TestGraph model;
  model.Initializer("model.layers.0.attn.q.weight", {4, 4});
  const char* layer = "my_Layer_model_layers_0_1";
  const char* query = "torch_nn_modules_linear_Linear_model_layers_0_attn_q_1";
  const char* act = "torch_nn_modules_activation_ReLU_model_layers_0_act_1";
  model.Node(layer, {"x", "model.layers.0.attn.q.weight"}, {"y"}, "", "pkg.my");
  const BlockId outer = model.Function("pkg.my", layer);
  model.builder().AddInput(outer, "in");
  model.builder().AddInput(outer, "w");
  model.In(outer).Node(query, {"in", "w"}, {"h"}, "", "pkg.torch");
  model.Node(act, {"h"}, {"out"}, "", "pkg.torch");
  const BlockId inner = model.Function("pkg.torch", query);
  model.builder().AddInput(inner, "in");
  model.builder().AddInput(inner, "w");
  model.In(inner).Node("MatMul", {"in", "w"}, {"out"}, "n0");
  model.Function("pkg.torch", act);
  model.Function("pkg.onnxscript.torch_lib", "aten_relu");
  CHECK(Places(model.Build()) ==
        "model.layers.0 | model.layers.0.attn.q | model.layers.0.act | model.layers.0.attn.q");
}

TEST_CASE("a function's name joins names by underscores, and counts its module's calls") {
  TestGraph model;
  model.Initializer("mid_block.mlp.fc1.weight", {4, 4});
  const std::string getattr = "_getattr_L__self___mid_block_mlp";
  const std::string mlp = "my_Mlp" + getattr + "_1";
  const std::string again = "my_Mlp" + getattr + "_2";
  const std::string act = "torch_nn_modules_activation_ReLU" + getattr + "_act_fn_1";
  const std::string act_again = "torch_nn_modules_activation_ReLU" + getattr + "_act_fn_2";
  for (const std::string& name : {mlp, again}) {
    const std::string& inner = name == mlp ? act : act_again;
    model.Node(name, {name == mlp ? "x" : "y", "mid_block.mlp.fc1.weight"},
               {name == mlp ? "y" : "z"}, "", "pkg.my");
    const BlockId body = model.Function("pkg.my", name);
    model.builder().AddInput(body, "in");
    model.builder().AddInput(body, "w");
    model.In(body).Node("Neg", {"in"}, {"h"}, "n0");
    model.In(body).Node(inner, {"h"}, {"out"}, "", "pkg.torch");
    const BlockId relu = model.Function("pkg.torch", inner);
    model.builder().AddInput(relu, "in");
    model.In(relu).Node("Relu", {"in"}, {"out"}, "n0");
  }
  CHECK(Places(model.Build()) ==
        "mid_block.mlp | mid_block.mlp | mid_block.mlp.act_fn | mid_block.mlp.act_fn | "
        "mid_block.mlp#1 | mid_block.mlp#1 | mid_block.mlp.act_fn#1 | mid_block.mlp.act_fn#1");
}

TEST_CASE("where each module is a function, what is in none is the model's own") {
  TestGraph model;
  model.Initializer("fc.weight", {4, 4});
  model.Node("my_Linear_fc_1", {"x", "fc.weight"}, {"y"}, "", "pkg.my");
  model.Node("Relu", {"y"}, {"out"}, "n1");
  const BlockId body = model.Function("pkg.my", "my_Linear_fc_1");
  model.builder().AddInput(body, "in");
  model.builder().AddInput(body, "w");
  model.In(body).Node("Gemm", {"in", "w"}, {"h"}, "n0");
  CHECK(Places(model.Build()) == "fc |  | fc");
}

TEST_CASE("a call's own name says what it calls, if nobody gave it one") {
  TestGraph model;
  constexpr char kGiven[] = R"({"hierarchy_tags":["/Dense"],"name":null})";
  model.Node("Dense", {"x"}, {"a"}, "", "custom");
  model.Node("Dense", {"a"}, {"b"}, "Dense_1", "custom");
  const NodeId named = model.Node("Dense", {"b"}, {"c"}, "Dense_2", "custom");
  model.builder().SetDocString(named, kGiven);
  const NodeId renamed = model.Node("Dense", {"c"}, {"d"}, "head", "custom");
  model.builder().SetDocString(renamed, kGiven);
  model.Function("custom", "Dense");
  CHECK(Places(model.Build()) == "Dense | Dense_1 | Dense | head");
}

TEST_CASE("functions that call each other are left alone") {
  TestGraph model;
  model.Node("F", {"x"}, {"y"}, "", "d");
  model.In(model.Function("d", "F")).Node("G", {"a"}, {"b"}, "", "d");
  model.In(model.Function("d", "G")).Node("F", {"a"}, {"b"}, "", "d");
  CHECK(Places(model.Build()) == "? | ? | ?");
}

}  // namespace
}  // namespace onnx_hier
