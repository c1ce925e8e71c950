// SPDX-License-Identifier: Apache-2.0
#include "lib/names/dialect.h"

#include <string>

#include "doctest/doctest.h"
#include "tests/support/test_graph.h"

namespace onnx_hier {
namespace {

using testing::TestGraph;

std::string DialectOf(TestGraph& model) {
  return std::string(RecognizeDialect(model.Build()).name);
}

std::string OfWeight(const char* weight) {
  TestGraph model;
  model.Initializer(weight, {4, 4});
  model.Node("MatMul", {"x", weight}, {"y"});
  return DialectOf(model);
}

std::string OfNames(const char* op_type, const char* node, const char* value) {
  TestGraph model;
  model.Node(op_type, {"x"}, {value}, node);
  return DialectOf(model);
}

std::string OfMetadata(const char* key, const char* text) {
  TestGraph model;
  model.Metadata(model.Node("Relu", {"x"}, {"y"}), key, text);
  return DialectOf(model);
}

std::string OfFunction(const char* domain, const char* node) {
  TestGraph model;
  model.Node("Block", {"x"}, {"y"}, node, domain);
  model.In(model.Function(domain, "Block")).Node("Relu", {"x"}, {"y"});
  return DialectOf(model);
}

TEST_CASE("what names of nodes and values are known by") {
  CHECK(OfNames("Relu", "/relu/Relu", "/relu/Relu_output_0") == "torchscript-scoped");
  CHECK(OfNames("Relu", "/relu/Relu_node_3", "y") == "onnxscript-builder");
  CHECK(OfNames("Relu", "model/relu/Relu", "y") == "tensorflow");
  CHECK(OfNames("Relu", "", "model/Relu:0") == "tensorflow");
  CHECK(OfNames("Relu", "p2o.Relu.3", "y") == "paddle");
  CHECK(OfNames("Relu", "node_Relu_3", "relu_3") == "dynamo");
  CHECK(OfNames("Relu", "node_3", "y") == "unknown");
  CHECK(OfNames("Relu", "stage1_relu0_fwd", "y") == "mxnet");
  CHECK(OfNames("Relu", "Relu_12", "y") == "unknown");
  CHECK(OfNames("Relu", "relu_Grad/Relu_0", "y") == "unknown");
}

TEST_CASE("nodes that are called after layers, as what they make is") {
  CHECK(OfNames("Conv", "conv2d_1", "conv2d_1") == "layer-names");
  CHECK(OfNames("Conv", "Conv_1", "Conv_1") == "unknown");
  CHECK(OfNames("Conv", "conv2d_1", "y") == "unknown");
  CHECK(OfNames("Conv", "conv.1", "conv.1") != "layer-names");
  TestGraph model;
  model.Node("MatMul", {"x"}, {"fc_MatMul"}, "fc_MatMul");
  const Dialect dialect = RecognizeDialect(model.Build());
  REQUIRE(dialect.names != nullptr);
  const auto layer = [&](const char* name, const char* op_type) {
    return std::string(dialect.names->ReadNode(name, op_type).scope);
  };
  CHECK(layer("fc_MatMul", "MatMul") == "fc");
  CHECK(layer("fc_MatMul", "Add") == "fc_MatMul");
  CHECK(layer("stage1_conv0_fwd", "Conv") == "stage1_conv0");
  CHECK(layer("conv2d__48", "Transpose") == "conv2d");
  CHECK(layer("_Add", "Add") == "_Add");
  CHECK(layer("__48", "Add") == "__48");
}

TEST_CASE("what metadata is known by") {
  CHECK(OfMetadata("pkg.torch.onnx.name_scopes", "['', 'a', 'relu']") == "dynamo");
  CHECK(OfMetadata("namespace", ": M/a: A/relu: aten.relu") == "dynamo");
  CHECK(OfMetadata("pkg.onnxscript.name_scopes", "['', 'a']") == "onnxscript-builder");
  CHECK(OfMetadata("pkg.torch.onnx.name_scopes", "['relu']") == "unknown");
  CHECK(OfMetadata("namespace", "a/relu") == "unknown");
}

TEST_CASE("what functions are known by") {
  CHECK(OfFunction("models.vit", "/block/Block") == "torchscript-functions");
  CHECK(OfFunction("custom.block", "") == "jax-functions");
}

TEST_CASE("only weights that are counted are named as Paddle does") {
  CHECK(OfWeight("linear_0.w_0") == "paddle");
  CHECK(OfWeight("layer.query.w") == "torchscript-flat");
}

}  // namespace
}  // namespace onnx_hier
