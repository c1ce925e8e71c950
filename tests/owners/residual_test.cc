// SPDX-License-Identifier: Apache-2.0
#include "lib/owners/residual.h"

#include "doctest/doctest.h"
#include "tests/support/test_graph.h"

namespace onnx_hier {
namespace {

using testing::TestGraph;

TEST_CASE("the module of a finished branch gives the join to the module around it") {
  TestGraph model;
  model.Node("Relu", {"c"}, {"x"});
  model.Node("Abs", {"x"}, {"a"});
  model.Node("Neg", {"a"}, {"b"});
  model.Node("Add", {"b", "x"}, {"y"});
  const GraphAnalysis analysis(model.Build());
  ModulePaths paths;
  const PathId block = paths.Parse("block");
  const PathId branch = paths.Parse("block.branch");
  KnownModules known(analysis.flow().size());
  known.Settle(Rank(0), block);
  known.Settle(Rank(1), branch);
  known.Settle(Rank(2), branch);
  const Evidence evidence;
  const Context context(analysis, evidence, known, paths);
  CHECK(ResidualOwners(context, {Rank(3)}).OwnerOf(Rank(3)) == block);
}

TEST_CASE("of branch and order the deeper counts where one contains the other") {
  ModulePaths paths;
  const PathId layer = paths.Parse("layer.0");
  const PathId inner = paths.Parse("layer.0.output");
  const PathId other = paths.Parse("layer.1");
  CHECK(ResidualRule(layer, inner, paths) == inner);
  CHECK(ResidualRule(inner, layer, paths) == inner);
  CHECK(ResidualRule(layer, other, paths) == paths.Parse("layer"));
  CHECK(ResidualRule(PathId(), inner, paths) == inner);
  CHECK(ResidualRule(inner, PathId(), paths) == inner);
}

}  // namespace
}  // namespace onnx_hier
