#include "lib/resolve/structure.h"

#include "doctest/doctest.h"
#include "tests/support/test_graph.h"

namespace onnx_hier {
namespace {

using testing::TestGraph;

TEST_CASE("a skip join: one operand dominates it") {
  TestGraph model;
  model.Node("Relu", {"c"}, {"x"});
  model.Node("Abs", {"x"}, {"a"});
  model.Node("Neg", {"a"}, {"b"});
  model.Node("Add", {"b", "x"}, {"y"});
  model.Node("Mul", {"a", "b"}, {"z"});
  const Flow flow(model.Build());
  const Branches branches(flow);
  CHECK(branches.dominator(0) == kNowhere);
  CHECK(branches.dominator(2) == 1);
  CHECK(branches.dominator(3) == 0);
  CHECK(branches.is_skip_join(3));
  CHECK(branches.is_skip_join(4));
  CHECK_FALSE(branches.is_join(2));
}

TEST_CASE("two branches without a skip") {
  TestGraph model;
  model.Node("Relu", {"c"}, {"x"});
  model.Node("Abs", {"x"}, {"a"});
  model.Node("Neg", {"x"}, {"b"});
  model.Node("Add", {"a", "b"}, {"y"});
  const Flow flow(model.Build());
  const Branches branches(flow);
  CHECK(branches.dominator(3) == 0);
  CHECK(branches.is_join(3));
  CHECK_FALSE(branches.is_skip_join(3));
}

TEST_CASE("the module of a finished branch gives the join to the module around it") {
  TestGraph model;
  model.Node("Relu", {"c"}, {"x"});
  model.Node("Abs", {"x"}, {"a"});
  model.Node("Neg", {"a"}, {"b"});
  model.Node("Add", {"b", "x"}, {"y"});
  const Flow flow(model.Build());
  ModulePaths paths;
  const PathId block = paths.Parse("block");
  const PathId branch = paths.Parse("block.branch");
  KnownModules known(flow.size());
  known.Settle(0, block);
  known.Settle(1, branch);
  known.Settle(2, branch);
  const Surroundings surroundings(flow, known, paths);
  const ModuleChildren children(paths);
  const Branches branches(flow);
  ResidualOwners owners(flow, branches, known, surroundings, children, paths);
  CHECK(owners.OwnerOf(3) == block);
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
