// SPDX-License-Identifier: Apache-2.0
#include "lib/names/learned_parameters.h"

#include <map>
#include <string>
#include <vector>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "doctest/doctest.h"
#include "tests/support/test_graph.h"

namespace onnx_hier {
namespace {

using testing::TestGraph;

using Owners = std::map<std::string, std::string>;

struct Layer {
  std::string op_type;
  std::vector<std::string> parameters;
  std::string name;  // the node's
};

Owners Learned(const std::vector<Layer>& layers, const char* value = "") {
  TestGraph model;
  model.Input("x");
  for (const Layer& layer : layers) {
    std::vector<std::string> inputs = {"x"};
    for (const std::string& parameter : layer.parameters) {
      model.Initializer(
          parameter, parameter.size() > 2 ? std::vector<int64_t>{4, 4} : std::vector<int64_t>{4});
      inputs.push_back(parameter);
    }
    model.Node(layer.op_type, inputs, {absl::StrCat("made by ", layer.parameters[0])}, layer.name);
  }
  if (*value != '\0') model.Node("Relu", {"x"}, {value});
  const Graph& graph = model.Build();
  Owners owners;
  for (const LearnedOwner& learned : LearnParameterOwners(graph)) {
    owners.emplace(graph.value(learned.parameter).name, learned.module);
  }
  return owners;
}

// Three layers, each with `parameters` behind another name.
std::vector<Layer> Three(const std::string& op_type, const std::vector<std::string>& parameters) {
  std::vector<Layer> layers;
  for (const char* name : {"a", "b_2", "c_d"}) {
    layers.push_back({op_type, {}, ""});
    for (const std::string& parameter : parameters) {
      layers.back().parameters.push_back(name + parameter);
    }
  }
  return layers;
}

TEST_CASE("operators with a weight count together") {
  std::vector<Layer> layers = Three("Conv", {"_W", "_b"});
  layers[1].op_type = "Gemm";
  layers[2].op_type = "ConvTranspose";
  CHECK(Learned(layers).size() == 6);
  layers[2].op_type = "Scan";
  CHECK(Learned(layers).empty());
}

TEST_CASE("what all names have in front that is no module") {
  for (const char* front : {"param_", "dec_param_", "gpu_0/", "m1/gpu_12/", "net/"}) {
    CAPTURE(front);
    std::vector<Layer> layers = Three("Conv", {"_W", "_b"});
    for (Layer& layer : layers) {
      for (std::string& parameter : layer.parameters) parameter.insert(0, front);
    }
    std::string module = front;
    for (const char* filler : {"param_", "gpu_0/", "gpu_12/"}) {
      if (absl::EndsWith(module, filler)) module.erase(module.size() - std::string(filler).size());
    }
    CHECK(Learned(layers).at(absl::StrCat(front, "b_2_W")) == absl::StrCat(module, "b_2"));
  }
}

TEST_CASE("where names of parameters part") {
  const Layer cases[] = {
      {"Conv", {"/kernel:0", "/bias:0"}, ""},
      {"Conv", {"/Kernel", "/Bias"}, ""},
      {"Conv", {"_W_new", "_B_new"}, ""},
      {"Conv", {"_weights"}, ""},
      {"Conv", {"_w_0", "_b_0"}, ""},
      {"LSTM", {"_W", "_R", "_B"}, ""},
      {"BatchNormalization", {"_bn_scale", "_bn_offset", "_bn_mean", "_bn_variance"}, ""},
  };
  for (const Layer& test : cases) {
    CAPTURE(test.parameters[0]);
    const Owners owners = Learned(Three(test.op_type, test.parameters));
    CHECK(owners.size() == 3 * test.parameters.size());
    const std::string inside = test.op_type == "BatchNormalization" ? "_bn" : "";
    for (const std::string& parameter : test.parameters) {
      CHECK(owners.at("c_d" + parameter) == "c_d" + inside);
      CHECK(owners.at("b_2" + parameter) == "b_2" + inside);
    }
  }
}

TEST_CASE("a lone parameter has a tail that others have") {
  std::vector<Layer> layers = Three("Conv", {"_w_new", "_b_new"});
  for (const char* name : {"d", "e", "f"}) {
    layers.push_back({"MatMul", {absl::StrCat(name, "_w_new")}, ""});
  }
  CHECK(Learned(layers).at("f_w_new") == "f");
  layers = Three("Conv", {"/kernel:0", "/bias:0"});
  for (const char* name : {"d", "e", "f"}) {
    layers.push_back({"DepthToSpace", {absl::StrCat(name, "/deep_kernel:0")}, ""});
  }
  CHECK(Learned(layers).at("f/deep_kernel:0") == "f");
}

TEST_CASE("names of operators are no modules") {
  const Owners owners = Learned(Three("MatMul", {"_MatMul_W"}));
  CHECK(owners.at("b_2_MatMul_W") == "b_2");
  CHECK(Learned({{"MatMul", {"MatMul_0_param"}, ""},
                 {"MatMul", {"MatMul_1_param"}, ""},
                 {"MatMul", {"MatMul_2_param"}, ""}})
            .empty());
}

TEST_CASE("where names of nodes and values say what is around") {
  const std::vector<Layer> layers = Three("Conv", {"/kernel:0"});
  CHECK(Learned(layers, "model/b_2/Relu:0").at("b_2/kernel:0") == "model/b_2");
  CHECK(Learned(layers, "model/b_2/Relu:0").at("a/kernel:0") == "a");
}

TEST_CASE("values of TensorFlow's operators") {
  const Owners owners =
      Learned({{"Conv", {"PartitionedCall/net/conv/Conv2D/ReadVariableOp:0"}, "Conv__3"},
               {"Conv", {"net/other/BiasAdd/y:0"}, "net/other/Conv2D"}});
  CHECK(owners ==
        Owners{{"PartitionedCall/net/conv/Conv2D/ReadVariableOp:0", "PartitionedCall/net/conv"}});
}

TEST_CASE("what is no grammar") {
  // Too few are called alike.
  CHECK(Learned({{"Conv", {"a_w", "a_b"}, ""}, {"Conv", {"b_w", "b_b"}, ""}}).empty());
  // Operators whose parameters have nothing in common.
  CHECK(Learned({{"Conv", {"a_w", "k_b"}, ""},
                 {"Conv", {"b_w", "l_b"}, ""},
                 {"Conv", {"c_w", "m_b"}, ""}})
            .empty());
  // All have one name in front.
  CHECK(Learned({{"Conv", {"all_a_w"}, ""}, {"Conv", {"all_b_x"}, ""}, {"Conv", {"all_c_y"}, ""}})
            .empty());
  // Dots name the others.
  std::vector<Layer> layers = Three("Conv", {"_weights"});
  layers.push_back({"Conv", {"net.conv.weight"}, ""});
  CHECK(Learned(layers).empty());
  // Names of nodes tell.
  layers = Three("Conv", {"/kernel:0"});
  for (Layer& layer : layers) layer.name = "net/conv/Conv2D";
  CHECK(Learned(layers).empty());
}

TEST_CASE("names of a megabyte") {
  const std::string slashes = "q" + std::string(1 << 20, '/');
  std::string parts;
  for (int i = 0; i < 1 << 19; ++i) parts += "a_";
  std::vector<Layer> layers;
  for (const std::string& front : {slashes, parts, std::string(1 << 20, 'x')}) {
    layers.push_back({"Conv", {front + "/kernel:0", front + "/bias:0"}, ""});
  }
  CHECK(Learned(layers, slashes.c_str()).size() == 6);
}

}  // namespace
}  // namespace onnx_hier
