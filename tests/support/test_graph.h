// SPDX-License-Identifier: Apache-2.0

// A Graph in a few readable lines, without a file.
//
//   TestGraph model;
//   model.Initializer("encoder.fc.weight", {4, 4});
//   const NodeId fc = model.Node("MatMul", {"x", "encoder.fc.weight"}, {"h"},
//   "/encoder/fc/MatMul"); const NodeId choose = model.Node("If", {"c"}, {"y"});
//   model.In(model.Subgraph(choose, "then_branch")).Node("Relu", {"h"}, {"y"});
//   const Graph& graph = model.Build();
//
// An empty name among inputs or outputs is an omitted one.
#ifndef ONNX_HIER_TESTS_SUPPORT_TEST_GRAPH_H_
#define ONNX_HIER_TESTS_SUPPORT_TEST_GRAPH_H_

#include <cstdint>
#include <deque>
#include <string>
#include <vector>

#include "absl/strings/string_view.h"
#include "lib/graph/data_type.h"
#include "lib/graph/graph_builder.h"
#include "onnx_hier/graph.h"

namespace onnx_hier::testing {

class TestGraph {
 public:
  using Names = std::vector<std::string>;

  TestGraph();

  // What follows goes into `block`; at first, into the main graph.
  TestGraph& In(BlockId block) {
    block_ = block;
    return *this;
  }

  NodeId Node(absl::string_view op, const Names& inputs, const Names& outputs,
              absl::string_view name = "", absl::string_view domain = "");
  TensorId Initializer(absl::string_view name, const std::vector<int64_t>& dims,
                       int32_t type = data_type::kFloat);
  TestGraph& Input(absl::string_view name);
  TestGraph& Output(absl::string_view name);
  TestGraph& Metadata(NodeId node, absl::string_view key, absl::string_view value);
  TestGraph& Opset(absl::string_view domain, int64_t version);

  // `position` below 0: the attribute holds one graph, not a list.
  BlockId Subgraph(NodeId owner, absl::string_view attribute, int32_t position = -1);
  BlockId Function(absl::string_view domain, absl::string_view name,
                   absl::string_view overload = "");
  BlockId Training(absl::string_view attribute, int32_t position = 0);

  // For what has no call of its own here.
  GraphBuilder& builder() { return builder_; }
  // A copy of `text` that lives as long as this.
  absl::string_view Keep(absl::string_view text);

  // Once, at the end; the graph lives as long as this.
  const Graph& Build();

 private:
  std::deque<std::string> texts_;
  GraphBuilder builder_;
  BlockId block_;
  Graph graph_;
};

// The first value of that name, in `block` where one is given; none if there is none.
ValueId FindValue(const Graph& graph, absl::string_view name, BlockId block = BlockId());

}  // namespace onnx_hier::testing

#endif  // ONNX_HIER_TESTS_SUPPORT_TEST_GRAPH_H_
