#include "lib/graph/flow.h"

#include "doctest/doctest.h"
#include "tests/support/test_graph.h"

namespace onnx_hier {
namespace {

using testing::TestGraph;

TEST_CASE("edges go from producers to consumers, with the slot") {
  TestGraph model;
  model.Node("Relu", {"x"}, {"a"});
  model.Node("Add", {"x", "a"}, {"b"});
  const Flow flow(model.Build());
  REQUIRE(flow.producers(Rank(1)).size() == 1);
  CHECK(flow.producers(Rank(1))[0].rank == Rank(0));
  CHECK(flow.producers(Rank(1))[0].slot == 1);
  REQUIRE(flow.consumers(Rank(0)).size() == 1);
  CHECK(flow.consumers(Rank(0))[0].rank == Rank(1));
}

TEST_CASE("a file that is not sorted gets an order in which producers come first") {
  TestGraph model;
  model.Node("Relu", {"a"}, {"b"});
  model.Node("Abs", {"x"}, {"a"});
  const Flow flow(model.Build());
  CHECK(flow.rank(NodeId(1)) == Rank(0));
  CHECK(flow.node(Rank(1)) == NodeId(0));
  CHECK(flow.producers(Rank(1)).size() == 1);
}

TEST_CASE("an edge that closes a cycle is no edge") {
  TestGraph model;
  model.Node("Relu", {"b"}, {"a"});
  model.Node("Abs", {"a"}, {"b"});
  const Flow flow(model.Build());
  CHECK(flow.producers(Rank(0)).empty());
  CHECK(flow.producers(Rank(1)).size() == 1);
}

TEST_CASE("an output that a node names twice is made once") {
  TestGraph model;
  model.Node("Relu", {"a"}, {"y"});
  model.Node("Split", {"x"}, {"a", "a"});
  const Flow flow(model.Build());
  CHECK(flow.size() == 2);
  CHECK(flow.rank(NodeId(1)) == Rank(0));
  CHECK(flow.rank(NodeId(0)) == Rank(1));
}

TEST_CASE("constants: of parameters and constants alone") {
  TestGraph model;
  model.Initializer("w", {2, 2});
  model.Node("Constant", {}, {"c"});
  model.Node("Transpose", {"w"}, {"t"});
  model.Node("MatMul", {"x", "t"}, {"m"});
  const Flow flow(model.Build());
  CHECK(flow.is_constant(Rank(0)));
  CHECK(flow.is_constant(Rank(1)));
  CHECK_FALSE(flow.is_constant(Rank(2)));
}

}  // namespace
}  // namespace onnx_hier
