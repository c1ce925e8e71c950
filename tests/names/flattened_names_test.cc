// SPDX-License-Identifier: Apache-2.0
#include "lib/names/flattened_names.h"

#include <string>
#include <vector>

#include "doctest/doctest.h"
#include "tests/support/test_graph.h"

namespace onnx_hier {
namespace {

using testing::TestGraph;

// Each of the names as it is read in a file that has all of them.
std::vector<std::string> Dotted(const std::vector<std::string>& names) {
  TestGraph model;
  for (const std::string& name : names) model.Initializer(name, {4, 4});
  const FlattenedNames flattened(model.Build());
  std::vector<std::string> dotted;
  for (const std::string& name : names) {
    std::string text;
    dotted.emplace_back(flattened.any() ? flattened.Of(name, text) : "as it is");
  }
  return dotted;
}

// Those of both layers of a list.
std::vector<std::string> Layers(const std::string& before) {
  std::vector<std::string> names;
  for (const char* layer : {"0", "1"}) {
    for (const char* module : {"attn_q_proj", "attn_k_proj", "ffn", "ffn_out"}) {
      names.push_back(before + layer + "_" + module + "_weight");
    }
  }
  return names;
}

TEST_CASE("dots are where names part, and around numbers") {
  const std::vector<std::string> dotted = Dotted(Layers("layers_"));
  CHECK(dotted[0] == "layers.0.attn.q_proj.weight");
  CHECK(dotted[5] == "layers.1.attn.k_proj.weight");
}

TEST_CASE("a module with parameters holds no others") {
  const std::vector<std::string> dotted = Dotted(Layers("layers_"));
  CHECK(dotted[2] == "layers.0.ffn.weight");
  CHECK(dotted[3] == "layers.0.ffn_out.weight");
}

TEST_CASE("what never parts stays one name") {
  CHECK(Dotted(Layers("text_model_layers_"))[0] == "text_model_layers.0.attn.q_proj.weight");
}

TEST_CASE("torch.export says what its inputs are") {
  CHECK(Dotted({"p_net_a_weight", "p_net_a_bias", "p_net_b_weight", "p_net_b_bias",
                "p_net_out_proj_weight", "p_net_out_proj_bias", "b_net_norm_running_mean",
                "b_net_norm_running_var"})[7] == "net.norm.running_var");
  CHECK(Dotted(Layers("p_layers_"))[7] == "layers.1.ffn_out.weight");
}

TEST_CASE("names with dots, without lists, and too few are read as they are") {
  std::vector<std::string> names = Layers("layers_");
  names.emplace_back("head.weight");
  CHECK(Dotted(names)[0] == "as it is");
  CHECK(Dotted({"a_weight", "b_weight", "c_weight", "d_weight", "e_weight", "f_weight", "g_weight",
                "h_weight"})[0] == "as it is");
  CHECK(Dotted({"layers_0_weight", "layers_1_weight"})[0] == "as it is");
}

TEST_CASE("underscores at odd places") {
  std::vector<std::string> names = Layers("layers_");
  names.emplace_back("_weight");
  names.emplace_back("__0__weight");
  names.emplace_back("weight");
  const std::vector<std::string> dotted = Dotted(names);
  CHECK(dotted[8] == "_weight");
  CHECK(dotted[10] == "weight");
}

}  // namespace
}  // namespace onnx_hier
