// SPDX-License-Identifier: Apache-2.0
#include "absl/strings/str_cat.h"
#include "doctest/doctest.h"
#include "tests/audit/tagged_graph.h"

namespace onnx_hier {
namespace {

using testing::TaggedGraph;

TEST_CASE("a node's name vouches for its tag or against it") {
  TaggedGraph model;
  model.Node("Relu", {"x"}, {"a"}, "/enc/layer.0/act/Relu", "/enc/layer.0/act");
  model.Node("Relu", {"a"}, {"b"}, "/enc/layer.0/Relu_1", "/enc/layer.1");
  model.Node("Relu", {"b"}, {"c"}, "/enc/layer.1/act/Relu", "/enc/layer.1/fc");
  CHECK(model.Check() ==
        "/enc/layer.0/Relu_1: /enc/layer.1 -> /enc/layer.0\n"
        "/enc/layer.1/act/Relu: /enc/layer.1/fc -> /enc/layer.1/act !\n");
}

TEST_CASE("what is not contamination") {
  TaggedGraph model;
  model.Node("Relu", {"x"}, {"a"}, "/enc/layer.0/act/Relu", "/enc");
  model.Node("Relu", {"a"}, {"b"}, "/enc/layer.0/Relu", "");
  model.Node("Relu", {"b"}, {"c"}, "/enc/layer.0/Relu_2", "/Net/AuxiliaryOperations");
  model.Node("Relu", {"c"}, {"d"}, "/enc/attention/Relu", "/enc/layers.0/attention");
  model.Node("Relu", {"d"}, {"e"}, "/dec/Relu", "/model/dec");
  model.Node("Relu", {"e"}, {"f"}, "/block1/block1.0/act_1/Relu", "/block1.0/act");
  model.Node("Relu", {"f"}, {"g"}, "/enc/layer.1/Relu", "/enc/layer.1");
  model.AddAuxiliary("/enc/layer.0");
  CHECK(model.Check() == "");
}

TEST_CASE("of a fused node either name may be right") {
  TaggedGraph model;
  model.Node("FusedConv", {"x"}, {"/l.1/act/Relu_output_0"}, "/l.0/conv/Conv", "/l.1/act");
  model.Node("FusedConv", {"x"}, {"/l.1/act/Relu_1_output_0"}, "/l.0/conv/Conv", "/l.0/conv");
  model.Node("FusedGemm", {"x"}, {"y"}, "fused /pool/fc/Gemm", "/pool/act");
  CHECK(model.Check() == "");
}

TEST_CASE("a fused node goes back to that of its modules which its tag names") {
  TaggedGraph model;
  model.Node("FusedConv", {"x"}, {"/l.0/act/Relu_output_0"}, "/l.0/conv/Conv", "/l.1/act");
  model.Node("FusedConv", {"y"}, {"/l.1/act/Relu_output_0"}, "/l.1/conv/Conv", "/l.1/act");
  CHECK(model.Check() == "/l.0/conv/Conv: /l.1/act -> /l.0/act\n");
}

TEST_CASE("a tag does not show which of its slashes are parts of a name") {
  TaggedGraph model;
  model.graph().Initializer("a/b.bias", {4});
  model.Node("Reshape", {"x", "s"}, {"arg"}, "gemm_input_reshape_token_1", "/a/b");
  model.Node("Gemm", {"arg", "w", "a/b.bias"}, {"y"}, "/a/b/MatMul/MatMulAddFusion", "/a/b");
  CHECK(model.Check() == "");
}

TEST_CASE("parameters tell where a node without a name is, if they are not shared") {
  TaggedGraph model;
  for (const char* name : {"l.0.fc.weight", "l.1.fc.weight", "l.1.tied.weight"}) {
    model.graph().Initializer(name, {4, 4});
  }
  model.Node("MatMul", {"x", "l.0.fc.weight"}, {"a"}, "", "/l.0/fc");
  model.Node("MatMul", {"a", "l.1.fc.weight"}, {"b"}, "", "/l.0/fc");
  model.Node("MatMul", {"a", "l.1.tied.weight"}, {"c"}, "", "/l.0/head");
  model.Node("MatMul", {"c", "l.1.tied.weight"}, {"d"}, "", "/l.1/tied");
  CHECK(model.Check() == "1: /l.0/fc -> /l.1/fc\n");
}

TEST_CASE("who reads another member's parameter leaves its own, though others read that, too") {
  TaggedGraph model;
  for (const char* name : {"l.0.fc.weight", "l.1.fc.weight"})
    model.graph().Initializer(name, {4, 4});
  SUBCASE("its module has one") {
    model.Node("MatMul", {"x", "l.0.fc.weight"}, {"a"}, "", "/l.0/fc");
    model.Node("MatMul", {"a", "l.1.fc.weight"}, {"b"}, "", "/l.1/fc");
    model.Node("MatMul", {"b", "l.0.fc.weight"}, {"c"}, "", "/l.1/fc");
    CHECK(model.Check() == "2: /l.1/fc -> /l.0/fc\n");
  }
  SUBCASE("its module has none") {
    model.Node("MatMul", {"x", "l.0.fc.weight"}, {"a"}, "", "/l.0/fc");
    model.Node("MatMul", {"a", "l.0.fc.weight"}, {"b"}, "", "/l.2/fc");
    model.Node("MatMul", {"b", "l.1.fc.weight"}, {"c"}, "", "/l.1/fc");
    CHECK(model.Check() == "");
  }
}

TEST_CASE("tags may leave out what is around the whole model") {
  TaggedGraph model;
  std::string value = "x";
  for (int i = 0; i < 4; ++i) {
    const std::string weight = absl::StrCat("net.body.l.", i, ".fc.weight");
    model.graph().Initializer(weight, {4, 4});
    const std::string made = absl::StrCat("v", i);
    // The second one is said to be in the first layer.
    model.Node("MatMul", {value, weight}, {made}, "", absl::StrCat("/l.", i == 1 ? 0 : i, "/fc"));
    value = made;
  }
  CHECK(model.Check() == "1: /l.0/fc -> /l.1/fc\n");
}

TEST_CASE("what an activation makes of parameters is no parameter") {
  TaggedGraph model;
  model.graph().Initializer("table", {4, 4});
  model.graph().Initializer("l.0.bias", {4});
  model.Node("Add", {"table", "l.0.bias"}, {"a"}, "/l.0/Add", "/l.0");
  const auto check = [&](const char* op) {
    model.Node(op, {"a"}, {"b"}, "", "/l.0");
    model.Node("MatMul", {"b", "onnx::MatMul_9"}, {"c"}, "", "/l.1");
    return model.Check();
  };
  SUBCASE("") { CHECK(check("Relu") == ""); }
  SUBCASE("as it is where it is transposed") { CHECK(check("Transpose") == "2: /l.1 -> /l.0\n"); }
}

TEST_CASE("a copy of a merged parameter is where its own name says") {
  TaggedGraph model;
  model.graph().Initializer("l.0.norm.bias", {4});
  model.Node("Identity", {"l.0.norm.bias"}, {"l.1.norm.bias"}, "", "/l.1/norm");
  model.Node("Add", {"x", "l.1.norm.bias"}, {"a"}, "", "/l.1/norm");
  model.Node("Add", {"a", "l.0.norm.bias"}, {"b"}, "", "/l.0/norm");
  CHECK(model.Check() == "");
}

TEST_CASE("what reads the same is no finding, however its names are cut") {
  TaggedGraph model;
  for (const char* layer : {"0", "1"}) {
    const std::string weight = absl::StrCat("m.l/", layer, "/fc.weight");
    model.graph().Initializer(weight, {4, 4});
    model.Node("MatMul", {"x", weight}, {absl::StrCat("y", layer)},
               absl::StrCat("m./l/", layer, "/fc/MatMul"), absl::StrCat("/m/l/", layer, "/fc"));
  }
  CHECK(model.Check() == "");
}

}  // namespace
}  // namespace onnx_hier
