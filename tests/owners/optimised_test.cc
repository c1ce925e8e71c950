// SPDX-License-Identifier: Apache-2.0

// Nodes that an optimiser fused or put in belong to what they work for.
#include <string>

#include "doctest/doctest.h"
#include "lib/graph/data_type.h"
#include "tests/owners/place_text.h"
#include "tests/support/test_graph.h"

namespace onnx_hier {
namespace {

using testing::Places;
using testing::TestGraph;

constexpr const char* kScopes = "pkg.torch.onnx.name_scopes";
constexpr const char* kRule = "pkg.onnxscript.rewriter.rule_name";
constexpr const char* kNchwc = "com.microsoft.nchwc";

TEST_CASE("a parameter that leads deeper than any module of the metadata does not win") {
  TestGraph model;
  model.Initializer("attn.q.w.weight", {4, 4});
  const NodeId product = model.Node("MatMul", {"x", "attn.q.w.weight"}, {"a"}, "node_MatMul_1");
  model.Metadata(product, kScopes, "['', 'attn', 'linear']");
  model.Metadata(product, kRule, "PackedProjections");
  SUBCASE("where none knows it") { CHECK(Places(model.Build()) == "attn"); }
  SUBCASE("where another node has it, it does") {
    const NodeId other = model.Node("Relu", {"a"}, {"b"}, "node_Relu_2");
    model.Metadata(other, kScopes, "['', 'attn', 'attn.q', 'attn.q.w', 'relu']");
    CHECK(Places(model.Build()) == "attn.q.w | attn.q.w");
  }
}

TEST_CASE("a convolution with a folded normalisation belongs to its weight") {
  TestGraph model;
  model.Initializer("conv1.weight", {4, 4, 3, 3});
  const NodeId conv = model.Node("Conv", {"x", "conv1.weight"}, {"a"}, "node_Conv_1");
  model.Metadata(conv, kScopes, "['', 'bn1', 'batch_norm']");
  SUBCASE("if a rewriter put it there") {
    model.Metadata(conv, kRule, "FuseBatchNormIntoConv");
    CHECK(Places(model.Build()) == "conv1");
  }
  SUBCASE("not if it is as exported") { CHECK(Places(model.Build()) == "bn1"); }
  SUBCASE("not if others read the weight as well") {
    model.Metadata(conv, kRule, "FuseBatchNormIntoConv");
    model.Node("Conv", {"a", "conv1.weight"}, {"b"}, "node_Conv_2");
    CHECK(Places(model.Build()) == "bn1 | ?");
  }
}

TEST_CASE("a weight inside the module that a name says is no reason to move out of it") {
  TestGraph model;
  model.Initializer("attn.weight", {4, 4});
  const NodeId gemm = model.Node("Gemm", {"x", "attn.weight"}, {"a"}, "node_Gemm_1");
  model.Metadata(gemm, kScopes, "['', 'attn', 'attn.proj', 'linear']");
  model.Metadata(gemm, kRule, "FuseMatMulAdd");
  CHECK(Places(model.Build()) == "attn.proj");
}

TEST_CASE("a convolution that only bears its activation's name is somewhere around that") {
  TestGraph model;
  model.Initializer("reorder", {4, 4, 3, 3});
  model.Node("Conv", {"x", "reorder"}, {"reorder_token_0"}, "/block/relu/Relu_output_0_nchwc",
             kNchwc);
  model.Node("Conv", {"reorder_token_0", "reorder"}, {"reorder_token_1"},
             "/block/conv2/Conv_output_0_nchwc", kNchwc);
  CHECK(Places(model.Build()) == "block | block.conv2");
}

TEST_CASE("where only what is around the activation is known, the convolution is there") {
  TestGraph model;
  model.Initializer("reorder", {16, 8, 3, 3});
  model.Initializer("reorder_token_0", {8, 16, 3, 3});
  // Two activations, by their weights, that are printed alike.
  model.Node("Conv", {"x", "reorder"}, {"a"}, "/net/block/relu/Relu_output_0_nchwc", kNchwc);
  model.Node("Conv", {"a", "reorder_token_0"}, {"b"}, "/net/block/relu_1/Relu_output_0_nchwc",
             kNchwc);
  model.Node("Add", {"b", "x"}, {"y"}, "/net/block/Add");
  CHECK(Places(model.Build()) == "net.block | net.block | net.block");
}

TEST_CASE("a convolution that bears its activation's name is its own bias's") {
  TestGraph model;
  model.Initializer("reorder", {16, 16, 3, 3});
  model.Node("Conv", {"x", "reorder", "block.conv.bias"}, {"reorder_token_0"},
             "/block/relu/Relu_output_0_nchwc", kNchwc);
  SUBCASE("if that is still there") {
    model.Initializer("block.conv.bias", {16});
    CHECK(Places(model.Build()) == "block.conv");
  }
  SUBCASE("not if others read it as well") {
    model.Initializer("block.conv.bias", {16});
    model.Node("Conv", {"reorder_token_0", "reorder", "block.conv.bias"}, {"reorder_token_1"}, "",
               kNchwc);
    CHECK(Places(model.Build()) == "block | ?");
  }
}

TEST_CASE("a normalisation's bias that was folded into a convolution is not that one's own") {
  TestGraph model;
  model.Initializer("reorder", {16, 16, 3, 3});
  model.Initializer("ConvBnFusion_BN_B_block.bn.bias", {16});
  model.Node("Conv", {"x", "reorder", "ConvBnFusion_BN_B_block.bn.bias"}, {"reorder_token_0"},
             "/block/relu/Relu_output_0_nchwc", kNchwc);
  CHECK(Places(model.Build()) == "block");
}

TEST_CASE("what an operator was written out as is where it was") {
  TestGraph model;
  model.Node("Add", {"x", "three"}, {"_inlfunc_HardSwish_token_3_A"});
  model.Node("Clip", {"_inlfunc_HardSwish_token_3_A"}, {"_inlfunc_HardSwish_token_3_B"});
  model.Node("Mul", {"x", "_inlfunc_HardSwish_token_3_B"}, {"/block/act/HardSwish_output_0"});
  CHECK(Places(model.Build()) == "block.act | block.act | block.act");
}

TEST_CASE("what a model's own function was written out as may be in modules inside of it") {
  TestGraph model;
  model.Node("MatMul", {"x", "w"}, {"_inlfunc_Layer_token_3_a"});
  model.Node("Relu", {"_inlfunc_Layer_token_3_a"}, {"/block/act/Relu_output_0"});
  CHECK(Places(model.Build()) == "? | block.act");
}

TEST_CASE("what was put in goes with what it was put in for") {
  TestGraph model;
  model.Initializer("reorder", {4, 4, 3, 3});
  model.Node("ReorderInput", {"x"}, {"reorder_token_0"}, "ReorderInput", kNchwc);
  model.Node("Conv", {"reorder_token_0", "reorder"}, {"reorder_token_1"},
             "/conv/Conv_output_0_nchwc", kNchwc);
  model.Node("ReorderOutput", {"reorder_token_1"}, {"5"}, "ReorderOutput_token_2", kNchwc);
  model.Node("Reshape", {"5", "s"}, {"arg"}, "gemm_input_reshape_token_3");
  model.Node("Gemm", {"arg", "reorder"}, {"out"}, "/fc/MatMul/MatMulAddFusion");
  model.Node("Reshape", {"out", "s"}, {"y"}, "gemm_output_reshape_token_4");
  CHECK(Places(model.Build()) == "conv | conv | conv | fc | fc | fc");
}

TEST_CASE("quantisation is no reader of what was put in before it, and goes with that") {
  TestGraph model;
  model.Node("Relu", {"x"}, {"5"}, "/act/Relu");
  model.Node("Reshape", {"5", "s"}, {"arg"}, "gemm_input_reshape_token_3");
  const auto quantise = [&](const std::string& name) {
    model.Node("QuantizeLinear", {"arg", "scale"}, {"q"}, name.empty() ? "" : name + "Quantize");
    model.Node("DequantizeLinear", {"q", "scale"}, {"d"}, name.empty() ? "" : name + "Dequantize");
    model.Node("Gemm", {"d", "w"}, {"y"}, "/fc/MatMul/MatMulAddFusion");
    return Places(model.Build());
  };
  SUBCASE("as a quantiser calls it") { CHECK(quantise("arg_") == "act | fc | fc | fc | fc"); }
  SUBCASE("one without a name may be anything") { CHECK(quantise("") == "act | ? | ? | fc | fc"); }
}

// As onnxruntime's quantize_dynamic writes them.
void AddIntegerProduct(TestGraph& model, const std::string& weight, const std::string& out) {
  model.Initializer(weight + "_quantized", {4, 4}, data_type::kInt8);
  model.Initializer(weight + "_scale", {});
  model.Node("DynamicQuantizeLinear", {"x"}, {"x_quantized", "x_scale", "x_zero_point"});
  model.Node("MatMulInteger", {"x_quantized", weight + "_quantized"}, {"product"});
  model.Node("Cast", {"product"}, {"cast"});
  model.Node("Mul", {"x_scale", weight + "_scale"}, {"scales"});
  model.Node("Mul", {"cast", "scales"}, {out});
}

TEST_CASE("a product of integers is where its weight is, and its scaling with it") {
  TestGraph model;
  AddIntegerProduct(model, "fc.weight", "y");
  CHECK(Places(model.Build()) == "? | fc | fc | fc | fc");
}

TEST_CASE("a product with a weight of few bits is where its bias is added") {
  TestGraph model;
  model.Initializer("val_3_Q4", {4, 1, 16}, data_type::kUint8);
  model.Initializer("fc.bias", {4});
  model.Node("MatMulNBits", {"x", "val_3_Q4"}, {"y"}, "node_MatMul_3_Q4", "com.microsoft");
  const NodeId add = model.Node("Add", {"y", "fc.bias"}, {"z"}, "node_linear");
  model.Metadata(add, kScopes, "['', 'fc', 'linear']");
  CHECK(Places(model.Build()) == "fc | fc");
}

TEST_CASE("one whose weight has lost its name is where its bias is added") {
  TestGraph model;
  AddIntegerProduct(model, "val_3", "y");
  model.Initializer("fc.bias", {4});
  const NodeId add = model.Node("Add", {"y", "fc.bias"}, {"z"}, "node_linear");
  SUBCASE("which is where its own module's is") {
    model.Metadata(add, kScopes, "['', 'fc', 'linear']");
    CHECK(Places(model.Build()) == "? | fc | fc | fc | fc | fc");
  }
  SUBCASE("not where another module reads it") {
    model.Metadata(add, kScopes, "['', 'norm', 'add']");
    CHECK(Places(model.Build()) == "? | ? | ? | ? | ? | norm");
  }
}

TEST_CASE("a cast that is called after the node beside it goes with that") {
  TestGraph model;
  const NodeId embed = model.Node("Gather", {"words.weight", "x"}, {"a"}, "node_embedding");
  model.Metadata(embed, kScopes, "['', 'words', 'embedding']");
  model.Node("Cast", {"a"}, {"node_softmax_input_cast_0"}, "node_softmax_input_cast0");
  const NodeId softmax = model.Node("Softmax", {"node_softmax_input_cast_0"},
                                    {"node_softmax_output_cast_0"}, "node_softmax");
  model.Metadata(softmax, kScopes, "['', 'attn', 'softmax']");
  model.Node("Cast", {"node_softmax_output_cast_0"}, {"softmax"}, "node_softmax_output_cast0");
  model.Node("Cast", {"softmax"}, {"b"}, "node_other_input_cast0");
  CHECK(Places(model.Build()) == "words | attn | attn | attn | ?");
}

TEST_CASE("what readers that nothing is known of read stays open") {
  TestGraph model;
  model.Node("ReorderInput", {"x"}, {"a"}, "ReorderInput", kNchwc);
  model.Node("Conv", {"a"}, {"b"}, "", kNchwc);
  model.Node("Relu", {"b"}, {"c"}, "/relu/Relu");
  CHECK(Places(model.Build()) == "? | ? | relu");
}

TEST_CASE("a weight without a name is dequantised for its reader") {
  TestGraph model;
  model.Initializer("onnx::Conv_1_quantized", {4, 4, 3, 3}, data_type::kInt8);
  model.Initializer("other.weight_quantized", {4, 4, 3, 3}, data_type::kInt8);
  model.Node("DequantizeLinear", {"onnx::Conv_1_quantized", "s"}, {"a"},
             "onnx::Conv_1_DequantizeLinear");
  model.Node("DequantizeLinear", {"other.weight_quantized", "s"}, {"b"},
             "other.weight_DequantizeLinear");
  model.Node("Relu", {"x"}, {"c"}, "/act/Relu");
  model.Node("Conv", {"c", "a"}, {"y"}, "/conv/Conv");
  CHECK(Places(model.Build()) == "conv | ? | act | conv");
}

TEST_CASE("what a scale is called says nothing of a weight that has a name") {
  TestGraph model;
  // Equal ones were merged.
  model.Initializer("a.q.weight_scale", {});
  model.Initializer("a.q.weight_quantized", {4, 4}, data_type::kInt8);
  model.Initializer("a.k.weight_quantized", {4, 4}, data_type::kInt8);
  model.Node("DequantizeLinear", {"a.q.weight_quantized", "a.q.weight_scale"}, {"v0"});
  model.Node("DequantizeLinear", {"a.k.weight_quantized", "a.q.weight_scale"}, {"v1"});
  model.Node("MatMul", {"x", "v0"}, {"y"});
  model.Node("MatMul", {"y", "v1"}, {"z"});
  CHECK(testing::Owners(model.Build()) == "a.q | a.k | a.q | a.k");
}

TEST_CASE("a dequantiser that training left is where its name says") {
  TestGraph model;
  model.Node("QuantizeLinear", {"x", "s"}, {"q"}, "/0/quant/QuantizeLinear");
  SUBCASE("its own") {
    model.Node("DequantizeLinear", {"q", "s"}, {"d"}, "/0/quant/DequantizeLinear");
  }
  SUBCASE("or its quantiser's") { model.Node("DequantizeLinear", {"q", "s"}, {"d"}); }
  model.Node("Conv", {"d"}, {"y"}, "/1/Conv");
  CHECK(Places(model.Build()) == "0.quant | 0.quant | 1");
}

}  // namespace
}  // namespace onnx_hier
