// SPDX-License-Identifier: Apache-2.0
#include <string>
#include <vector>

#include "doctest/doctest.h"
#include "onnx_hier/measures.h"
#include "tests/support/place.h"
#include "tests/support/status.h"
#include "tests/support/test_graph.h"

namespace onnx_hier {
namespace {

using testing::Place;
using testing::TestGraph;

struct Scene {
  Scene() {
    model.Initializer("w", {2, 3});
    model.Node("MatMul", {"x", "w"}, {"y"});
    model.Node("Add", {"y"}, {"z"});
    model.Node("Add", {"z"}, {"u"});
    graph = &model.Build();
    annotation = Place(*graph, {"a.fc", "a", "b"}, {{"w", "a.fc"}});
  }

  TestGraph model;
  const Graph* graph = nullptr;
  Annotation annotation;
};

TEST_CASE("all that is known fills its column") {
  Scene scene;
  const Hierarchy hierarchy(*scene.graph, scene.annotation);
  for (const Measure& measure : KnownMeasures()) {
    CAPTURE(measure.id);
    CHECK(IsKnownMeasure(measure.id));
    const Column column = testing::Value(MeasureModules(hierarchy, measure.id));
    CHECK(column.measure().id == measure.id);
    CHECK(column.figure(ModuleId(0)).known > 0);
  }
}

TEST_CASE("figures agree with the modules'") {
  Scene scene;
  const Hierarchy hierarchy(*scene.graph, scene.annotation);
  const ModuleId a = hierarchy.Find("a");
  ColumnSet columns(hierarchy);
  const auto figure = [&](absl::string_view id, ModuleId module) {
    return testing::Value(columns.Find(id))->figure(module);
  };
  CHECK(figure("nodes", a).own.whole() == 1);
  CHECK(figure("nodes", a).total.whole() == 2);
  CHECK(figure("parameters", a).own.whole() == 0);
  CHECK(figure("parameters", a).total.whole() == 6);
  CHECK(figure("bytes", hierarchy.Find("a.fc")).own.whole() == 24);
  CHECK(figure("bytes", ModuleId(0)).total.whole() == 24);
  const Column& operators = *testing::Value(columns.Find("operators"));
  REQUIRE(operators.WordsOf(ModuleId(0)).size() == 2);
  CHECK(operators.WordsOf(ModuleId(0))[0].word == "Add");
  CHECK(operators.WordsOf(ModuleId(0))[0].amount.whole() == 2);
}

TEST_CASE("what is not there") {
  Scene scene;
  const Hierarchy hierarchy(*scene.graph, scene.annotation);
  ColumnSet columns(hierarchy);
  const absl::StatusOr<const Column*> column = columns.Find("loss");
  CHECK(column.status().message() ==
        "there is no column 'loss'; there are nodes, parameters, bytes, operators, methods, "
        "confidence, unsure");
  Column given({"loss", "loss"}, scene.annotation.modules);
  columns.Add(given);
  CHECK(testing::Value(columns.Find("loss")) == &given);
}

}  // namespace
}  // namespace onnx_hier
