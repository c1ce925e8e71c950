// SPDX-License-Identifier: Apache-2.0
#include "lib/parts/balance.h"

#include <string>

#include "absl/strings/str_cat.h"
#include "doctest/doctest.h"
#include "lib/parts/part_sizes.h"
#include "tests/support/test_graph.h"

namespace onnx_hier {
namespace {

using testing::TestGraph;

// Eight matrix products one after the other, each with 16 bytes of its own.
const Graph& RowOfNodes(TestGraph& model) {
  model.Input("v0");
  for (int i = 0; i < 8; ++i) {
    model.Initializer(absl::StrCat("w", i), {2, 2});
    model.Node("MatMul", {absl::StrCat("v", i), absl::StrCat("w", i)}, {absl::StrCat("v", i + 1)});
  }
  model.Output("v8");
  return model.Build();
}

std::string Digits(const Stages& stages) {
  std::string text;
  for (const uint32_t stage : stages.of) absl::StrAppend(&text, stage);
  return text;
}

uint32_t Anywhere(Unit) { return 1; }
uint32_t AtEvenPlaces(Unit unit) { return unit.index() % 2 == 0 ? 1 : 0; }
uint32_t Nowhere(Unit) { return 0; }

constexpr auto kBytes = SplitRequest::Measure::kBytes;

SplitRequest By(SplitRequest::Measure measure, uint32_t parts) {
  SplitRequest request;
  request.parts = parts;
  request.measure = measure;
  return request;
}

TEST_CASE("stages of which the largest is as small as places allow") {
  TestGraph model;
  const Graph& graph = RowOfNodes(model);
  const Units units(graph, graph.main_block());
  const Repeatable repeatable(units);
  const auto text = [&](const CutFit& fit, uint32_t parts) {
    return Digits(BalancedStages(units, repeatable, By(kBytes, parts), fit).stages);
  };
  CHECK(text(Anywhere, 2) == "00001111");
  CHECK(text(Anywhere, 4) == "00112233");
  CHECK(text(AtEvenPlaces, 4) == "00112233");
  CHECK(text(AtEvenPlaces, 3) == "00112222");
  CHECK(text(Nowhere, 4) == "00000000");
  CHECK_FALSE(BalancedStages(units, repeatable, By(kBytes, 4), AtEvenPlaces).largest.valid());
  CHECK(BalancedStages(units, repeatable, By(kBytes, 5), AtEvenPlaces).largest == Unit(0));
}

TEST_CASE("stages by what is said of nodes") {
  TestGraph model;
  const Graph& graph = RowOfNodes(model);
  const Units units(graph, graph.main_block());
  const Repeatable repeatable(units);
  SplitRequest request = By(SplitRequest::Measure::kAmounts, 2);
  const auto text = [&] {
    return Digits(BalancedStages(units, repeatable, request, Anywhere).stages);
  };
  request.amounts = {{NodeId(0), 30}, {NodeId(1), 10}, {NodeId(6), 10}, {NodeId(7), 10}};
  CHECK(text().substr(0, 2) == "01");
  request.amounts = {{NodeId(0), 10}, {NodeId(7), 30}};
  CHECK(text().substr(6, 2) == "01");
  request.amounts = {{NodeId(3), 5}, {NodeId(4), 5}};
  CHECK(text().substr(3, 2) == "01");
}

// What weighs most swallows no place.
TEST_CASE("stages beside one that is heavy") {
  TestGraph model;
  model.Input("v0");
  const int sizes[] = {100, 1, 1, 1};
  for (int i = 0; i < 4; ++i) {
    model.Initializer(absl::StrCat("w", i), {sizes[i]});
    model.Node("Mul", {absl::StrCat("v", i), absl::StrCat("w", i)}, {absl::StrCat("v", i + 1)});
  }
  model.Output("v4");
  const Graph& graph = model.Build();
  const Units units(graph, graph.main_block());
  const Repeatable repeatable(units);
  const auto text = [&](SplitRequest::Measure measure, uint32_t parts) {
    return Digits(BalancedStages(units, repeatable, By(measure, parts), Anywhere).stages);
  };
  CHECK(text(kBytes, 2) == "0111");
  CHECK(text(kBytes, 4) == "0123");
  CHECK(text(SplitRequest::Measure::kNodes, 2) == "0011");
}

// The embedding that the head reads again is in two parts, unless both are in one.
TEST_CASE("a parameter that several units read counts in each stage that has it") {
  TestGraph model;
  model.Input("x");
  model.Initializer("wte", {8});
  model.Initializer("a", {10});
  model.Initializer("b", {7});
  model.Node("Mul", {"x", "wte"}, {"e"});
  model.Node("Mul", {"e", "a"}, {"h"});
  model.Node("Transpose", {"wte"}, {"t"});
  model.Node("Mul", {"h", "t"}, {"y"});
  model.Node("Mul", {"y", "b"}, {"z"});
  model.Output("z");
  const Graph& graph = model.Build();
  const Units units(graph, graph.main_block());
  const Repeatable repeatable(units);
  const Pieces pieces =
      MeasurePieces(units, repeatable, By(kBytes, 2), {Unit(0), Unit(1), Unit(3)});
  REQUIRE(pieces.size() == 3);
  CHECK(pieces.first == std::vector<uint32_t>{0, 1, 2, 4});
  CHECK(pieces.items[0] == pieces.items[2]);
  // 72 and 60 bytes; 32 and 100 behind the first node.
  CHECK(Digits(BalancedStages(units, repeatable, By(kBytes, 2), Anywhere).stages) == "00111");
}

TEST_CASE("stages below a size, cut as late as that allows") {
  TestGraph model;
  const Graph& graph = RowOfNodes(model);
  const Units units(graph, graph.main_block());
  const Repeatable repeatable(units);
  CHECK(Digits(PackedStages(units, repeatable, Anywhere, 48)) == "00011122");
  CHECK(Digits(PackedStages(units, repeatable, AtEvenPlaces, 48)) == "00112233");
  // Where no place is good, any is.
  CHECK(Digits(PackedStages(units, repeatable, Nowhere, 48)) == "00011122");
  CHECK(Digits(PackedStages(units, repeatable, Anywhere, 1000)) == "00000000");
  CHECK(PackedStages(units, repeatable, Anywhere, 15).misplaced.size() == 8);
}

TEST_CASE("parameters behind repeatable nodes count for who needs them, once") {
  TestGraph model;
  model.Input("x");
  model.Initializer("w", {2, 2});
  model.Node("Transpose", {"w"}, {"t"});
  model.Node("MatMul", {"x", "t"}, {"a"});
  model.Node("MatMul", {"a", "t"}, {"b"});
  model.Output("b");
  const Graph& graph = model.Build();
  const Units units(graph, graph.main_block());
  const Repeatable repeatable(units);
  absl::flat_hash_set<Unit> seen;
  CHECK(ParametersOf(units, repeatable, Unit(1), seen).size() == 1);
  CHECK(ParametersOf(units, repeatable, Unit(2), seen).empty());
}

}  // namespace
}  // namespace onnx_hier
