// SPDX-License-Identifier: Apache-2.0

// What the names of nodes, values and parameters say together.
#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "doctest/doctest.h"
#include "tests/owners/place_text.h"
#include "tests/support/test_graph.h"

namespace onnx_hier {
namespace {

using testing::Owners;
using testing::Places;
using testing::ReadablePlaces;
using testing::TestGraph;

TEST_CASE("a parent that was never called shows in the parameters alone") {
  TestGraph model;
  model.Initializer("model.decoder.fc.weight", {4, 4});
  model.Node("Shape", {"x"}, {"s"}, "/decoder/Shape");
  model.Node("MatMul", {"x", "model.decoder.fc.weight"}, {"h"}, "/decoder/fc/MatMul");
  model.Node("Relu", {"h"}, {"y"}, "/decoder/act/Relu");
  model.Node("Add", {"y", "x"}, {"z"}, "/Add");
  CHECK(Places(model.Build()) == "model.decoder | model.decoder.fc | model.decoder.act | ");
}

TEST_CASE("two modules that are printed alike are in containers that nothing names") {
  TestGraph model;
  model.Initializer("onnx::MatMul_1", {4, 2});
  model.Initializer("onnx::MatMul_2", {2, 4});
  model.Node("MatMul", {"x", "onnx::MatMul_1"}, {"a"}, "/q_proj/default/MatMul");
  model.Node("MatMul", {"a", "onnx::MatMul_2"}, {"b"}, "/q_proj/default_1/MatMul");
  model.Node("Add", {"b", "x"}, {"y"}, "/q_proj/Add");
  CHECK(Places(model.Build()) == "q_proj | q_proj | q_proj");
  // Elsewhere one of the two may have lost its name, or be fused with what follows.
  TestGraph lost;
  for (const char* weight :
       {"onnx::MatMul_1", "onnx::MatMul_2", "onnx::MatMul_3", "onnx::MatMul_4"})
    lost.Initializer(weight, {4, 4});
  lost.Node("MatMul", {"x", "onnx::MatMul_1"}, {"a"}, "/q_proj/default/MatMul");
  lost.Node("FusedMatMul", {"a", "onnx::MatMul_2"}, {"/q_proj/Mul_output_0"},
            "/q_proj/default_1/MatMul/MatMulScaleFusion/", "com.microsoft");
  lost.Node("MatMul", {"/q_proj/Mul_output_0", "onnx::MatMul_3"}, {"c"}, "/v_proj/default/MatMul");
  lost.Node("MatMul", {"c", "onnx::MatMul_4"}, {"d"});
  CHECK(Places(lost.Build()) == "q_proj | q_proj | v_proj | ?");
  TestGraph named;
  named.Initializer("q_proj.default.weight", {4, 2});
  named.Initializer("q_proj.default_1.weight", {2, 4});
  named.Node("MatMul", {"x", "q_proj.default.weight"}, {"a"}, "/q_proj/default/MatMul");
  named.Node("MatMul", {"a", "q_proj.default_1.weight"}, {"b"}, "/q_proj/default_1/MatMul");
  CHECK(Places(named.Build()) == "q_proj.default | q_proj.default_1");
}

TEST_CASE("a list that is printed again with other weights is in containers that nothing names") {
  const auto places = [](const char* second_weight) {
    TestGraph model;
    model.Initializer("onnx::Conv_1", {4, 8, 3, 3});
    model.Initializer("onnx::Conv_2", {4, 4, 3, 3});
    model.Initializer("onnx::Conv_3", {4, 8, 3, 3});
    model.Node("Conv", {"x", "onnx::Conv_1"}, {"a"}, "/conv/conv.0/Conv");
    model.Node("Relu", {"a"}, {"b"}, "/conv/conv.1/Relu");
    model.Node("Conv", {"b", second_weight}, {"c"}, "/conv/conv.0_1/Conv");
    model.Node("Relu", {"c"}, {"d"}, "/conv/conv.1_1/Relu");
    model.Node("Add", {"d", "x"}, {"y"}, "/conv2/Add");
    return Places(model.Build());
  };
  // "ups.0.conv.0" and "ups.1.conv.0" are printed so: no module is called conv.0.
  CHECK(places("onnx::Conv_2") == " |  |  |  | conv2");
  const std::string calls = "conv.0 | conv.1 | conv.0#1 | conv.1#1 | conv2";
  CHECK(places("onnx::Conv_1") == calls);
  // An exporter that folds a batch norm into a weight does so for each call.
  CHECK(places("onnx::Conv_3") == calls);
}

TEST_CASE("weights that are read through a DequantizeLinear tell modules apart") {
  TestGraph model;
  for (const char* weight : {"onnx::MatMul_1", "onnx::MatMul_2"}) {
    const std::string name(weight);
    model.Initializer(name + "_quantized", {4, 4});
    model.Initializer(name + "_scale", {});
    model.Node("DequantizeLinear", {name + "_quantized", name + "_scale"}, {name});
  }
  model.Node("MatMul", {"x", "onnx::MatMul_1"}, {"a"}, "/q_proj/default/MatMul");
  model.Node("MatMul", {"a", "onnx::MatMul_2"}, {"b"}, "/q_proj/default_1/MatMul");
  model.Node("Add", {"b", "x"}, {"y"}, "/q_proj/Add");
  CHECK(Places(model.Build()) == "q_proj | q_proj | q_proj | q_proj | q_proj");
}

TEST_CASE("a node without a scope that is called like a module is in it") {
  TestGraph model;
  model.Node("Conv", {"x"}, {"y"}, "conv2d_4");
  model.Node("Relu", {"y"}, {"conv2d_4/Relu:0"}, "Relu");
  model.Node("MaxPool", {"conv2d_4/Relu:0"}, {"z"}, "pool");
  CHECK(Places(model.Build()) == "conv2d_4 | conv2d_4 | ?");
}

TEST_CASE("in a branch of whose names none has a scope, having none says nothing") {
  TestGraph model;
  for (const char* name : {"encoder.weight", "decoder.weight"}) model.Initializer(name, {4, 4});
  const NodeId choose = model.Node("If", {"c"}, {"z"}, "/If");
  const BlockId first = model.Subgraph(choose, "then_branch");
  model.In(first).Node("MatMul", {"x", "encoder.weight"}, {"a"}, "/MatMul");
  model.In(first).Node("Relu", {"a"}, {"b"}, "/Relu");
  const BlockId second = model.Subgraph(choose, "else_branch");
  model.In(second).Node("MatMul", {"x", "decoder.weight"}, {"d"}, "/decoder/MatMul");
  model.In(second).Node("Relu", {"d"}, {"e"}, "/Relu_1");
  // Without a parameter of a module the root may well be meant.
  const NodeId again = model.Node("If", {"c"}, {"y"}, "/If_1");
  model.In(model.Subgraph(again, "then_branch")).Node("Relu", {"x"}, {"f"}, "/Relu_2");
  CHECK(Places(model.Build()) == " | ? | ? | decoder |  |  | ");
}

// Two layers of a transformer whose container is not printed, and a head that is, with one vector
// for all of their biases.
void AddMergedLayers(TestGraph& model) {
  model.Initializer("body.blocks.0.fc.bias", {4});
  for (const char* weight : {"onnx::MatMul_1", "onnx::MatMul_2", "onnx::MatMul_3"}) {
    model.Initializer(weight, {4, 4});
  }
  model.Node("MatMul", {"x", "onnx::MatMul_1"}, {"a"}, "/blocks.0/fc/MatMul");
  model.Node("Add", {"a", "body.blocks.0.fc.bias"}, {"b"}, "/blocks.0/fc/Add");
  model.Node("MatMul", {"b", "onnx::MatMul_2"}, {"c"}, "/blocks.1/fc/MatMul");
  model.Node("Add", {"c", "body.blocks.0.fc.bias"}, {"d"}, "/blocks.1/fc/Add");
  model.Node("Gemm", {"d", "onnx::MatMul_3", "body.blocks.0.fc.bias"}, {"y"}, "/head/Gemm");
}

TEST_CASE("a merged parameter names the modules of all layers that are printed like its own") {
  TestGraph model;
  AddMergedLayers(model);
  CHECK(Places(model.Build()) ==
        "body.blocks.0.fc | body.blocks.0.fc | body.blocks.1.fc | body.blocks.1.fc | head");
}

TEST_CASE("a merged parameter's module is the one that is printed with all that is around it") {
  TestGraph model;
  model.Initializer("enc.layers.0.ffn.fc1.bias", {4});
  for (const char* weight : {"onnx::MatMul_1", "onnx::MatMul_2"}) {
    model.Initializer(weight, {4, 4});
  }
  model.Node("MatMul", {"x", "onnx::MatMul_1"}, {"a"}, "/layers.0/ffn/fc1/MatMul");
  model.Node("Add", {"a", "enc.layers.0.ffn.fc1.bias"}, {"b"}, "/layers.0/ffn/fc1/Add");
  model.Node("MatMul", {"b", "onnx::MatMul_2"}, {"c"}, "/layers.0/fc1/MatMul");
  model.Node("Add", {"c", "enc.layers.0.ffn.fc1.bias"}, {"d"}, "/layers.0/fc1/Add");
  CHECK(Places(model.Build()) ==
        "enc.layers.0.ffn.fc1 | enc.layers.0.ffn.fc1 | enc.layers.0.fc1 | enc.layers.0.fc1");
}

TEST_CASE("what is printed itself is not printed again without what is around it") {
  TestGraph model;
  model.Initializer("top.decoder.head.layers.2.weight", {4, 4});
  model.Node("MatMul", {"x", "top.decoder.head.layers.2.weight"}, {"a"},
             "/decoder/head/layers.2/MatMul");
  model.Node("Add", {"a", "x"}, {"y"}, "/decoder/layers.2/Add");
  CHECK(Places(model.Build()) == "top.decoder.head.layers.2 | top.decoder.layers.2");
}

TEST_CASE("members of a dictionary are printed without it") {
  TestGraph model;
  model.Initializer("heads.cls 1.fc.weight", {4, 4});
  model.Node("Gemm", {"x", "heads.cls 1.fc.weight"}, {"h"}, "/cls 1/fc/Gemm");
  model.Node("Relu", {"h"}, {"y"}, "/cls 1/Relu");
  CHECK(Places(model.Build()) == "heads.cls 1.fc | heads.cls 1");
}

TEST_CASE("what lies between two parts of a container that was never called is in it") {
  TestGraph model;
  for (const char* name : {"body.0.fc1", "body.0.fc2", "body.1.fc1", "body.1.fc2"}) {
    model.Initializer(std::string(name) + ".weight", {4, 4});
  }
  model.Node("MatMul", {"x", "body.0.fc1.weight"}, {"a"}, "/fc1/MatMul");
  model.Node("Relu", {"a"}, {"b"}, "/act/Relu");
  model.Node("MatMul", {"b", "body.0.fc2.weight"}, {"c"}, "/fc2/MatMul");
  model.Node("Dropout", {"c"}, {"d"}, "/drop/Dropout");
  model.Node("MatMul", {"d", "body.1.fc1.weight"}, {"e"}, "/fc1_1/MatMul");
  model.Node("Relu", {"e"}, {"f"}, "/act_1/Relu");
  model.Node("MatMul", {"f", "body.1.fc2.weight"}, {"g"}, "/fc2_1/MatMul");
  model.Node("Softmax", {"g"}, {"y"}, "/last/Softmax");
  SUBCASE("and what lies between two of them, or behind the last, is not") {
    CHECK(Places(model.Build()) ==
          "body.0.fc1 | body.0.act | body.0.fc2 | drop | "
          "body.1.fc1 | body.1.act | body.1.fc2 | last");
  }
  SUBCASE("unless the model has a module of that name itself") {
    CHECK(Places(model.Build(), {{"act", ""}}) ==
          "body.0.fc1 | act | body.0.fc2 | drop | body.1.fc1 | act#1 | body.1.fc2 | last");
  }
}

TEST_CASE("so it is behind the prefix of a model that was joined") {
  const auto places = [](const std::string& prefix) {
    TestGraph model;
    const std::string scope = prefix;
    const std::string owner = prefix;
    std::string x = "x";
    for (const char* layer : {"0", "1"}) {
      const std::string again = layer[0] == '0' ? "" : "_1";
      const auto name = [&](const char* module) { return absl::StrCat(scope, "/", module, again); };
      for (const char* module : {"fc1", "fc2"}) {
        const std::string weight = absl::StrCat(owner, "enc.", layer, ".body.", module, ".weight");
        model.Initializer(weight, {4, 4});
        const std::string output = absl::StrCat(prefix, module, layer);
        model.Node("Gemm", {x, weight}, {output}, absl::StrCat(name(module), "/Gemm"));
        x = output;
        if (module == std::string("fc2")) continue;
        const std::string act = absl::StrCat(prefix, "act", layer);
        model.Node("Relu", {x}, {act}, absl::StrCat(name("act"), "/Relu"));
        x = act;
      }
      model.Node("Neg", {x}, {absl::StrCat(prefix, "neg", layer)},
                 absl::StrCat(scope, "/Neg", again));
      x = absl::StrCat(prefix, "neg", layer);
    }
    return ReadablePlaces(model.Build());
  };
  CHECK(places("") ==
        "enc.0.body.fc1 | enc.0.body.act | enc.0.body.fc2 |  | "
        "enc.1.body.fc1 | enc.1.body.act | enc.1.body.fc2 | ");
  CHECK(places("m1_") ==
        "m1.enc.0.body.fc1 | m1.enc.0.body.act | m1.enc.0.body.fc2 | m1 | "
        "m1.enc.1.body.fc1 | m1.enc.1.body.act | m1.enc.1.body.fc2 | m1");
}

TEST_CASE("where a parameter says what one member of a list is, that is so of all") {
  // A wrapper's attribute and a list in it are both called `model`; most weights lost their names.
  TestGraph model;
  std::string x = "x";
  for (const char* name : {"model.0", "model.1", "model.2"}) {
    const bool is_named = name == std::string("model.2");
    const std::string weight =
        absl::StrCat(is_named ? "model." : "onnx::Conv_", name, ".conv.weight");
    model.Initializer(weight, {4, 4, 1, 1});
    const std::string scope = absl::StrCat("/model/", name);
    model.Node("Conv", {x, weight}, {absl::StrCat(name, "c")}, absl::StrCat(scope, "/conv/Conv"));
    model.Node("Relu", {absl::StrCat(name, "c")}, {name}, absl::StrCat(scope, "/act/Relu"));
    x = name;
  }
  CHECK(Places(model.Build()) ==
        "model.model.0.conv | model.model.0.act | model.model.1.conv | model.model.1.act | "
        "model.model.2.conv | model.model.2.act");
}

TEST_CASE("what lies between modules that are all in a wrapper's attribute is in it, too") {
  TestGraph model;
  std::string x = "x";
  for (const char* module : {"conv1", "relu1", "conv2", "pool", "conv3", "head"}) {
    const bool is_named = module[0] == 'c';
    const std::string weight = absl::StrCat("wrapped.", module, ".weight");
    const std::string name = absl::StrCat("/", module, is_named ? "/Conv" : "/Relu");
    if (is_named) model.Initializer(weight, {4, 4, 1, 1});
    if (is_named) model.Node("Conv", {x, weight}, {module}, name);
    if (!is_named) model.Node("Relu", {x}, {module}, name);
    x = module;
  }
  CHECK(Places(model.Build()) ==
        "wrapped.conv1 | wrapped.relu1 | wrapped.conv2 | wrapped.pool | wrapped.conv3 | head");
}

TEST_CASE("a value's name does not beat the node's own name and parameter") {
  // As MNN exports a language model.
  TestGraph model;
  std::string x = "x";
  for (const char* module : {"q_proj", "k_proj"}) {
    const std::string linear = absl::StrCat("/layers.0/", module, "/Linear");
    model.Initializer(absl::StrCat(linear, "_weight"), {4, 4});
    model.Initializer(absl::StrCat(linear, "_bias"), {4});
    model.Node("MatMul", {x, absl::StrCat(linear, "_weight")}, {absl::StrCat(linear, "_matmul")},
               linear);
    const std::string output = absl::StrCat("/FakeLinear_", module[0] - 'k', "_output_0");
    model.Node("Add", {absl::StrCat(linear, "_matmul"), absl::StrCat(linear, "_bias")}, {output},
               linear);
    x = output;
  }
  CHECK(Places(model.Build()) ==
        "layers.0.q_proj | layers.0.q_proj | layers.0.k_proj | layers.0.k_proj");
  // As an optimiser names what it fused.
  TestGraph fused;
  fused.Initializer("onnx::MatMul_1", {4, 4});
  fused.Initializer("fc.bias", {4});
  fused.Node("Gemm", {"x", "onnx::MatMul_1", "fc.bias"}, {"/Squeeze_output_0"},
             "/fc/MatMul/MatMulAddFusion");
  fused.Node("Relu", {"/Squeeze_output_0"}, {"y"}, "/act/Relu");
  CHECK(Places(fused.Build()) == "fc | act");
}

TEST_CASE("a tool's prefix in front of a value's name is no module and no model") {
  TestGraph model;
  std::string x = "x";
  for (const char* layer : {"/layers.0", "/layers.1"}) {
    for (const char* op : {"/MatMul", "/Relu", "/Transpose"}) {
      const std::string name = absl::StrCat(layer, op);
      model.Node(op + 1, {x}, {absl::StrCat(name, "_output_0")}, name);
      x = absl::StrCat(name, "_output_0");
    }
    const std::string cast = absl::StrCat("InsertedPrecisionFreeCast_", x);
    model.Node("Cast", {x}, {cast}, cast);
    x = cast;
  }
  CHECK(ReadablePlaces(model.Build()) ==
        "layers.0 | layers.0 | layers.0 | layers.0 | "
        "layers.1 | layers.1 | layers.1 | layers.1");
}

TEST_CASE("what an optimiser put between two parts is looked through") {
  TestGraph model;
  for (const char* name : {"body.0.fc1", "body.0.fc2", "body.1.fc1", "body.1.fc2"}) {
    model.Initializer(std::string(name) + ".bias", {4});
  }
  model.Node("Gemm", {"x", "body.0.fc1.bias"}, {"a"}, "/fc1/Gemm");
  model.Node("Relu", {"a"}, {"b"}, "/act/Relu");
  model.Node("Reshape", {"b", "shape"}, {"b2"}, "gemm_input_reshape");
  model.Node("Gemm", {"b2", "body.0.fc2.bias"}, {"c"}, "/fc2/Gemm");
  model.Node("Gemm", {"c", "body.1.fc1.bias"}, {"d"}, "/fc1_1/Gemm");
  model.Node("Gemm", {"d", "body.1.fc2.bias"}, {"y"}, "/fc2_1/Gemm");
  CHECK(Places(model.Build()) ==
        "body.0.fc1 | body.0.act | body.0.fc2 | body.0.fc2 | body.1.fc1 | body.1.fc2");
}

TEST_CASE("the only module that may be meant is found without a node that names it") {
  TestGraph model;
  model.Initializer("heads.aux.fc.bias", {4});
  model.Node("Add", {"x", "heads.aux.fc.bias"}, {"h"}, "Add_0");
  model.Node("Relu", {"h"}, {"y"}, "/aux/Relu");
  CHECK(Places(model.Build()) == "? | heads.aux");
}

TEST_CASE("a second call is told from a name") {
  SUBCASE("by what it does") {
    TestGraph model;
    model.Node("Relu", {"x"}, {"a"}, "/block/relu/Relu");
    model.Node("Relu", {"a"}, {"b"}, "/block/relu_1/Relu");
    model.Node("Tanh", {"b"}, {"c"}, "/block/act/Tanh");
    model.Node("Relu", {"c"}, {"d"}, "/block/act_1/Relu");
    CHECK(Places(model.Build()) == "block.relu | block.relu#1 | block.act | block.act_1");
  }
  SUBCASE("in blocks of channels, by an operator of another domain") {
    TestGraph model;
    model.Node("MaxPool", {"x"}, {"a"}, "/pool/MaxPool");
    model.Node("MaxPool", {"a"}, {"b"}, "/pool_1/MaxPool_output_0_nchwc", "com.microsoft.nchwc");
    CHECK(Places(model.Build()) == "pool | pool#1");
  }
  SUBCASE("by its parameters' names") {
    TestGraph model;
    for (const char* name : {"conv.weight", "conv_1.weight", "fc.weight"}) {
      model.Initializer(name, {4, 4});
    }
    model.Node("Conv", {"x", "conv.weight"}, {"a"}, "/conv/Conv");
    model.Node("Conv", {"a", "conv_1.weight"}, {"b"}, "/conv_1/Conv");
    model.Node("Gemm", {"b", "fc.weight"}, {"c"}, "/fc/Gemm");
    model.Node("Gemm", {"c", "fc.weight"}, {"d"}, "/fc_1/Gemm");
    CHECK(Places(model.Build()) == "conv | conv_1 | fc | fc#1");
  }
  SUBCASE("by weights that lost their names") {
    TestGraph model;
    model.Initializer("onnx::Conv_1", {4, 4});
    model.Initializer("onnx::Conv_2", {4, 4});
    model.Node("Conv", {"x", "onnx::Conv_1"}, {"a"}, "/conv/Conv");
    model.Node("Conv", {"a", "onnx::Conv_2"}, {"b"}, "/conv_1/Conv");
    model.Node("Conv", {"b", "onnx::Conv_2"}, {"c"}, "/conv_1_1/Conv");
    CHECK(Places(model.Build()) == "conv | conv_1 | conv_1#1");
  }
  SUBCASE("by what it contains: calls leave no mark on that") {
    TestGraph model;
    model.Node("Relu", {"x"}, {"a"}, "/block/Relu");
    model.Node("Relu", {"a"}, {"b"}, "/block_1/Relu");
    model.Node("Tanh", {"b"}, {"c"}, "/block_1/act/Tanh");
    CHECK(Places(model.Build()) == "block | block_1 | block_1.act");
  }
  SUBCASE("by what such names mean elsewhere, if the first call has gone") {
    TestGraph model;
    model.Node("Relu", {"x"}, {"a"}, "/layer.0/relu/Relu");
    model.Node("Relu", {"a"}, {"b"}, "/layer.0/relu_1/Relu");
    model.Node("Relu", {"b"}, {"c"}, "/layer.1/relu_1/Relu");
    CHECK(Places(model.Build()) == "layer.0.relu | layer.0.relu#1 | layer.1.relu#1");
  }
  SUBCASE("by another call, if the first has gone") {
    TestGraph model;
    model.Initializer("attn.value.bias", {4});
    model.Initializer("onnx::MatMul_9", {4, 4});
    model.Node("Add", {"x", "attn.value.bias"}, {"a"}, "/attn/value_1/Add");
    model.Node("MatMul", {"a", "onnx::MatMul_9"}, {"b"}, "/attn/value_2/MatMul");
    CHECK(Places(model.Build()) == "attn.value#1 | attn.value#2");
  }
  SUBCASE("by another call and parameters that know the first only, though it does other things") {
    TestGraph model;
    model.Initializer("mlp.out.bias", {4});
    model.Initializer("onnx::MatMul_9", {4, 4});
    model.Node("MatMul", {"x", "onnx::MatMul_9"}, {"a"});
    model.Node("Add", {"a", "mlp.out.bias"}, {"b"}, "/mlp/out/Add");
    model.Node("MatMul", {"b", "onnx::MatMul_9"}, {"c"}, "/mlp/out_1/MatMul");
    model.Node("Add", {"c", "mlp.out.bias"}, {"d"});
    model.Node("MatMul", {"d", "onnx::MatMul_9"}, {"e"});
    model.Node("Add", {"e", "mlp.out.bias"}, {"f"}, "/mlp/out_2/Add");
    CHECK(Places(model.Build()) == "? | mlp.out | mlp.out#1 | ? | ? | mlp.out#2");
  }
  SUBCASE("by parameters that know the first only") {
    TestGraph model;
    model.Initializer("attn.value.bias", {4});
    model.Initializer("onnx::MatMul_9", {4, 4});
    model.Node("Add", {"x", "attn.value.bias"}, {"a"});
    model.Node("MatMul", {"a", "onnx::MatMul_9"}, {"b"}, "/attn/value_2/MatMul");
    CHECK(Places(model.Build()) == "? | attn.value#2");
  }
  SUBCASE("by parameters of what is in the first only") {
    TestGraph model;
    model.Initializer("net.cell.fc.weight", {4, 4});
    model.Node("Gemm", {"x", "net.cell.fc.weight"}, {"a"});
    model.Node("Tanh", {"a"}, {"b"}, "/net/cell_1/Tanh");
    CHECK(Places(model.Build()) == "? | net.cell#1");
  }
  SUBCASE("by a second call of what is in the first, though that does other things") {
    TestGraph model;
    model.Initializer("net.cell.fc.weight", {4, 4});
    model.Node("Gemm", {"x", "net.cell.fc.weight"}, {"a"}, "/net/cell/fc/Gemm");
    model.Node("Mul", {"a", "a"}, {"b"}, "/net/cell/Mul");
    model.Node("Tanh", {"b"}, {"c"});
    model.Node("Gemm", {"c", "net.cell.fc.weight"}, {"d"}, "/net/cell/fc_1/Gemm");
    model.Node("Tanh", {"d"}, {"e"}, "/net/cell_1/Tanh");
    CHECK(Places(model.Build()) == "net.cell.fc | net.cell | ? | net.cell.fc#1 | net.cell#1");
  }
}

TEST_CASE("of two modules that are printed as one, a node's own parameter says which") {
  TestGraph model;
  model.Initializer("scale.key.bias", {4});
  model.Initializer("mixers.key.up.weight", {4, 4});
  model.Initializer("mixers.key.down.weight", {4, 4});
  model.Initializer("onnx::MatMul_7", {4, 4});
  model.Node("MatMul", {"x", "onnx::MatMul_7"}, {"a"}, "/key/MatMul");
  model.Node("Add", {"a", "scale.key.bias"}, {"b"}, "/key/Add");
  model.Node("Gemm", {"b", "mixers.key.up.weight"}, {"c"}, "/key/up/Gemm");
  model.Node("Gemm", {"c", "mixers.key.down.weight"}, {"d"}, "/key/down/Gemm");
  model.Node("Add", {"d", "b"}, {"y"}, "/key/Add_1");
  CHECK(Places(model.Build()) ==
        "scale.key | scale.key | mixers.key.up | mixers.key.down | mixers.key");
}

TEST_CASE("what lies between two parts of a hidden container alone is in it") {
  const auto places = [](const char* reader) {
    TestGraph model;
    model.Initializer("block.mlp.fc1.weight", {4, 4});
    model.Initializer("block.mlp.fc2.weight", {4, 4});
    model.Initializer("block.norm.weight", {4});
    model.Node("Mul", {"x", "block.norm.weight"}, {"n"}, "/block/norm/Mul");
    model.Node("Gemm", {"n", "block.mlp.fc1.weight"}, {"a"}, "/block/fc1/Gemm");
    model.Node("Relu", {"a"}, {"b"}, "/block/act/Relu");
    model.Node("Gemm", {"b", "block.mlp.fc2.weight"}, {"c"}, "/block/fc2/Gemm");
    model.Node("Add", {"c", reader}, {"y"}, "/block/Add");
    return Places(model.Build());
  };
  CHECK(places("x") == "block.norm | block.mlp.fc1 | block.mlp.act | block.mlp.fc2 | block");
  // The block itself reads it, too.
  CHECK(places("b") == "block.norm | block.mlp.fc1 | block.act | block.mlp.fc2 | block");
}

TEST_CASE("a module with weights, of which no parameter tells, is not surely where it is printed") {
  const auto confidence = [](const char* op, const char* weight) {
    TestGraph model;
    model.Initializer(weight, {4, 4});
    model.Node(op, {"x", weight}, {"a"}, absl::StrCat("/block/cell/", op));
    ModulePaths paths;
    return CollectEvidence(model.Build(), {}, paths).nodes[NodeId(0)].confidence;
  };
  CHECK(confidence("MatMul", "block.cell.weight") == 1);
  CHECK(confidence("MatMul", "onnx::MatMul_7") == 0.9f);
  for (const char* op : {"LSTM", "GRU", "RNN"}) {
    CHECK(confidence(op, "block.cell.weight") == 1);
    CHECK(confidence(op, "onnx::LSTM_7") == 0.9f);
  }
}

TEST_CASE("beside a hidden container it is not sure who is in it") {
  const auto confidence = [](const char* scope) {
    TestGraph model;
    model.Initializer("block.norm.weight", {4});
    model.Initializer(absl::StrCat("block.", scope, "fc.weight"), {4, 4});
    model.Node("Mul", {"x", "block.norm.weight"}, {"n"}, "/block/norm/Mul");
    model.Node("Gemm", {"n", absl::StrCat("block.", scope, "fc.weight")}, {"a"}, "/block/fc/Gemm");
    model.Node("Relu", {"a"}, {"b"}, "/block/act/Relu");
    model.Node("Add", {"b", "x"}, {"y"}, "/block/Add");
    ModulePaths paths;
    return CollectEvidence(model.Build(), {}, paths).nodes[NodeId(2)].confidence;
  };
  CHECK(confidence("") == 1);
  CHECK(confidence("mlp.") < 0.99);
}

TEST_CASE("two calls of which each lost some names are told by others that are called alike") {
  const auto places = [](const char* beside_sigmoid, const char* sum) {
    TestGraph model;
    model.Node("Sigmoid", {"x"}, {"a"}, "/block/act/Sigmoid");
    model.Node(beside_sigmoid, {"x", "a"}, {"b"}, absl::StrCat("/block/act/", beside_sigmoid));
    model.Node("Sigmoid", {"b"}, {"c"}, "/act/Sigmoid");
    model.Node("Add", {"b", "c"}, {"d"}, sum);
    model.Node("Mul", {"d", "d"}, {"y"}, "/act_1/Mul");
    return Places(model.Build());
  };
  CHECK(places("Mul", "") == "block.act | block.act | act | ? | act#1");
  // None does both; no names were lost.
  CHECK(places("Max", "") == "block.act | block.act | act | ? | act_1");
  CHECK(places("Mul", "/Add") == "block.act | block.act | act |  | act_1");
}

TEST_CASE("children of a second call keep the first one's text") {
  TestGraph model;
  model.Initializer("first.fc.weight", {4, 4});
  model.Node("Gemm", {"x", "first.fc.weight"}, {"a"}, "/first/fc/Gemm");
  model.Node("Relu", {"a"}, {"b"}, "/first/Relu");
  model.Node("Gemm", {"b", "first.fc.weight"}, {"c"}, "/first/fc_1/Gemm");
  model.Node("Relu", {"c"}, {"d"}, "/first_1/Relu");
  CHECK(Places(model.Build()) == "first.fc | first | first.fc#1 | first#1");
}

TEST_CASE("two modules that are printed alike are two modules") {
  TestGraph model;
  model.Initializer("a.proj.fc.weight", {4, 4});
  model.Initializer("b.proj.fc.weight", {4, 4});
  model.Node("Gemm", {"x", "a.proj.fc.weight"}, {"a"}, "/proj/fc/Gemm");
  model.Node("Relu", {"a"}, {"b"}, "/proj/Relu");
  model.Node("Gemm", {"b", "b.proj.fc.weight"}, {"c"}, "/proj/fc_1/Gemm");
  model.Node("Relu", {"c"}, {"d"}, "/proj_1/Relu");
  CHECK(Places(model.Build()) == "a.proj.fc | a.proj | b.proj.fc | b.proj");
}

TEST_CASE("one module under two parents is one module, called twice") {
  TestGraph model;
  model.Initializer("shared.weight", {9, 4});
  model.Node("Gather", {"shared.weight", "i"}, {"a"}, "/encoder/shared/Gather");
  model.Node("Gather", {"shared.weight", "j"}, {"b"}, "/decoder/shared/Gather");
  CHECK(Places(model.Build()) == "shared | shared#1");
}

TEST_CASE("names of modules may hold slashes and colons") {
  TestGraph model;
  model.Initializer("a/b.fc.weight", {4, 4});
  model.Initializer("c::d.fc.weight", {4, 4});
  model.Node("Gemm", {"x", "a/b.fc.weight"}, {"h"}, "/a/b/fc/Gemm");
  model.Node("Relu", {"h"}, {"y"}, "/a/b/Relu");
  model.Node("Gemm", {"y", "c::d.fc.weight"}, {"z"}, "/c::d/fc/Gemm");
  CHECK(Places(model.Build()) == "a/b.fc | a/b | c::d.fc");
}

TEST_CASE("a fused node stands for the last of what it was made from") {
  TestGraph model;
  model.Node("QuickGelu", {"x"}, {"/block/act/Mul_output_0"}, "/block/Sigmoid");
  // A quantiser took a Relu away, but the Conv is still what its name says.
  model.Node("Conv", {"x"}, {"/block/relu2/Relu_output_0"}, "/block/conv2/Conv");
  CHECK(Places(model.Build()) == "block.act | block.conv2");
}

TEST_CASE("a fused node with a weight stands for that one's operator") {
  TestGraph model;
  model.Node("FusedConv", {"x"}, {"/block/relu/Relu_output_0"}, "/block/conv/Conv");
  model.Node("FusedMatMul", {"x", "w"}, {"/proj/Mul_output_0"},
             "/proj/lora_B/MatMul/MatmulTransposeFusion//MatMulScaleFusion/");
  CHECK(Places(model.Build()) == "block.conv | proj.lora_B");
}

TEST_CASE("a scope may have modules joined by dots") {
  TestGraph model;
  model.Initializer("model.layers.projector.first.norm.weight", {4});
  model.Node("Norm", {"x", "model.layers.projector.first.norm.weight"}, {"y"},
             "/model/layers.projector/first.norm/Norm");
  model.Node("Cast", {"y"}, {"z"}, "/model/layers.projector/first.norm/Cast");
  CHECK(Places(model.Build()) ==
        "model.layers.projector.first.norm | model.layers.projector.first.norm");
}

TEST_CASE("a module is printed as its last name with all numbers behind it") {
  TestGraph model;
  model.Initializer("stem.1.0.weight", {4, 4});
  model.Node("Conv", {"x", "stem.1.0.weight"}, {"a"}, "/stem/stem.1/stem.1.0/Conv");
  model.Node("Relu", {"a"}, {"b"}, "/stem/stem.0/Relu");
  CHECK(Places(model.Build()) == "stem.1.0 | stem.0");
}

TEST_CASE("what is nearer to the root than a scope is not what the scope means") {
  TestGraph model;
  model.Initializer("decoder.bias", {4});
  model.Node("Add", {"x", "decoder.bias"}, {"a"}, "/cls/predictions/decoder/Add");
  model.Initializer("decoder.cls.other.bias", {4});
  model.Node("Add", {"a", "decoder.cls.other.bias"}, {"b"}, "/cls/predictions/decoder/Add_1");
  CHECK(Places(model.Build()) == "decoder | decoder");
}

TEST_CASE("what no parameter names is where its neighbours are") {
  TestGraph model;
  for (const char* name : {"net.layers.0.mid.fc.weight", "net.layers.1.mid.fc.weight"}) {
    model.Initializer(name, {4, 4});
  }
  model.Node("Gemm", {"x", "net.layers.0.mid.fc.weight"}, {"a"}, "/net/mid/fc/Gemm");
  model.Node("Relu", {"a"}, {"b"}, "/net/mid/act/Relu");
  model.Node("Gemm", {"b", "net.layers.1.mid.fc.weight"}, {"c"}, "/net/mid/fc_1/Gemm");
  model.Node("Tanh", {"c"}, {"d"}, "/net/mid/last/Tanh");
  CHECK(Places(model.Build()) ==
        "net.layers.0.mid.fc | net.layers.0.mid.act | net.layers.1.mid.fc | "
        "net.layers.1.mid.last");
}

TEST_CASE("a second call is told from a name when the first was fused into what comes before it") {
  TestGraph model;
  model.Node("FusedConv", {"x"}, {"/block/relu/Relu_output_0"}, "/block/conv/Conv");
  model.Node("Relu", {"y"}, {"z"}, "/block/relu_1/Relu");
  CHECK(Places(model.Build()) == "block.conv | block.relu#1");
}

TEST_CASE("what is named after the operator that reads it is no module's") {
  TestGraph model;
  model.Initializer("Reshape_1.shape", {2});
  model.Initializer("fc.weight", {4, 4});
  model.Node("Reshape", {"x", "Reshape_1.shape"}, {"a"}, "Reshape_1");
  model.Node("Gemm", {"a", "fc.weight"}, {"b"}, "fc");
  CHECK(Owners(model.Build()) == "- | fc");
}

TEST_CASE("a copy of a parameter is another module's, even where its name is lost") {
  TestGraph model;
  model.Initializer("layers.0.norm.bias", {4});
  model.Node("Identity", {"layers.0.norm.bias"}, {"copy"});
  model.Node("Identity", {"layers.0.norm.bias"}, {"layers.1.norm.bias"});
  model.Node("Add", {"x", "layers.0.norm.bias"}, {"a"});
  model.Node("Add", {"a", "copy"}, {"b"});
  model.Node("Add", {"b", "layers.1.norm.bias"}, {"c"});
  CHECK(Owners(model.Build()) ==
        "layers.0.norm | layers.1.norm | layers.0.norm | - | layers.1.norm");
}

TEST_CASE("where a base is printed elsewhere, a name with a counter is a further call of it") {
  TestGraph model;
  model.Node("Relu", {"x"}, {"a"}, "/first/act/Relu");
  model.Node("Relu", {"a"}, {"b"});
  SUBCASE("without weights") {
    model.Node("Relu", {"b"}, {"c"}, "/second/act_1/Relu");
    CHECK(Places(model.Build()) == "first.act | ? | second.act#1");
  }
  SUBCASE("not with weights of its own, which may be those of another module") {
    model.Initializer("onnx::MatMul_3", {4, 4});
    model.Node("MatMul", {"b", "onnx::MatMul_3"}, {"c"}, "/second/act_1/MatMul");
    CHECK(Places(model.Build()) == "first.act | ? | second.act_1");
  }
  SUBCASE("not if no base is") {
    model.Node("Relu", {"b"}, {"c"}, "/second/relu_1/Relu");
    CHECK(Places(model.Build()) == "first.act | ? | second.relu_1");
  }
}

TEST_CASE("a table that a module computes for others is no parameter of these") {
  TestGraph model;
  model.Initializer("rotary.inv_freq", {4});
  model.Initializer("attn.query", {4, 4});
  model.Node("Cos", {"rotary.inv_freq"}, {"cos"});
  model.Node("Mul", {"q", "cos"}, {"a"});
  SUBCASE("if several read it") {
    model.Node("Mul", {"k", "cos"}, {"b"});
    CHECK(Owners(model.Build()) == "rotary | - | -");
  }
  SUBCASE("if several read it, turned") {
    model.Node("Transpose", {"cos"}, {"turned"});
    model.Node("Add", {"k", "turned"}, {"b"});
    model.Node("Add", {"v", "turned"}, {"c"});
    CHECK(Owners(model.Build()) == "rotary | rotary | rotary | - | -");
  }
  SUBCASE("not if they multiply by it as by a weight") {
    model.Node("Transpose", {"cos"}, {"turned"});
    model.Node("MatMul", {"k", "turned"}, {"b"});
    model.Node("MatMul", {"v", "turned"}, {"c"});
    CHECK(Owners(model.Build()) == "rotary | rotary | rotary | rotary | rotary");
  }
  SUBCASE("not if one does") { CHECK(Owners(model.Build()) == "rotary | rotary"); }
  SUBCASE("not if the module does more than that") {
    model.Initializer("rotary.scale", {4});
    model.Node("Mul", {"k", "cos"}, {"b"});
    model.Node("Mul", {"a", "rotary.scale"}, {"c"});
    model.Node("Mul", {"b", "rotary.scale"}, {"d"});
    CHECK(Owners(model.Build()) == "rotary | rotary | rotary | rotary | rotary");
  }
  SUBCASE("not if it is the parameter in another form") {
    model.Node("Transpose", {"attn.query"}, {"t"});
    model.Node("MatMul", {"k", "t"}, {"b"});
    model.Node("MatMul", {"b", "t"}, {"c"});
    CHECK(Owners(model.Build()) == "rotary | rotary | attn | attn | attn");
  }
}

TEST_CASE("a number with a counter behind it is the second call of that number") {
  TestGraph model;
  model.Initializer("onnx::Conv_1", {4, 4});
  model.Node("Conv", {"x", "onnx::Conv_1"}, {"a"}, "/conv/conv.0/Conv");
  model.Node("Conv", {"a", "onnx::Conv_1"}, {"b"}, "/conv/conv.0_1/Conv");
  model.Node("Relu", {"b"}, {"c"}, "/conv/conv.1_1/Relu");
  CHECK(Places(model.Build()) == "conv.0 | conv.0#1 | conv.1#1");
}

TEST_CASE("what follows a module's name in a fused name is operators") {
  TestGraph model;
  model.Node("Gemm", {"x"}, {"a"}, "/fc/MatMul/MatMulAddFusion");
  model.Node("FusedMatMul", {"a"}, {"b"}, "/attn/MatMul/MatmulTransposeFusion//MatMulScaleFusion/");
  model.Node("Relu", {"b"}, {"c"}, "/Relu/Relu");  // a module may be named like one
  CHECK(Places(model.Build()) == "fc | attn | Relu");
}

TEST_CASE("a dequantised activation belongs to its readers") {
  TestGraph model;
  model.Node("QuantizeLinear", {"x", "s"}, {"q"}, "/a/Relu_output_0_QuantizeLinear");
  model.Node("DequantizeLinear", {"q", "s"}, {"d"}, "/a/Relu_output_0_DequantizeLinear");
  model.Node("Conv", {"d"}, {"y"}, "/b/Conv");
  CHECK(Places(model.Build()) == "a | b | b");
}

TEST_CASE("TensorFlow's names have no leading slash, and nothing in them is a call") {
  TestGraph model;
  model.Node("Conv", {"x"}, {"StatefulPartitionedCall/model/conv/Conv2D:0"},
             "StatefulPartitionedCall/model/conv/Conv2D__17");
  model.Node("Conv", {"y"}, {"StatefulPartitionedCall/model/conv_1/Conv2D:0"},
             "StatefulPartitionedCall/model/conv_1/Conv2D");
  model.Node("Transpose", {"z"}, {"t"}, "Transpose__12");
  CHECK(Places(model.Build()) == "model.conv | model.conv_1 | ?");
}

TEST_CASE("what TensorFlow's functions do is no module") {
  TestGraph model;
  for (const char* name :
       {"m/norm/batchnorm/mul/ReadVariableOp:0", "m/out/MatMul/ReadVariableOp:0"}) {
    model.Initializer(name, {4, 4});
  }
  model.Node("ReduceMean", {"a"}, {"b"}, "m/norm/moments/mean");
  model.Node("Mul", {"b", "m/norm/batchnorm/mul/ReadVariableOp:0"}, {"c"},
             "m/norm/batchnorm/mul_1");
  model.Node("Reciprocal", {"c"}, {"d"}, "m/norm/batchnorm_1/Rsqrt");
  // A layer may have the function's name.
  model.Node("BatchNormalization", {"d"}, {"e"}, "m/batchnorm/FusedBatchNormV3");
  model.Node("MatMul", {"e", "m/out/MatMul/ReadVariableOp:0"}, {"y"}, "m/out/MatMul");
  CHECK(Places(model.Build()) == "m.norm | m.norm | m.norm | m.batchnorm | m.out");
}

TEST_CASE("what TensorFlow calls like an operator is no module") {
  TestGraph model;
  model.Initializer("m/value/Tensordot/Reshape_1/ReadVariableOp:0", {4, 4});
  model.Node("MatMul", {"x", "m/value/Tensordot/Reshape_1/ReadVariableOp:0"}, {"a"},
             "m/value/Tensordot/MatMul");
  model.Node("Reshape", {"a", "s"}, {"b"}, "m/value/Tensordot");
  model.Node("Shape", {"b"}, {"c"}, "m/calib/ones_like/Shape");
  model.Node("Expand", {"d", "c"}, {"e"}, "m/calib/ones_like");
  // The value tells where a converter named the nodes.
  model.Node("Concat", {"c", "c"}, {"m/self/Reshape/shape:0"}, "m/self/Reshape/shape_concat");
  model.Node("Reshape", {"e", "m/self/Reshape/shape:0"}, {"m/self/Reshape:0"},
             "m/self/Reshape_reshape");
  // A layer's node may be called as the layer: there a parameter is read inside.
  model.Initializer("m/dense/kernel:0", {4, 4});
  model.Node("MatMul", {"m/self/Reshape:0", "m/dense/kernel:0"}, {"f"}, "m/dense/product");
  model.Node("Relu", {"f"}, {"m/dense:0"}, "m/dense/Relu");
  CHECK(Places(model.Build()) ==
        "m.value | m.value | m.calib | m.calib | m.self | m.self | m.dense | m.dense");
}

TEST_CASE("modules that the caller knows of are found without parameters") {
  TestGraph model;
  model.Node("Relu", {"x"}, {"y"}, "/act/Relu");
  const Graph& graph = model.Build();
  CHECK(Places(graph) == "act");
  CHECK(Places(graph, {{"heads.act", ""}}) == "heads.act");
}

TEST_CASE("no names, no places") {
  TestGraph model;
  model.Initializer("fc.weight", {4, 4});
  model.Node("Gemm", {"x", "fc.weight"}, {"5"}, "Gemm_0");
  model.Node("Relu", {"5"}, {"6"});
  CHECK(Places(model.Build()) == "? | ?");
}

}  // namespace
}  // namespace onnx_hier
