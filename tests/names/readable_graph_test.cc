// SPDX-License-Identifier: Apache-2.0
#include "lib/names/readable_graph.h"

#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/string_view.h"
#include "doctest/doctest.h"
#include "tests/support/test_graph.h"

namespace onnx_hier {
namespace {

using testing::TestGraph;

// How an exporter names what it writes, and what is done to that.
struct Wording {
  std::string front;
  bool has_slash = true;
};

// Two layers, as torch names them.
void AddScoped(TestGraph& model, const Wording& wording) {
  const std::string scope = absl::StrCat(wording.front, wording.has_slash ? "/" : "");
  std::string last = absl::StrCat(wording.front, "x");
  for (const char* layer : {"layer.0", "layer.1"}) {
    const std::string weight = absl::StrCat(wording.front, "encoder.", layer, ".fc.weight");
    const std::string name = absl::StrCat(scope, "encoder/", layer, "/fc/Gemm");
    model.Initializer(weight, {4, 4});
    model.Node("Gemm", {last, weight}, {absl::StrCat(name, "_output_0")}, name);
    last = absl::StrCat(name, "_output_0");
    const std::string sum = absl::StrCat(scope, layer == std::string("layer.0") ? "Add" : "Add_1");
    model.Node("Add", {last, last}, {absl::StrCat(sum, "_output_0")}, sum);
    last = absl::StrCat(sum, "_output_0");
  }
}

constexpr int kFlatLayers = 6;

// As older versions of torch name them.
void AddFlat(TestGraph& model, const std::string& front) {
  std::string last = absl::StrCat(front, "x");
  for (int i = 0; i < kFlatLayers; ++i) {
    const std::string weight = absl::StrCat(front, "net.", i, ".weight");
    const std::string output = absl::StrCat(front, i);
    model.Initializer(weight, {4, 4});
    model.Node("Gemm", {last, weight}, {output}, absl::StrCat(front, "Gemm_", i));
    last = output;
  }
}

std::vector<std::string> NamesOf(const Graph& written) {
  const ReadableGraph readable(written);
  std::vector<std::string> names;
  for (NodeId id : readable.graph().node_ids()) {
    names.emplace_back(readable.graph().node(id).name);
  }
  for (TensorId id : readable.graph().tensor_ids()) {
    names.emplace_back(readable.graph().tensor(id).name);
  }
  return names;
}

std::vector<std::string> ScopedNames(const Wording& wording) {
  TestGraph model;
  AddScoped(model, wording);
  return NamesOf(model.Build());
}

// Of the first node and the last parameter.
std::vector<std::string> FlatNames(const std::string& front) {
  TestGraph model;
  AddFlat(model, front);
  const std::vector<std::string> names = NamesOf(model.Build());
  return {names.front(), names.back()};
}

using Names = std::vector<std::string>;

TEST_CASE("names as exporters write them stay") {
  CHECK(ScopedNames({}) == Names{"/encoder/layer.0/fc/Gemm", "/Add", "/encoder/layer.1/fc/Gemm",
                                 "/Add_1", "encoder.layer.0.fc.weight",
                                 "encoder.layer.1.fc.weight"});
  CHECK(FlatNames("") == Names{"Gemm_0", "net.5.weight"});
}

TEST_CASE("a prefix of all names is one more module on top") {
  for (const char* prefix : {"m1_", "m1/", "m1.", "m1:"}) {
    CAPTURE(prefix);
    CHECK(ScopedNames({prefix}) ==
          Names{"/m1/encoder/layer.0/fc/Gemm", "/m1/Add", "/m1/encoder/layer.1/fc/Gemm",
                "/m1/Add_1", "m1.encoder.layer.0.fc.weight", "m1.encoder.layer.1.fc.weight"});
    CHECK(FlatNames(prefix) == Names{"Gemm_0", "m1.net.5.weight"});
  }
}

TEST_CASE("a prefix is one where one of three names agrees with its parameter, or more") {
  for (const int others : {1, 2}) {
    CAPTURE(others);
    TestGraph model;
    const auto add = [&](const std::string& module, const std::string& owner) {
      const std::string weight = absl::StrCat("m1_", owner, ".weight");
      model.Initializer(weight, {4, 4});
      model.Node("MatMul", {"x", weight}, {absl::StrCat("m1_/", module, "/MatMul_output_0")},
                 absl::StrCat("m1_/", module, "/MatMul"));
    };
    add("enc/fc", "enc.fc");
    for (int i = 0; i < others; ++i) add(absl::StrCat("enc/g", i), absl::StrCat("dec.h", i));
    model.Node("Relu", {"y"}, {"/net/act/Relu_output_0"}, "/net/act/Relu");
    CHECK(NamesOf(model.Build())[0] == (others == 1 ? "/m1/enc/fc/MatMul" : "m1_/enc/fc/MatMul"));
  }
}

TEST_CASE("a device in front of all names is no model") {
  TestGraph model;
  model.Initializer("gpu_0/conv1_w_0", {4, 4});
  for (int i = 0; i < 4; ++i) {
    model.Node("Relu", {absl::StrCat("gpu_0/a_", i)}, {absl::StrCat("gpu_0/a_", i + 1)});
  }
  CHECK(NamesOf(model.Build()) == Names{"", "", "", "", "gpu_0/conv1_w_0"});
}

TEST_CASE("the first slash may be missing") { CHECK(ScopedNames({"", false}) == ScopedNames({})); }

TEST_CASE("so it may be in an optimised file, whose own nodes are not the root's") {
  TestGraph model;
  SUBCASE("with parameters") {
    model.Initializer("encoder.fc.weight", {4, 4});
    model.Node("Gemm", {"x", "encoder.fc.weight"}, {"arg"}, "encoder/fc/MatMul/MatMulAddFusion");
    model.Node("Reshape", {"arg", "s"}, {"encoder/fc/Add_output_0"}, "gemm_output_reshape");
    model.Node("Gelu", {"encoder/fc/Add_output_0"}, {"encoder/act/Mul_output_0"}, "Gelu",
               "com.microsoft");
    model.Node("Erf", {"encoder/act/Mul_output_0"}, {"a/act/Erf_output_0"}, "Erf");
    model.Node("Abs", {"a/act/Erf_output_0"}, {"y"}, "Abs");
    CHECK(NamesOf(model.Build()) == Names{"/encoder/fc/MatMul/MatMulAddFusion",
                                          "gemm_output_reshape", "Gelu", "Erf", "/Abs",
                                          "encoder.fc.weight"});
  }
  SUBCASE("and where only what was fused behind them names kernels") {
    model.Initializer("encoder.fc.bias", {4});
    model.Initializer("reorder", {4, 4});
    model.Node("ReorderInput", {"x"}, {"a"}, "ReorderInput", "com.microsoft.nchwc");
    model.Node("Conv", {"a", "reorder", "encoder.fc.bias"}, {"b"},
               "encoder/act/Relu_output_0_nchwc", "com.microsoft.nchwc");
    CHECK(NamesOf(model.Build()) ==
          Names{"ReorderInput", "/encoder/act/Relu_output_0_nchwc", "encoder.fc.bias", "reorder"});
  }
}

TEST_CASE("calls of functions are in modules around those whose parameters they read") {
  TestGraph model;
  std::string last = "x";
  for (const char* layer : {"layers.0", "layers.1", "head"}) {
    const std::string weight = absl::StrCat(layer, ".fc.weight");
    const std::string output = absl::StrCat(layer, "/Block_output_0");
    model.Initializer(weight, {4, 4});
    model.Node("Block", {last, weight}, {output}, absl::StrCat(layer, "/Block"), "my");
    last = output;
  }
  SUBCASE("without their first slash as well") { model.Function("my", "Block"); }
  SUBCASE("other operators are not") {
    const Names names = NamesOf(model.Build());
    CHECK(Names(names.begin(), names.begin() + 3) ==
          Names{"layers.0/Block", "layers.1/Block", "head/Block"});
    return;
  }
  const Names names = NamesOf(model.Build());
  CHECK(Names(names.begin(), names.begin() + 3) ==
        Names{"/layers.0/Block", "/layers.1/Block", "/head/Block"});
}

TEST_CASE("a prefix, and no slash behind it") {
  const Names names = ScopedNames({"m1_", false});
  CHECK(names[2] == "/m1/encoder/layer.1/fc/Gemm");
  CHECK(names[5] == "m1.encoder.layer.1.fc.weight");
}

TEST_CASE("a prefix, and underscores for what parts modules") {
  TestGraph model;
  std::string last = "m1_x";
  for (const char* layer : {"0", "1"}) {
    for (const char* module : {"fc1", "fc2"}) {
      const std::string scope = absl::StrCat("net_layers_", layer, "_", module);
      const std::string weight = absl::StrCat("m1_", scope, "_weight");
      const std::string name = absl::StrCat("m1__", scope, "_Gemm");
      model.Initializer(weight, {4, 4});
      model.Node("Gemm", {last, weight}, {absl::StrCat(name, "_output_0")}, name);
      last = absl::StrCat(name, "_output_0");
    }
  }
  model.Node("Add", {last, "m1_x"}, {"m1__net_Add_output_0"}, "m1__net_Add");
  const Graph graph = model.Build();
  const Names names = NamesOf(graph);
  CHECK(names[1] == "/m1/net/layers.0/fc2/Gemm");
  CHECK(names[4] == "/m1/net/Add");
  CHECK(names[8] == "m1.net.layers.1.fc2.weight");
}

TEST_CASE("an operator in front of its node's scope is no module") {
  TestGraph model;
  AddScoped(model, {});
  model.Node("QuantizeLinear", {"x", "s"}, {"q"}, "QuantizeLinear_/encoder/layer.0/fc/Gemm");
  model.Node("Relu", {"q"}, {"r"}, "Relu:/encoder/Relu");
  model.Node("Relu", {"r"}, {"y"}, "Relu/encoder/Relu");
  const Names names = NamesOf(model.Build());
  CHECK(Names(names.begin() + 4, names.begin() + 7) ==
        Names{"/encoder/layer.0/fc/Gemm", "/encoder/Relu", "Relu/encoder/Relu"});
}

TEST_CASE("models that were joined have a prefix each, or the other one has none") {
  TestGraph model;
  AddScoped(model, {"enc_"});
  AddScoped(model, {"dec_"});
  AddFlat(model, "post.");
  const Names names = NamesOf(model.Build());
  CHECK(Names(names.begin(), names.begin() + 9) ==
        Names{"/enc/encoder/layer.0/fc/Gemm", "/enc/Add", "/enc/encoder/layer.1/fc/Gemm",
              "/enc/Add_1", "/dec/encoder/layer.0/fc/Gemm", "/dec/Add",
              "/dec/encoder/layer.1/fc/Gemm", "/dec/Add_1", "Gemm_0"});
  CHECK(Names(names.end() - kFlatLayers - 4, names.end() - kFlatLayers + 1) ==
        Names{"enc.encoder.layer.0.fc.weight", "enc.encoder.layer.1.fc.weight",
              "dec.encoder.layer.0.fc.weight", "dec.encoder.layer.1.fc.weight",
              "post.net.0.weight"});
  TestGraph other;
  AddScoped(other, {});
  AddScoped(other, {"m2_"});
  CHECK(NamesOf(other.Build())[4] == "/m2/encoder/layer.0/fc/Gemm");
}

TEST_CASE("values that onnxscript's GraphBuilder named tell where their nodes are") {
  TestGraph model;
  model.Initializer("net.layers.0.fc.weight", {4, 4});
  model.Node("MatMul", {"x", "net.layers.0.fc.weight"}, {"v_net.layers.0.fc.MatMul_1"});
  model.Node("Split", {"v_net.layers.0.fc.MatMul_1"}, {"v_net.Split_2_0", "v_net.Split_2_1"});
  // What it was fused from made a value of that name.
  model.Node("SkipNorm", {"v_net.Split_2_0"}, {"v_net.0.norm.Add_5"}, "SkipNorm_0");
  model.Node("Relu", {"v_net.Split_2_1"}, {"v_Relu_6"});
  model.Node("Relu", {"v_Relu_6"}, {"v_present.key"});
  const Graph graph = model.Build();
  const ReadableGraph readable(graph);
  Names values;
  for (NodeId id : graph.node_ids()) {
    values.emplace_back(readable.graph().value(graph.outputs(id).back()).name);
  }
  CHECK(values == Names{"/net/layers.0/fc/MatMul_output_0", "/net/Split_output_0",
                        "/net.0/norm/Add_output_0", "/Relu_output_0", "v_present.key"});
}

TEST_CASE("values of a builder are no scopes with dots for slashes") {
  TestGraph model;
  std::string last = "x";
  for (const char* module : {"net.fc1", "net.fc2", "net.fc3"}) {
    const std::string weight = absl::StrCat(module, ".weight");
    const std::string product = absl::StrCat("v_", module, ".MatMul_0");
    model.Initializer(weight, {4, 4});
    model.Node("MatMul", {last, weight}, {product});
    last = absl::StrCat("v_", module, ".Relu_1");
    model.Node("Relu", {product}, {last});
  }
  const Graph graph = model.Build();
  CHECK(ReadableGraph(graph).graph().value(graph.outputs(NodeId(5))[0]).name ==
        "/net/fc3/Relu_output_0");
}

TEST_CASE("a builder's names behind a prefix are below one more module") {
  TestGraph model;
  model.Initializer("m1_net.fc.weight", {4, 4});
  model.Node("MatMul", {"m1_x", "m1_net.fc.weight"}, {"m1_v_net.fc.MatMul_0"},
             "m1_net/fc/MatMul_node_0");
  model.Node("Relu", {"m1_v_net.fc.MatMul_0"}, {"m1_v_net.Relu_1"}, "m1_net/Relu_node_1");
  model.Node("Add", {"m1_v_net.Relu_1", "m1_x"}, {"m1_y"}, "m1_Add_node_2");
  const Graph graph = model.Build();
  CHECK(NamesOf(graph) == Names{"/m1/net/fc/MatMul_node_0", "/m1/net/Relu_node_1", "/m1/Add_node_2",
                                "m1.net.fc.weight"});
  CHECK(ReadableGraph(graph).graph().value(graph.outputs(NodeId(1))[0]).name ==
        "/m1/net/Relu_output_0");
}

TEST_CASE("one value of many that is called as if a builder had named it says nothing") {
  TestGraph model;
  model.Node("Relu", {"x"}, {"v_net.Relu_1"});
  model.Node("Relu", {"v_net.Relu_1"}, {"a"});
  const Graph graph = model.Build();
  CHECK(ReadableGraph(graph).graph().value(graph.outputs(NodeId(0))[0]).name == "v_net.Relu_1");
}

TEST_CASE("what is no prefix of another program's stays") {
  // TensorFlow's scopes begin with a module.
  TestGraph tensorflow;
  std::string last = "input_1";
  for (const char* layer : {"conv1", "conv2", "conv3"}) {
    const std::string scope = absl::StrCat("model/", layer);
    const std::string weight = absl::StrCat(scope, "/kernel:0");
    tensorflow.Initializer(weight, {4, 4});
    tensorflow.Node("Conv", {last, weight}, {absl::StrCat(scope, "/Conv2D:0")},
                    absl::StrCat(scope, "/Conv2D"));
    last = absl::StrCat(scope, "/Conv2D:0");
  }
  CHECK(NamesOf(tensorflow.Build())[0] == "model/conv1/Conv2D");
  // Inliners of whole models put a name in front that is no module.
  TestGraph inlined;
  AddScoped(inlined, {"If_0_then_branch__Inline_0__"});
  inlined.Node("Relu", {"x"}, {"y"}, "/Relu");
  CHECK(NamesOf(inlined.Build())[0] == "If_0_then_branch__Inline_0__/encoder/layer.0/fc/Gemm");
}

// Nodes of which nothing is known have numbers of their own, with gaps.
TEST_CASE("without slashes, nodes of the root are those that are counted from the first") {
  TestGraph model;
  AddScoped(model, {"", false});
  model.Node("Constant", {}, {"c"}, "Constant");
  model.Node("Constant", {}, {"d"}, "Constant_1");
  model.Node("Constant", {}, {"e"}, "Constant_13");
  model.Node("Identity", {"x"}, {"f"}, "Identity_0");
  const Names names = NamesOf(model.Build());
  CHECK(Names(names.begin() + 4, names.begin() + 8) ==
        Names{"/Constant", "/Constant_1", "Constant_13", "Identity_0"});
}

TEST_CASE("names that are nothing but a prefix, long ones, and many prefixes") {
  TestGraph model;
  const std::string separators(1 << 20, '_');
  for (int i = 0; i < 2000; ++i) {
    model.Node("Relu", {"x"}, {absl::StrCat(separators.substr(0, i % 64), "/", i)},
               absl::StrCat("p", i, "_/Relu"));
  }
  model.Node("Relu", {"x"}, {separators}, separators);
  model.Node("Relu", {"x"}, {absl::StrCat(separators, "/y")}, absl::StrCat(separators, "/Relu"));
  const Graph& graph = model.Build();
  CHECK(ReadableGraph(graph).graph().node(NodeId(0)).name == "p0_/Relu");
  CHECK(ReadableGraph(graph).graph().node(NodeId(2001)).name.size() == separators.size() + 5);
}

// Nodes of those names, as they are read.
std::vector<std::string> Read(const std::vector<std::string>& names) {
  TestGraph model;
  for (const std::string& name : names) {
    model.Node("Relu", {"x"}, {absl::StrCat(name, ":0")}, name);
  }
  return NamesOf(model.Build());
}

TEST_CASE("names of TensorFlow Lite's fused operators, joined by underscores") {
  std::vector<std::string> names = {
      "net/conv1/Relu_net/conv1/BiasAdd_head/Conv2D",
      "net/conv2/Relu_1_net/conv2/BiasAdd",
      "head/Mixed_5b/Relu_head/Mixed_5b/Add",
      "net/Conv2d_0a_1x1/Relu_net/Conv2d_0a_1x1/Add",
      "net/Sum_head",  // what it ends with is no scope
      "net/relu_net/Relu",
  };
  const std::vector<std::string> joined = {
      "net/conv1/Relu;net/conv1/BiasAdd;head/Conv2D",
      "net/conv2/Relu_1;net/conv2/BiasAdd",
      "head/Mixed_5b/Relu;head/Mixed_5b/Add",
      "net/Conv2d_0a_1x1/Relu;net/Conv2d_0a_1x1/Add",
      "net/Sum_head",
      "net/relu_net/Relu",
  };
  CHECK(Read(names) == joined);
  // A few may be called so by chance.
  names = {names[0], names[1], names[4], "head/Relu"};
  CHECK(Read(names) == names);
}

TEST_CASE("a megabyte of operators and underscores") {
  std::string name = "net";
  for (int i = 0; i < 1 << 17; ++i) name += "/Relu_net";
  std::string underscores = "net/R";
  for (int i = 0; i < 1 << 19; ++i) underscores += "_1";
  const std::vector<std::string> read = Read({name, name, name, name, underscores + "/Add"});
  CHECK(read[0].find("Relu_net/") == std::string::npos);
  CHECK(read[4] == underscores + "/Add");
}

}  // namespace
}  // namespace onnx_hier
