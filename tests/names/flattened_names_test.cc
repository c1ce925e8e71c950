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
  const Graph graph = model.Build();
  const FlattenedNames flattened(graph);
  std::vector<std::string> dotted;
  for (TensorId id : graph.tensor_ids()) {
    std::string text;
    dotted.emplace_back(flattened.any() ? flattened.OfTensor(id, text) : "as it is");
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

// A node, and the parameter that it reads, if any.
struct Written {
  std::string op_type;
  std::string name;
  std::string parameter;
};

// Each reads what the one before it makes.
void AddNodes(const std::vector<Written>& nodes, bool are_named, TestGraph& model) {
  std::string last = "x";
  for (const Written& node : nodes) {
    std::vector<std::string> inputs = {last};
    if (!node.parameter.empty()) {
      model.Initializer(node.parameter, {4, 4});
      inputs.push_back(node.parameter);
    }
    last = node.name + "_output_0";
    model.Node(node.op_type, inputs, {last}, are_named ? node.name : "");
  }
}

// The names of nodes as they are read, then those of what they make.
std::vector<std::string> Scopes(const std::vector<Written>& nodes, bool are_named = true) {
  TestGraph model;
  AddNodes(nodes, are_named, model);
  const Graph graph = model.Build();
  const FlattenedNames flattened(graph);
  std::vector<std::string> names;
  std::string text;
  for (NodeId id : graph.node_ids()) names.emplace_back(flattened.OfNode(id, text));
  for (NodeId id : graph.node_ids()) {
    names.emplace_back(flattened.OfValue(graph.outputs(id)[0], text));
  }
  return names;
}

// Nodes of two layers, with `slash` for slashes and `dot` for the dots in scopes.
std::vector<Written> LayersOf(const std::string& slash, const std::string& dot,
                              const std::string& parameter_dot = ".") {
  std::vector<Written> nodes;
  for (const char* layer : {"0", "1"}) {
    const std::string scope = slash + "net" + slash + "layers" + dot + layer + slash;
    const std::string parameters =
        "net" + parameter_dot + "layers" + parameter_dot + layer + parameter_dot;
    for (const char* module : {"q_proj", "fc"}) {
      nodes.push_back({"MatMul", scope + module + slash + "MatMul",
                       parameters + module + parameter_dot + "weight"});
    }
    nodes.push_back({"Relu", scope + "my_act" + slash + "Relu", ""});
  }
  nodes.push_back({"Add", slash + "Add_1", ""});
  return nodes;
}

TEST_CASE("other signs stand for the slashes of scopes") {
  for (const char* slash : {".", "::", "__", "\\", ":"}) {
    CAPTURE(slash);
    const std::vector<std::string> names = Scopes(LayersOf(slash, slash));
    CHECK(names[0] == "/net/layers.0/q_proj/MatMul");
    CHECK(names[5] == "/net/layers.1/my_act/Relu");
    CHECK(names[6] == "/Add_1");
    CHECK(names[7] == "/net/layers.0/q_proj/MatMul_output_0");
  }
}

TEST_CASE("which underscores were slashes, the parameters tell") {
  for (const char* dot : {".", "_"}) {
    CAPTURE(dot);
    const std::vector<std::string> names = Scopes(LayersOf("_", dot));
    CHECK(names[0] == "/net/layers.0/q_proj/MatMul");
    // What none of them names, and never parts, is one module.
    CHECK(names[5] == "/net/layers.1/my_act/Relu");
    CHECK(names[6] == "/Add_1");
    CHECK(names[13] == "/Add_1_output_0");
  }
}

TEST_CASE("where parameters have no dots either, all names tell it together") {
  std::vector<Written> nodes = LayersOf("_", "_", "_");
  CHECK(Scopes(nodes)[1] == "/net_layers.0/fc/MatMul");
  nodes.push_back({"Gemm", "_net_head_Gemm", "net_head_weight"});
  CHECK(Scopes(nodes)[1] == "/net/layers.0/fc/MatMul");
  CHECK(Scopes(nodes)[2] == "/net/layers.0/my_act/Relu");
}

TEST_CASE("what optimisers made of such names") {
  std::vector<Written> nodes = LayersOf("_", ".");
  nodes.push_back({"FusedMatMul", "_net_layers.1_fc_MatMul_MatMulScaleFusion_", ""});
  nodes.push_back({"Gemm", "fused _net_layers.0_fc_Gemm", ""});
  nodes.push_back({"Conv", "_net_layers.0_fc_Conv_output_0_nchwc", ""});
  const std::vector<std::string> names = Scopes(nodes);
  CHECK(names[7] == "/net/layers.1/fc/MatMul");
  CHECK(names[8] == "/net/layers.0/fc/Gemm");
  CHECK(names[9] == "/net/layers.0/fc/Conv");
}

TEST_CASE("one parameter is enough where values are named as torch names them") {
  std::vector<Written> nodes = LayersOf("_", ".");
  for (size_t i = 1; i < nodes.size(); ++i) {
    if (!nodes[i].parameter.empty()) nodes[i].parameter = "MatMul_" + std::to_string(i);
  }
  CHECK(Scopes(nodes)[0] == "/net/layers.0/q_proj/MatMul");
  CHECK(Scopes(nodes)[6] == "/Add_1");
}

TEST_CASE("nodes without names are where what they make says") {
  const std::vector<std::string> names = Scopes(LayersOf("_", "."), false);
  CHECK(names[0].empty());
  CHECK(names[12] == "/net/layers.1/my_act/Relu_output_0");
}

TEST_CASE("members of a Sequential repeat its name, and a second call has a number") {
  const std::vector<std::string> names = Scopes({{"Conv", "_stem_stem_0_Conv", "stem.0.weight"},
                                                 {"Relu", "_stem_stem_1_Relu", ""},
                                                 {"Conv", "_stem_stem_2_Conv", "stem.2.weight"},
                                                 {"Relu", "_relu_Relu", ""},
                                                 {"Relu", "_relu_1_Relu", ""},
                                                 {"Gemm", "_fc_Gemm", "fc.weight"}});
  CHECK(names[0] == "/stem/stem.0/Conv");
  CHECK(names[1] == "/stem/stem.1/Relu");
  CHECK(names[4] == "/relu_1/Relu");
}

TEST_CASE("a module with parameters of its own is not around another one") {
  const std::vector<std::string> names =
      Scopes({{"Conv", "_fire_squeeze_Conv", "fire.squeeze.weight"},
              {"Relu", "_fire_squeeze_act_Relu", ""},
              {"Conv", "_fire_expand_Conv", "fire.expand.weight"},
              {"Relu", "_fire_expand_act_Relu", ""},
              {"Gemm", "_fc_Gemm", "fc.weight"}});
  CHECK(names[1] == "/fire/squeeze_act/Relu");
  CHECK(names[2] == "/fire/expand/Conv");
}

TEST_CASE("nodes that are counted together, and their operators once more behind") {
  std::vector<Written> nodes = LayersOf("_", "_", "_");
  int number = 7;
  for (Written& node : nodes) {
    node.name = "node_" + std::to_string(number++) + node.name + "_" + node.op_type;
  }
  nodes.push_back({"MatMul", "node_3_net_layers_1_fc_MatMul_Grad_MatMul_0_MatMul_backward", ""});
  nodes.push_back({"Gelu", "BiasGelu_Gelu_Gelu", ""});
  const std::vector<std::string> names = Scopes(nodes);
  CHECK(names[0] == "/net_layers.0/q_proj/MatMul");
  CHECK(names[6] == "/Add_1");
  CHECK(names[7] == "/net_layers.1/fc/MatMul");
  CHECK(names[8] == "BiasGelu_Gelu_Gelu");
}

TEST_CASE("names of nodes that say something else than the parameters stay") {
  for (const char* name : {"Conv_", "m1_Conv_", "stage_Conv_", "x.Conv_"}) {
    std::vector<Written> nodes;
    for (int i = 0; i < 6; ++i) {
      const std::string number = std::to_string(i);
      nodes.push_back({"Conv", name + number, "net.blocks." + number + ".weight"});
    }
    CHECK(Scopes(nodes)[3] == nodes[3].name);
  }
}

TEST_CASE("long names, deep ones, and many that share nothing") {
  std::string deep;
  for (int i = 0; i < 1 << 16; ++i) deep += "a.";
  std::vector<Written> nodes = LayersOf("_", "_");
  nodes.push_back({"Conv", "_" + deep + "b_Conv", deep + "b.weight"});
  nodes.push_back({"Relu", std::string(1 << 20, '_'), ""});
  for (int i = 0; i < 1000; ++i) {
    const std::string number = std::to_string(i);
    nodes.push_back({"Relu", "_p" + number + "_q" + number + "_Relu", ""});
  }
  CHECK(Scopes(nodes)[0] == "/net/layers.0/q_proj/MatMul");
}

}  // namespace
}  // namespace onnx_hier
