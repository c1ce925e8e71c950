// SPDX-License-Identifier: Apache-2.0
#include "lib/graph/dominators.h"

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
  const Dominators dominators(flow);
  CHECK_FALSE(dominators.dominator(Rank(0)).valid());
  CHECK(dominators.dominator(Rank(2)) == Rank(1));
  CHECK(dominators.dominator(Rank(3)) == Rank(0));
  CHECK(dominators.is_skip_join(Rank(3)));
  CHECK(dominators.is_skip_join(Rank(4)));
  CHECK_FALSE(dominators.is_join(Rank(2)));
}

TEST_CASE("two branches without a skip") {
  TestGraph model;
  model.Node("Relu", {"c"}, {"x"});
  model.Node("Abs", {"x"}, {"a"});
  model.Node("Neg", {"x"}, {"b"});
  model.Node("Add", {"a", "b"}, {"y"});
  const Flow flow(model.Build());
  const Dominators dominators(flow);
  CHECK(dominators.dominator(Rank(3)) == Rank(0));
  CHECK(dominators.is_join(Rank(3)));
  CHECK_FALSE(dominators.is_skip_join(Rank(3)));
}

}  // namespace
}  // namespace onnx_hier
