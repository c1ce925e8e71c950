// SPDX-License-Identifier: Apache-2.0
#include "lib/parts/stages.h"

#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "doctest/doctest.h"
#include "tests/support/test_graph.h"

namespace onnx_hier {
namespace {

using testing::TestGraph;

std::string Text(const Stages& stages) {
  std::string text;
  for (const uint32_t stage : stages.of) absl::StrAppend(&text, text.empty() ? "" : " ", stage);
  return text;
}

TEST_CASE("what comes before, between and behind the anchors") {
  TestGraph model;
  model.Input("x");
  model.Node("Relu", {"x"}, {"a"});      // before the first one
  model.Node("Relu", {"a"}, {"b"});      // the first one
  model.Node("Relu", {"b"}, {"c"});      // between
  model.Node("Add", {"c", "a"}, {"d"});  // the second one
  model.Node("Relu", {"d"}, {"e"});      // behind
  model.Node("Relu", {"a"}, {"f"});      // needs the head alone
  model.Output("e");
  const Graph& graph = model.Build();
  const Units units(graph, graph.main_block());
  const Repeatable repeatable(units);
  const Stages stages = StagesByAnchors(units, repeatable, {{Unit(1)}, {Unit(3)}});
  CHECK(Text(stages) == "0 1 1 2 3 0");
  CHECK(stages.count == 4);
  CHECK(stages.misplaced.empty());
}

TEST_CASE("an anchor that needs a later one is misplaced") {
  TestGraph model;
  model.Input("x");
  model.Node("Relu", {"x"}, {"a"});
  model.Node("Relu", {"a"}, {"b"});
  model.Node("Relu", {"b"}, {"c"});
  model.Output("c");
  const Graph& graph = model.Build();
  const Units units(graph, graph.main_block());
  const Repeatable repeatable(units);
  const Stages stages = StagesByAnchors(units, repeatable, {{Unit(0), Unit(2)}, {Unit(1)}});
  REQUIRE(stages.misplaced.size() == 1);
  CHECK(stages.misplaced[0] == Unit(2));
}

TEST_CASE("shape arithmetic hands the need on") {
  TestGraph model;
  model.Input("x");
  model.Node("Relu", {"x"}, {"a"});
  model.Node("Shape", {"a"}, {"s"});
  model.Node("Reshape", {"x", "s"}, {"y"});
  model.Output("y");
  const Graph& graph = model.Build();
  const Units units(graph, graph.main_block());
  const Repeatable repeatable(units);
  CHECK(repeatable.Has(Unit(1)));
  const Stages stages = StagesByAnchors(units, repeatable, {{Unit(0)}});
  CHECK(stages.of[Unit(2)] == 2);
}

}  // namespace
}  // namespace onnx_hier
