// SPDX-License-Identifier: Apache-2.0
#include "lib/profile/kernel_names.h"

#include <string>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "doctest/doctest.h"

namespace onnx_hier {
namespace {

std::string Parts(absl::string_view name) {
  const NamedParts parts = PartsOf(name);
  std::string text = absl::StrJoin(parts.names, " & ");
  for (const auto& [first, last] : parts.ranges)
    absl::StrAppend(&text, " <", first, "|", last, ">");
  return text;
}

TEST_CASE("names that were put together") {
  const char* const kCases[][2] = {
      {"/a/Add", "/a/Add"},
      {"/a/Conv + /a/Relu", "/a/Conv & /a/Relu"},
      {"/a/Conv || /b/Conv", "/a/Conv & /b/Conv"},
      {"PWN(PWN(/a/Sigmoid), /a/Mul)", "/a/Sigmoid & /a/Mul"},
      {"PWN(/a/Relu (1))", "/a/Relu (1)"},
      {"Reformatting CopyNode for Input Tensor 0 to /a/Conv + /a/Relu", "/a/Conv & /a/Relu"},
      {"ShuffledInput copy of /a/Conv", "/a/Conv"},
      {"/a/Mul_output_0 copy", "/a/Mul_output_0"},
      {"{ForeignNode[a.weight.../b/Softmax]}", " <a.weight|/b/Softmax>"},
      {"{ForeignNode[/a/Add + /a/Mul.../b/Add + /b/Mul]}", " </a/Add|/b/Mul>"},
      {"{ForeignNode[/a/Add]} + /b/Mul", "/a/Add & /b/Mul"},
      {"/a/Conv + {ForeignNode[/a/Add", "/a/Conv & /a/Add"},
      {"", ""},
  };
  for (const auto& [name, parts] : kCases) {
    CHECK(Parts(name) == parts);
  }
}

TEST_CASE("names before an optimiser") {
  const char* const kCases[][2] = {
      {"/a/Add", ""},
      {"/a/MatMul/MatMulScaleFusion/", "/a/MatMul/MatMulScaleFusion /a/MatMul"},
      {"Mul_1/MatmulTransposeFusion//MatMulScaleFusion/",
       "Mul_1/MatmulTransposeFusion//MatMulScaleFusion Mul_1"},
      {"/a/MatMul/MatMulAddFusion_bias_dq", "/a/MatMul"},
      {"/a/Relu_output_0_nchwc", "/a/Relu_output_0"},
      {"Transpose_token_6", "Transpose"},
      {"fused /a/Gemm", "/a/Gemm"},
      {"/a/Conv/WithoutBiases", "/a/Conv"},
      {"convolution:/a/Conv", "/a/Conv"},
  };
  for (const auto& [name, before] : kCases) {
    CHECK(absl::StrJoin(NamesBefore(name), " ") == before);
  }
}

TEST_CASE("names that are made to be read in many ways") {
  std::string name;
  for (int i = 0; i < 300000; ++i) name += "/_";
  CHECK(NamesBefore(name).size() <= 16);
  for (int i = 0; i < 300000; ++i) name += " + ";
  CHECK(PartsOf(name).names.size() <= 4096);
}

TEST_CASE("nodes of functions that were inlined") {
  std::string text;
  for (const InlinedName& name : InlinedNames("_inlfunc_Self_Attn_token_9_Add_51")) {
    absl::StrAppend(&text, name.function, "|", name.node, " ");
  }
  CHECK(text ==
        "Self|Attn_token_9_Add_51 Self_Attn|token_9_Add_51 Self_Attn|Add_51 "
        "Self_Attn_token|9_Add_51 Self_Attn_token_9|Add_51 Self_Attn_token_9_Add|51 ");
  CHECK(InlinedNames("/a/Add").empty());
  CHECK(InlinedNames(absl::StrCat("_inlfunc_", std::string(100000, '_'))).size() == 32);
}

}  // namespace
}  // namespace onnx_hier
