// SPDX-License-Identifier: Apache-2.0
#include "lib/owners/traced_calls.h"

#include <string>

#include "absl/strings/str_cat.h"
#include "doctest/doctest.h"
#include "tests/owners/place_text.h"
#include "tests/support/test_graph.h"

namespace onnx_hier {
namespace {

using testing::Places;
using testing::TestGraph;

TEST_CASE("a second call that has its parent's scope is where its parameters are") {
  TestGraph model;
  model.Initializer("conv.weight", {4, 4, 1, 1});
  model.Node("Conv", {"x", "conv.weight"}, {"a"}, "/conv/Conv");
  model.Node("Conv", {"a", "conv.weight"}, {"b"}, "/Conv");
  CHECK(Places(model.Build()) == "conv | conv#1");
  // By another operator it is not the same call: tied weights.
  TestGraph tied;
  tied.Initializer("embed.weight", {4, 4});
  tied.Node("Gather", {"embed.weight", "x"}, {"a"}, "/embed/Gather");
  tied.Node("MatMul", {"a", "embed.weight"}, {"b"}, "/MatMul");
  CHECK(Places(tied.Build()) == "embed | ");
}

// Two blocks of a list, with a module that runs twice in each.
std::string PlacesOfList(const std::string& list, const std::string& second) {
  TestGraph model;
  std::string x = "x";
  for (const char* block : {"0", "1"}) {
    const std::string scope = absl::StrCat(list, block);
    model.Initializer(absl::StrCat("body.", block, ".fc.weight"), {4, 4});
    const auto add = [&](const char* op, const std::string& name) {
      const std::string output = absl::StrCat(scope, name);
      if (op == std::string("Gemm")) {
        model.Node(op, {x, absl::StrCat("body.", block, ".fc.weight")}, {output}, output);
      } else {
        model.Node(op, {x}, {output}, output);
      }
      x = output;
    };
    add("Gemm", "/fc/Gemm");
    add("Relu", "/act/Relu");
    add("Gemm", absl::StrCat(second, "/Gemm"));
    add("Relu", "/Relu");
    add("Neg", "/Neg");
  }
  return Places(model.Build());
}

TEST_CASE("lists tell a traced module, in which further calls are the parent's by name only") {
  CHECK(PlacesOfList("/body/", "") ==
        "body.0.fc | body.0.act | body.0.fc#1 | body.0.act#1 | body.0 | "
        "body.1.fc | body.1.act | body.1.fc#1 | body.1.act#1 | body.1");
  // As torch names modules that were not traced, the parent does it.
  CHECK(PlacesOfList("/body/body.", "/fc_1") ==
        "body.0.fc | body.0.act | body.0.fc#1 | body.0 | body.0 | "
        "body.1.fc | body.1.act | body.1.fc#1 | body.1 | body.1");
}

TEST_CASE("an operator is no call of one of two modules like it, nor one with parameters") {
  TestGraph model;
  model.Initializer("onnx::Mul_1", {4});
  model.Node("Relu", {"x"}, {"a"}, "/body/0/act1/Relu");
  model.Node("Relu", {"a"}, {"b"}, "/body/0/act2/Relu");
  model.Node("Relu", {"b"}, {"c"}, "/body/0/Relu");
  model.Node("Mul", {"c", "c"}, {"d"}, "/body/0/scale/Mul");
  model.Node("Mul", {"d", "onnx::Mul_1"}, {"e"}, "/body/0/Mul");
  CHECK(Places(model.Build()) == "body.0.act1 | body.0.act2 | body.0 | body.0.scale | body.0");
}

}  // namespace
}  // namespace onnx_hier
