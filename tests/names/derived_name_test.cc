// SPDX-License-Identifier: Apache-2.0
#include "lib/names/derived_name.h"

#include <string>

#include "absl/strings/str_join.h"
#include "doctest/doctest.h"

namespace onnx_hier {
namespace {

struct DerivedCase {
  const char* name;
  const char* originals;  // joined by " | "
};

TEST_CASE("names that tools made from names") {
  const DerivedCase cases[] = {
      {"/encoder/layer.0/Add", "/encoder/layer.0/Add"},
      {"Constant_13", "Constant_13"},
      {"", ""},
      // onnxruntime
      {"fused /pooler/dense/Gemm", "/pooler/dense/Gemm"},
      {"/self/MatMul/MatMulScaleFusion/", "/self/MatMul/MatMulScaleFusion"},
      {"/conv1/Conv_/relu/Relu", "/conv1/Conv | /relu/Relu"},
      {"/conv1/Conv_/add/Add_/relu/Relu", "/conv1/Conv | /add/Add | /relu/Relu"},
      {"/conv/Conv_output_0_nchwc", "/conv/Conv_output_0"},
      {"/norm/BatchNormalization_output_0_bn_nchwc", "/norm/BatchNormalization_output_0"},
      {"/attn/Reshape_9_new_reshape", "/attn/Reshape_9"},
      {"gemm_input_reshape_token_80", "gemm_input_reshape"},
      {"InsertedCast_/fc/Gemm_output_0", "/fc/Gemm_output_0"},
      // its quantiser
      {"/relu/Relu_output_0_QuantizeLinear", "/relu/Relu_output_0"},
      {"/relu/Relu_output_0_DequantizeLinear/qdq_utils_dup_0", "/relu/Relu_output_0"},
      {"/fc/MatMul_quant", "/fc/MatMul"},
      {"/fc/MatMul_Q4", "/fc/MatMul"},
      // float16 conversion
      {"/fc/Gemm_input_cast0", "/fc/Gemm"},
      {"pixel_values_cast_to_/conv1/Conv", "/conv1/Conv"},
      {"/fc/Gemm_cast_to_logits", "/fc/Gemm"},
      // spox
      {"If_0_then_branch__Inline_0__/stft/Conv", "/stft/Conv"},
      // only looks like one of these
      {"my_Inline_layer", "my_Inline_layer"},
      {"/layer_token_x/Add", "/layer_token_x/Add"},
  };
  for (const DerivedCase& c : cases) {
    CAPTURE(c.name);
    CHECK(absl::StrJoin(OriginalNames(c.name), " | ") == c.originals);
  }
}

TEST_CASE("names of values") {
  bool is_value = false;
  CHECK(NodeOfValueName("/fc/Gemm_output_0", &is_value) == "/fc/Gemm");
  CHECK(is_value);
  CHECK(NodeOfValueName("/fc/Gemm_output_x", &is_value) == "/fc/Gemm_output_x");
  CHECK_FALSE(is_value);
}

TEST_CASE("names with the fusions that a node went through") {
  CHECK(WithoutFusions("/self/MatMul/MatMulScaleFusion/") == "/self/MatMul");
  CHECK(WithoutFusions("/MatMul_1/MatmulTransposeFusion//MatMulScaleFusion/") == "/MatMul_1");
  CHECK(WithoutFusions("/fc/MatMul/MatMulAddFusion") == "/fc/MatMul");
  CHECK(WithoutFusions("/fc/MatMul") == "/fc/MatMul");
  CHECK(WithoutFusions("/norm/") == "/norm/");
  CHECK(WithoutFusions("Fusion") == "Fusion");
  CHECK(WithoutFusions("/Fusion") == "");
}

TEST_CASE("counters") {
  CHECK(WithoutCounter("MatMul_12") == "MatMul");
  CHECK(WithoutCounter("MatMul") == "MatMul");
  CHECK(WithoutCounter("conv2d") == "conv2d");
  CHECK(WithoutCounter("_9") == "");
  CHECK(WithoutCounter("mlp/MatMul_node_12") == "mlp/MatMul");
  CHECK(WithoutCounter("mlp/graph_node_12") == "mlp/graph_node");
  CHECK(HasBuilderCounter("mlp/MatMul_node_12"));
  CHECK_FALSE(HasBuilderCounter("mlp/MatMul_12"));
  CHECK_FALSE(HasBuilderCounter("MatMul_node"));
}

TEST_CASE("what quantisers put behind the name of a value") {
  CHECK(WithoutSuffixOfValue("/conv/Conv_output_0_bias_reshape_output") == "/conv/Conv_output_0");
  CHECK(WithoutSuffixOfValue("/conv/Conv_output_12_scale") == "/conv/Conv_output_12");
  for (const char* name : {"/conv/Conv_output_0", "/conv/Conv_output_", "/conv/Conv_output_x_y",
                           "/conv/Conv_output_0_grad", "/Conv_output_0_/fc/Gemm", "", "_output_"}) {
    CAPTURE(name);
    CHECK(WithoutSuffixOfValue(name) == name);
  }
}

}  // namespace
}  // namespace onnx_hier
