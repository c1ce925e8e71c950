// SPDX-License-Identifier: Apache-2.0
#include "lib/parts/runs.h"

#include "doctest/doctest.h"
#include "tests/parts/folded.h"
#include "tests/support/test_graph.h"

namespace onnx_hier {
namespace {

using testing::Folded;
using testing::TestGraph;

TEST_CASE("runs lie in each other as their modules do") {
  TestGraph model;
  for (const char* name : {"a", "b", "c", "d"}) model.Node("A", {}, {}, name);
  const Folded folded(model, {"", "encoder.0", "encoder.0.fc", "encoder.1.fc"});
  REQUIRE(folded.runs.size() == 4);
  const FoldRunId layer = folded.runs.of(Unit(1));
  CHECK(!folded.runs.of(Unit(0)).valid());
  CHECK(folded.runs.run(layer).units == 2);
  CHECK(folded.runs.run(layer).depth == 1);
  CHECK(folded.runs.run(folded.runs.of(Unit(2))).parent == layer);
  CHECK(folded.runs.run(folded.runs.of(Unit(2))).depth == 2);
  CHECK(folded.ModuleName(folded.runs.of(Unit(3))) == "encoder.1.fc");
}

TEST_CASE("what is not wanted is part of the run around it") {
  TestGraph model;
  for (const char* name : {"a", "b"}) model.Node("A", {}, {}, name);
  const Folded folded(model, {"encoder.0", "encoder.0.fc"});
  const ModuleId layer = folded.hierarchy.Find("encoder.0");
  const FoldRuns runs(folded.units, folded.hierarchy, [&](ModuleId id) { return id == layer; });
  REQUIRE(runs.size() == 1);
  CHECK(runs.of(Unit(0)) == runs.of(Unit(1)));
  CHECK(runs.run(FoldRunId(0)).units == 2);
}

}  // namespace
}  // namespace onnx_hier
