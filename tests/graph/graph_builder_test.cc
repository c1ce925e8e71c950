// SPDX-License-Identifier: Apache-2.0
#include "lib/graph/graph_builder.h"

#include <limits>
#include <string>
#include <utility>

#include "absl/strings/str_cat.h"
#include "doctest/doctest.h"
#include "lib/graph/data_type.h"
#include "tests/support/test_graph.h"

namespace onnx_hier {
namespace {

using testing::FindValue;
using testing::TestGraph;

constexpr uint64_t kMost = std::numeric_limits<uint64_t>::max();

TEST_CASE("an empty graph is a graph") {
  TestGraph model;
  const Graph& graph = model.Build();
  CHECK(graph.node_count() == 0);
  CHECK(graph.nodes(graph.main_block()).empty());
  CHECK(graph.inputs(graph.main_block()).empty());
}

TEST_CASE("nodes of one graph that come in turns with others keep their order") {
  TestGraph model;
  const NodeId first = model.Node("If", {"c"}, {"y"});
  const NodeId inner = model.In(model.Subgraph(first, "then_branch")).Node("Neg", {"x"}, {"o"});
  const NodeId second = model.In(BlockId(0)).Node("Abs", {"x"}, {"z"});
  const Graph& graph = model.Build();
  REQUIRE(graph.nodes(graph.main_block()).size() == 2);
  CHECK(graph.nodes(graph.main_block())[1] == second);
  CHECK(graph.node(second).index == 1);
  CHECK(graph.node(inner).index == 0);
  REQUIRE(graph.blocks(first).size() == 1);
  CHECK(graph.nodes(graph.blocks(first)[0])[0] == inner);
  CHECK(graph.blocks(second).empty());
}

TEST_CASE("uses are in node order, one for each slot") {
  TestGraph model;
  model.Input("x");
  const NodeId add = model.Node("Add", {"x", "x"}, {"y"});
  const NodeId neg = model.Node("Neg", {"x"}, {"z"});
  const Graph& graph = model.Build();
  const auto uses = graph.uses(FindValue(graph, "x"));
  REQUIRE(uses.size() == 3);
  CHECK(uses[0].node == add);
  CHECK(uses[0].slot == 0);
  CHECK(uses[1].slot == 1);
  CHECK(uses[2].node == neg);
  CHECK(graph.uses(FindValue(graph, "y")).empty());
}

TEST_CASE("operators are one when type, domain and overload are") {
  TestGraph model;
  const NodeId a = model.Node("Relu", {}, {});
  const NodeId b = model.Node("Relu", {}, {}, "", "ai.onnx");
  const NodeId c = model.Node("Relu", {}, {}, "", "com.microsoft");
  const NodeId d = model.Node("Gelu", {}, {});
  const NodeId e = model.Node("Relu", {}, {});
  model.builder().SetOp(e, "", "Relu", "v2");
  const NodeId f = model.Node("Relu", {}, {});
  const Graph& graph = model.Build();
  CHECK(graph.node(a).op == graph.node(b).op);
  CHECK(graph.node(a).op == graph.node(f).op);
  CHECK(graph.node(a).op != graph.node(c).op);
  CHECK(graph.node(a).op != graph.node(d).op);
  CHECK(graph.node(a).op != graph.node(e).op);
  CHECK(graph.op(c).domain == "com.microsoft");
  CHECK(graph.op_count() == 4);
}

// A search through all domains of one type would take minutes here.
TEST_CASE("one operator type in very many domains") {
  constexpr int kDomains = 200000;
  TestGraph model;
  for (int i = 0; i < kDomains; ++i) model.Node("F", {}, {}, "", absl::StrCat("domain", i));
  const NodeId again = model.Node("F", {}, {}, "", "domain7");
  const Graph& graph = model.Build();
  CHECK(graph.op_count() == kDomains);
  CHECK(graph.node(again).op == graph.node(NodeId(7)).op);
}

TEST_CASE("sizes of tensors") {
  struct Case {
    int32_t type;
    std::vector<int64_t> dims;
    uint64_t elements;
    uint64_t bytes;
  };
  const Case cases[] = {
      {data_type::kFloat, {}, 1, 4},  // a scalar
      {data_type::kFloat, {3, 4}, 12, 48},
      {data_type::kFloat, {3, 0, 4}, 0, 0},
      {data_type::kFloat, {-1, 4}, 0, 0},  // no size at all
      {data_type::kFloat16, {5}, 5, 10},
      {data_type::kInt64, {5}, 5, 40},
      {data_type::kComplex128, {2}, 2, 32},
      {data_type::kBool, {5}, 5, 5},
      {data_type::kFloat8E4M3Fn, {5}, 5, 5},
      {data_type::kInt4, {5}, 5, 3},  // two in a byte
      {data_type::kInt4, {2, 4}, 8, 4},
      {data_type::kUint2, {5}, 5, 2},   // four in a byte
      {data_type::kString, {5}, 5, 0},  // no fixed size
      {0, {5}, 5, 0},                   // undefined
      {-1, {5}, 5, 0},                  // no type of ours
      {data_type::kFloat, {1LL << 40, 1LL << 40}, kMost, kMost},
      {data_type::kFloat, {1LL << 62}, 1ull << 62, kMost},
      {data_type::kInt4, {1LL << 62, 3}, 3ull << 62, 3ull << 61},
  };
  for (const Case& c : cases) {
    TestGraph model;
    const TensorId id = model.Initializer("w", c.dims, c.type);
    const Graph& graph = model.Build();
    CAPTURE(c.type);
    CAPTURE(c.dims.size());
    CHECK(graph.tensor(id).elements == c.elements);
    CHECK(graph.tensor(id).bytes == c.bytes);
    CHECK(graph.dims(id).size() == c.dims.size());
  }
}

TEST_CASE("tensors of a node may come behind those of the nodes of its graphs") {
  TestGraph model;
  const NodeId outer = model.Node("If", {"c"}, {"y"});
  const NodeId inner = model.In(model.Subgraph(outer, "then_branch")).Node("Constant", {}, {"o"});
  const NodeId next = model.In(BlockId(0)).Node("Constant", {}, {"z"});
  const auto add = [&](NodeId owner) {
    return model.builder().AddAttributeTensor(owner, Tensor(), {});
  };
  const TensorId first = add(outer);
  const TensorId of_inner = add(inner);
  const TensorId second = add(outer);
  const TensorId of_next = add(next);
  const Graph& graph = model.Build();
  REQUIRE(graph.tensors(outer).size() == 2);
  CHECK(graph.tensors(outer)[0] == first);
  CHECK(graph.tensors(outer)[1] == second);
  REQUIRE(graph.tensors(inner).size() == 1);
  CHECK(graph.tensors(inner)[0] == of_inner);
  REQUIRE(graph.tensors(next).size() == 1);
  CHECK(graph.tensors(next)[0] == of_next);
}

TEST_CASE("tensors and metadata stay with their owners") {
  TestGraph model;
  const NodeId a = model.Node("Constant", {}, {"a"});
  const NodeId b = model.Node("Constant", {}, {"b"});
  Tensor tensor;
  tensor.data_type = data_type::kFloat;
  const TensorId of_b = model.builder().AddAttributeTensor(b, tensor, {2, 3});
  model.Metadata(b, "k", "2").Metadata(a, "k", "1").Metadata(b, "l", "3");
  model.builder().AddMetadata(BlockId(0), {"graph", "4"});
  const Graph& graph = model.Build();
  CHECK(graph.tensors(a).empty());
  REQUIRE(graph.tensors(b).size() == 1);
  CHECK(graph.tensors(b)[0] == of_b);
  CHECK(graph.tensor(of_b).owner == b);
  REQUIRE(graph.metadata(b).size() == 2);
  CHECK(graph.metadata(b)[0].value == "2");
  CHECK(graph.metadata(b)[1].key == "l");
  CHECK(graph.metadata(a).size() == 1);
  REQUIRE(graph.metadata(graph.main_block()).size() == 1);
  CHECK(graph.metadata(graph.main_block())[0].value == "4");
}

TEST_CASE("nodes that were read ahead get their places when they are taken") {
  GraphBuilder builder;
  const BlockId block = builder.AddBlock(Block());
  const NodeId before = builder.AddNode(block);
  builder.SetSlots(before, {}, {{"x"}});
  builder.SetOp(before, "", "Source", "");
  NodeSpan span;
  for (const char* op : {"Relu", "Source", "Relu"}) {
    Node& node = span.nodes.emplace_back();
    node.op = span.ops.IdOf("", op, "");
    node.first_input = static_cast<uint32_t>(span.names.size());
    node.first_output = node.first_input + 1;
    node.end_of_outputs = node.first_input + 2;
    for (const char* name : {"x", "y"}) {
      span.names.push_back(name);
      span.hashes.push_back(builder.hasher()(name));
    }
  }
  Tensor tensor;
  tensor.dims = {0, 2};
  span.dims = {3, 4};
  span.tensors = {{0, tensor}, {2, tensor}};
  span.docs = {{1, "one"}};
  span.metadata = {{2, {"key", "two"}}};
  const GraphBuilder::FirstTaken first = builder.Take(span, 2, block);
  const NodeId between = builder.AddNode(block);
  builder.SetSlots(between, {{"y"}}, {});
  builder.SetOp(between, "", "Sink", "");
  const GraphBuilder::FirstTaken rest = builder.Take(span, 3, block);
  CHECK(builder.Take(span, 3, block).node == NodeId(5));
  const Graph graph = std::move(builder).Build();
  CHECK(first.node == NodeId(1));
  CHECK(first.tensor == TensorId(0));
  CHECK(rest.node == NodeId(4));
  CHECK(rest.tensor == TensorId(1));
  REQUIRE(graph.node_count() == 5);
  // Operators are numbered in the order of the nodes, whoever read them.
  CHECK(graph.op_count() == 3);
  CHECK(graph.op(NodeId(2)).type == "Source");
  CHECK(graph.node(NodeId(2)).op == OpId(0));
  CHECK(graph.node(NodeId(4)).op == OpId(1));
  CHECK(graph.op(NodeId(3)).type == "Sink");
  CHECK(graph.node(NodeId(4)).index == 4);
  CHECK(graph.uses(FindValue(graph, "x")).size() == 3);
  CHECK(graph.doc_string(NodeId(2)) == "one");
  CHECK_FALSE(graph.has_doc_string(NodeId(1)));
  REQUIRE(graph.metadata(NodeId(4)).size() == 1);
  CHECK(graph.metadata(NodeId(4))[0].value == "two");
  REQUIRE(graph.tensors(NodeId(4)).size() == 1);
  CHECK(graph.tensors(NodeId(4))[0] == TensorId(1));
  CHECK(graph.tensor(TensorId(1)).owner == NodeId(4));
  CHECK(graph.dims(TensorId(1)).size() == 2);
  CHECK(graph.dims(TensorId(1))[1] == 4);
}

}  // namespace
}  // namespace onnx_hier
