// SPDX-License-Identifier: Apache-2.0
#include "lib/graph/graph_part.h"

#include <string>
#include <vector>

#include "absl/types/span.h"
#include "doctest/doctest.h"
#include "tests/support/test_graph.h"

namespace onnx_hier {
namespace {

using testing::FindValue;
using testing::TestGraph;

GraphPart PartOf(const Graph& graph, const std::vector<NodeId>& nodes,
                 const std::vector<ValueId>& unread = {}) {
  IdSet<NodeId> kept(graph.node_count());
  for (NodeId id : nodes) kept.Add(id);
  IdSet<ValueId> more(graph.value_count());
  for (ValueId id : unread) more.Add(id);
  return GraphPart(graph, kept, more);
}

std::vector<std::string> NamesOf(const Graph& graph, absl::Span<const ValueId> values) {
  std::vector<std::string> names;
  for (ValueId id : values) names.emplace_back(id.valid() ? graph.value(id).name : "");
  return names;
}

using Names = std::vector<std::string>;

TEST_CASE("what a part reads of others is its input, what they read of it its output") {
  TestGraph model;
  model.Input("x").Input("other").Output("z");
  model.Initializer("fc.weight", {4, 4});
  model.Initializer("left.weight", {2});
  model.Initializer("unread.weight", {3});
  model.Node("Relu", {"x"}, {"a"});
  const NodeId gemm = model.Node("Gemm", {"a", "fc.weight", ""}, {"b"}, "/fc/Gemm");
  const NodeId tanh = model.Node("Tanh", {"b"}, {"c"});
  model.Node("Add", {"c", "left.weight"}, {"z"});
  const Graph& graph = model.Build();
  const GraphPart part = PartOf(graph, {gemm, tanh}, {FindValue(graph, "unread.weight")});
  const Graph& own = part.graph();
  REQUIRE(own.node_count() == 2);
  CHECK(own.node(NodeId(0)).name == "/fc/Gemm");
  CHECK(own.op(NodeId(1)).type == "Tanh");
  CHECK(NamesOf(own, own.inputs(NodeId(0))) == Names{"a", "fc.weight", ""});
  CHECK(NamesOf(own, own.inputs(own.main_block())) == Names{"a"});
  CHECK(NamesOf(own, own.outputs(own.main_block())) == Names{"c"});
  CHECK(own.value(own.inputs(NodeId(0))[0]).kind == ValueKind::kInput);
  CHECK(own.tensor_count() == 2);
  CHECK(own.tensor(own.value(FindValue(own, "unread.weight")).tensor).elements == 3);
  CHECK(!FindValue(own, "left.weight").valid());

  CHECK(part.InWhole(NodeId(1)) == tanh);
  CHECK(part.InPart(gemm) == NodeId(0));
  CHECK(!part.InPart(NodeId(0)).valid());
  for (ValueId id : own.value_ids()) {
    CHECK(graph.value(part.InWhole(id)).name == own.value(id).name);
  }
  for (TensorId id : own.tensor_ids()) {
    CHECK(graph.tensor(part.InWhole(id)).name == own.tensor(id).name);
  }
}

TEST_CASE("graphs inside of nodes and bodies of functions come with them") {
  TestGraph model;
  model.Input("c").Input("x");
  const NodeId outside = model.Node("Neg", {"x"}, {"n"});
  const NodeId choose = model.Node("If", {"c"}, {"y"});
  const BlockId branch = model.Subgraph(choose, "then_branch");
  const NodeId inner = model.In(branch).Node("Abs", {"n"}, {"o"}, "/inner/Abs");
  model.Output("o");
  const NodeId call = model.In(BlockId(0)).Node("Block", {"y"}, {"z"}, "", "net");
  const BlockId function = model.Function("net", "Block");
  const NodeId body = model.In(function).Input("p").Output("q").Node("Exp", {"p"}, {"q"});
  const BlockId unused = model.Function("net", "Unused");
  model.In(unused).Node("Log", {"r"}, {"s"});
  const Graph& graph = model.Build();
  const GraphPart part = PartOf(graph, {choose, inner, call, body});
  const Graph& own = part.graph();
  CHECK(own.node_count() == 4);
  CHECK(own.block_count() == 3);
  const NodeId here = part.InPart(inner);
  const Block& around = own.block(own.node(here).block);
  CHECK(around.kind == BlockKind::kSubgraph);
  CHECK(around.owner == part.InPart(choose));
  CHECK(around.attribute == "then_branch");
  CHECK(own.value(own.inputs(here)[0]).block == own.main_block());
  CHECK(own.block(own.node(part.InPart(body)).block).name == "Block");
  CHECK(part.InWhole(own.inputs(part.InPart(body))[0]) == graph.inputs(body)[0]);
  CHECK(!part.InPart(outside).valid());
}

TEST_CASE("a name that is made twice is made twice in a part") {
  TestGraph model;
  const NodeId first = model.Node("Neg", {"x"}, {"y"});
  const NodeId second = model.Node("Abs", {"x"}, {"y"});
  const Graph& graph = model.Build();
  const GraphPart part = PartOf(graph, {first, second});
  CHECK(part.InWhole(part.graph().outputs(NodeId(1))[0]) == graph.outputs(second)[0]);
  CHECK(part.InWhole(part.graph().outputs(NodeId(0))[0]) == graph.outputs(first)[0]);
}

}  // namespace
}  // namespace onnx_hier
