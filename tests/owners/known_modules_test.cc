// SPDX-License-Identifier: Apache-2.0

// What is presumed of nodes that read parameters.
#include "lib/owners/known_modules.h"

#include <string>

#include "absl/strings/str_cat.h"
#include "doctest/doctest.h"
#include "lib/graph/graph_analysis.h"
#include "tests/support/test_graph.h"

namespace onnx_hier {
namespace {

using testing::TestGraph;

std::string Presumed(TestGraph& model) {
  const GraphAnalysis analysis(model.Build());
  ModulePaths paths;
  const Evidence evidence = CollectEvidence(analysis.flow().graph(), {}, paths);
  const KnownModules known = CollectKnown(analysis.flow(), evidence, paths);
  std::string text;
  for (Rank rank : analysis.flow().ranks()) {
    if (!text.empty()) text += " | ";
    const PathId module = known[rank];
    text += !module.valid() ? "?" : module == paths.root() ? "." : paths.QualifiedName(module);
  }
  return text;
}

TEST_CASE("who reads what an embedding looked up is not in the embedding") {
  TestGraph model;
  model.Input("ids");
  model.Initializer("words.weight", {9, 4});
  model.Initializer("attention.bias.weight", {9, 4});
  model.Initializer("positions", {1, 9}, data_type::kInt64);
  model.Node("Gather", {"words.weight", "ids"}, {"x"});
  model.Node("Gather", {"attention.bias.weight", "positions"}, {"looked_up"});
  model.Node("Transpose", {"looked_up"}, {"bias"});
  model.Node("Add", {"x", "bias"}, {"y"});
  CHECK(Presumed(model) == "words | attention.bias | ? | attention");
}

TEST_CASE("a table that is never read at run time is part of what reads it") {
  TestGraph model;
  model.Input("x");
  model.Initializer("attention.table", {9, 4});
  model.Initializer("positions", {1, 9}, data_type::kInt64);
  model.Node("Gather", {"attention.table", "positions"}, {"looked_up"});
  model.Node("Transpose", {"looked_up"}, {"bias"});
  model.Node("Add", {"x", "bias"}, {"y"});
  CHECK(Presumed(model) == "? | ? | attention");
}

// Two layers that share the vectors of a norm, as a tool left them that took copies out.
void AddLayers(TestGraph& model) {
  model.Input("x0");
  model.Initializer("layers.0.norm.weight", {4});
  for (const char* layer : {"0", "1"}) {
    const std::string x = absl::StrCat("x", layer);
    const std::string weight = absl::StrCat("layers.", layer, ".fc.weight");
    model.Initializer(weight, {4, 4});
    model.Node("Mul", {x, "layers.0.norm.weight"}, {absl::StrCat("n", layer)});
    model.Node("Gemm", {absl::StrCat("n", layer), weight},
               {absl::StrCat("x", *layer == '0' ? "1" : "2")});
  }
}

TEST_CASE("parameters that were merged with those of other layers say nothing") {
  TestGraph model;
  AddLayers(model);
  CHECK(Presumed(model) == "? | layers.0.fc | ? | layers.1.fc");
}

TEST_CASE("a layer that is called twice reads its parameters twice") {
  TestGraph model;
  model.Input("x");
  model.Initializer("layers.0.norm.weight", {4});
  model.Initializer("layers.0.fc.weight", {4, 4});
  model.Initializer("layers.1.fc.weight", {4, 4});
  model.Node("Mul", {"x", "layers.0.norm.weight"}, {"a"});
  model.Node("Gemm", {"a", "layers.0.fc.weight"}, {"b"});
  model.Node("Mul", {"b", "layers.0.norm.weight"}, {"c"});
  model.Node("Gemm", {"c", "layers.0.fc.weight"}, {"d"});
  model.Node("Gemm", {"d", "layers.1.fc.weight"}, {"e"});
  CHECK(Presumed(model) ==
        "layers.0.norm | layers.0.fc | layers.0.norm | layers.0.fc | layers.1.fc");
}

TEST_CASE("a bias that other modules read, too, was merged if the weight is read once") {
  TestGraph model;
  model.Input("x");
  model.Initializer("up.weight", {4, 4});
  model.Initializer("up.bias", {4});
  model.Initializer("down.weight", {4, 4});
  model.Node("MatMul", {"x", "up.weight"}, {"a"});
  model.Node("Add", {"a", "up.bias"}, {"b"});
  model.Node("MatMul", {"b", "down.weight"}, {"c"});
  model.Node("Add", {"c", "up.bias"}, {"d"});
  CHECK(Presumed(model) == "up | ? | down | ?");
}

TEST_CASE("an operator's own parameter outranks one that others read, too") {
  TestGraph model;
  model.Input("x");
  model.Initializer("up.weight", {4, 4});
  model.Initializer("up.bias", {4});
  model.Initializer("down.weight", {4, 4});
  model.Node("Gemm", {"x", "up.weight", "up.bias"}, {"a"});
  model.Node("Gemm", {"a", "down.weight", "up.bias"}, {"b"});
  CHECK(Presumed(model) == "up | down");
}

TEST_CASE("a module that nothing but vectors names is called as often as all of them are read") {
  TestGraph model;
  model.Input("x0");
  for (const char* name : {"block.norm.weight", "block.norm.bias", "block.fc.bias", "head.bias"}) {
    model.Initializer(name, {4});
  }
  for (int i = 0; i < 2; ++i) {
    model.Node("Mul", {absl::StrCat("x", i), "block.norm.weight"}, {absl::StrCat("a", i)});
    model.Node("Add", {absl::StrCat("a", i), "block.norm.bias"}, {absl::StrCat("b", i)});
    model.Node("Add", {absl::StrCat("b", i), "block.fc.bias"}, {absl::StrCat("x", i + 1)});
  }
  model.Node("Add", {"x2", "head.bias"}, {"y"});
  CHECK(Presumed(model) ==
        "block.norm | block.norm | block.fc | block.norm | block.norm | block.fc | head");
}

TEST_CASE("operators that read a vector unequally often are not calls of one module") {
  TestGraph model;
  model.Input("x0");
  model.Initializer("embed.bias", {4});
  model.Initializer("norm.weight", {4});
  for (int i = 0; i < 3; ++i) {
    model.Node("Add", {absl::StrCat("x", i), "embed.bias"}, {absl::StrCat("x", i + 1)});
  }
  model.Node("LayerNormalization", {"x3", "norm.weight", "embed.bias"}, {"y"});
  CHECK(Presumed(model) == "? | ? | ? | norm");
}

TEST_CASE("a vector of the model itself may be read twice") {
  TestGraph model;
  model.Input("x");
  model.Initializer("..weight", {4});  // names that are nothing leave the root
  model.Node("Add", {"x", "..weight"}, {"a"});
  model.Node("Add", {"a", "..weight"}, {"b"});
  CHECK(Presumed(model) == ". | .");
}

TEST_CASE("one vector that was merged tells that all were that are read too often") {
  TestGraph model;
  model.Input("x");
  model.Initializer("norm.weight", {4});
  model.Initializer("up.weight", {4, 4});
  model.Initializer("up.bias", {4});
  model.Initializer("down.weight", {4, 4});
  model.Node("Mul", {"x", "norm.weight"}, {"a"});
  model.Node("Gemm", {"a", "up.weight", "up.bias"}, {"b"});
  model.Node("Mul", {"b", "norm.weight"}, {"c"});
  model.Node("Gemm", {"c", "down.weight", "up.bias"}, {"d"});
  CHECK(Presumed(model) == "? | up | ? | down");
}

TEST_CASE("what is copied under other names is read by its own module alone") {
  TestGraph model;
  model.Input("x0");
  model.Initializer("layers.0.norm.weight", {4});
  model.Node("Identity", {"layers.0.norm.weight"}, {"layers.1.norm.weight"});
  model.Node("Identity", {"layers.0.norm.weight"}, {"layers.2.norm.weight"});
  for (const char* layer : {"0", "1", "2"}) {
    model.Node("Mul", {"x0", absl::StrCat("layers.", layer, ".norm.weight")},
               {absl::StrCat("n", layer)});
  }
  CHECK(Presumed(model) == "? | ? | layers.0.norm | layers.1.norm | layers.2.norm");
}

TEST_CASE("a norm that is read twice is no sign by itself") {
  TestGraph model;
  model.Input("x");
  model.Initializer("norm.weight", {4});
  model.Initializer("up.weight", {4, 4});
  model.Node("Mul", {"x", "norm.weight"}, {"a"});
  model.Node("MatMul", {"a", "up.weight"}, {"b"});
  model.Node("Mul", {"b", "norm.weight"}, {"c"});
  CHECK(Presumed(model) == "norm | up | norm");
}

TEST_CASE("a scale that is named after the value that it quantises names no module") {
  TestGraph model;
  model.Input("input.1");
  for (const char* scale : {"input.1_scale", "conv1.scale"}) model.Initializer(scale, {});
  model.Node("QuantizeLinear", {"input.1", "input.1_scale"}, {"a"});
  model.Node("QuantizeLinear", {"a", "conv1.scale"}, {"y"});
  CHECK(Presumed(model) == "? | conv1");
}

}  // namespace
}  // namespace onnx_hier
