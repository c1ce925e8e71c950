#include "lib/parts/balance.h"

#include <string>

#include "absl/strings/str_cat.h"
#include "doctest/doctest.h"
#include "tests/support/test_graph.h"

namespace onnx_hier {
namespace {

using testing::TestGraph;

// Eight matrix products one after the other, each with 16 bytes of its own.
const Graph& Row(TestGraph& model) {
  model.Input("v0");
  for (int i = 0; i < 8; ++i) {
    model.Initializer(absl::StrCat("w", i), {2, 2});
    model.Node("MatMul", {absl::StrCat("v", i), absl::StrCat("w", i)}, {absl::StrCat("v", i + 1)});
  }
  model.Output("v8");
  return model.Build();
}

std::string Text(const Stages& stages) {
  std::string text;
  for (const uint32_t stage : stages.of) absl::StrAppend(&text, stage);
  return text;
}

uint32_t Anywhere(Unit) { return 1; }
uint32_t AtEvenPlaces(Unit unit) { return unit.index() % 2 == 0 ? 1 : 0; }
uint32_t Nowhere(Unit) { return 0; }

TEST_CASE("stages of equal weight") {
  TestGraph model;
  const Graph& graph = Row(model);
  const Units units(graph, graph.main_block());
  const Repeatable repeatable(units);
  const IdVector<Unit, uint64_t> weights(units.size(), 16);
  CHECK(Text(BalancedStages(units, repeatable, weights, Anywhere, 2)) == "00001111");
  CHECK(Text(BalancedStages(units, repeatable, weights, Anywhere, 4)) == "00112233");
  CHECK(Text(BalancedStages(units, repeatable, weights, AtEvenPlaces, 4)) == "00112233");
  CHECK(Text(BalancedStages(units, repeatable, weights, Nowhere, 4)) == "00000000");
}

TEST_CASE("stages below a size, cut as late as that allows") {
  TestGraph model;
  const Graph& graph = Row(model);
  const Units units(graph, graph.main_block());
  const Repeatable repeatable(units);
  CHECK(Text(PackedStages(units, repeatable, Anywhere, 48)) == "00011122");
  CHECK(Text(PackedStages(units, repeatable, AtEvenPlaces, 48)) == "00112233");
  // Where no place is good, any is.
  CHECK(Text(PackedStages(units, repeatable, Nowhere, 48)) == "00011122");
  CHECK(Text(PackedStages(units, repeatable, Anywhere, 1000)) == "00000000");
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
