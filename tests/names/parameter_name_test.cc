// SPDX-License-Identifier: Apache-2.0
#include "lib/names/parameter_name.h"

#include "doctest/doctest.h"
#include "lib/graph/parameter_parts.h"

namespace onnx_hier {
namespace {

TEST_CASE("owners of parameters") {
  struct Case {
    const char* name;
    const char* owner;  // "": none
  };
  const Case cases[] = {
      {"encoder.layer.0.attention.query.weight", "encoder.layer.0.attention.query"},
      {"fc.bias", "fc"},
      {"0.weight", "0"},
      {"self.model.stft.hop", "model.stft"},
      {"self.hop", ""},
      {"encoder/layers/0/Conv.weight", "encoder/layers/0/Conv"},
      {"encoder.a/b.weight", "encoder.a/b"},
      {"encoder/layer_._23/query/kernel:0", ""},
      {"MatMul_Grad/ReduceAxes_for_encoder.fc.bias", ""},
      {"encoder.scales.3", "encoder"},
      {"scale.3", ""},
      {"encoder.scales.3_quantized", "encoder"},
      {"net/stages.0/stages.0.0/Conv_output_0", ""},
      {"const_2.0_f32", ""},
      {"const_1.5e-06_f32", ""},
      {"ConvBnFusion_W_stem.0.weight", "stem.0"},
      {"FusedBack_h.0.mlp.weight", "h.0.mlp"},
      {"InsertedPrecisionFreeCast_FusedBack_h.0.mlp.bias", "h.0.mlp"},
      {"ConvMulFusion_Mul_B_ConvBnFusion_BN_B_stem.1.bias", "stem.1"},
      {"TextFusion_net.fc.weight", "TextFusion_net.fc"},
      {"h.0.attn.q.weight__h.0.attn.k.weight__axis_0__concat_t", "h.0.attn"},
      {"h.0.attn.q.weight__h.0.attn.q.bias", "h.0.attn.q"},
      {"h.0.attn.q.weight__h.0.attn.q2.weight", "h.0.attn"},
      {"a.weight__b.weight", "a.weight__b"},
      {"my__net.fc.weight", "my__net.fc"},
      {"fc_weight", ""},
      {"weight", ""},
      {"onnx::MatMul_333", ""},
      {"/encoder/Constant_output_0", ""},
      {"/encoder/layer.1/Constant_output_0", ""},
      {".weight", ""},
      {"fc.", ""},
      {".", ""},
      {"", ""},
  };
  for (const Case& c : cases) {
    CAPTURE(c.name);
    CHECK(OwnerInParameterName(c.name) == c.owner);
  }
}

TEST_CASE("parameters that others were folded into") {
  CHECK(IsFoldedParameterName("ConvBnFusion_BN_B_stem.1.bias"));
  CHECK(!IsFoldedParameterName("stem.1.bias"));
}

TEST_CASE("a parameter's own name") {
  CHECK(LeafOfParameterName("encoder.fc.weight") == "weight");
  CHECK(LeafOfParameterName("weight") == "weight");
  CHECK(LeafOfParameterName("") == "");
}

}  // namespace
}  // namespace onnx_hier
