// SPDX-License-Identifier: Apache-2.0
#include "tests/support/test_graph.h"

#include <utility>

namespace onnx_hier::testing {

TestGraph::TestGraph() : block_(builder_.AddBlock(Block())) {}

absl::string_view TestGraph::Keep(absl::string_view text) {
  texts_.emplace_back(text);
  return texts_.back();
}

NodeId TestGraph::Node(absl::string_view op, const Names& inputs, const Names& outputs,
                       absl::string_view name, absl::string_view domain) {
  const NodeId id = builder_.AddNode(block_);
  const auto keep = [this](const Names& names) {
    std::vector<absl::string_view> kept;
    for (const std::string& text : names) kept.push_back(Keep(text));
    return kept;
  };
  builder_.SetSlots(id, keep(inputs), keep(outputs));
  builder_.node(id).name = Keep(name);
  builder_.SetOp(id, Keep(domain), Keep(op), "");
  return id;
}

TensorId TestGraph::Initializer(absl::string_view name, const std::vector<int64_t>& dims,
                                int32_t type) {
  Tensor tensor;
  tensor.name = Keep(name);
  tensor.data_type = type;
  return builder_.AddInitializer(block_, tensor, dims);
}

TestGraph& TestGraph::Input(absl::string_view name) {
  builder_.AddInput(block_, Keep(name));
  return *this;
}

TestGraph& TestGraph::Output(absl::string_view name) {
  builder_.AddOutput(block_, Keep(name));
  return *this;
}

TestGraph& TestGraph::Metadata(NodeId node, absl::string_view key, absl::string_view value) {
  builder_.AddMetadata(node, {Keep(key), Keep(value)});
  return *this;
}

TestGraph& TestGraph::Opset(absl::string_view domain, int64_t version) {
  builder_.info().opset_imports.push_back({Keep(domain), version});
  return *this;
}

BlockId TestGraph::Subgraph(NodeId owner, absl::string_view attribute, int32_t position) {
  Block block;
  block.kind = BlockKind::kSubgraph;
  block.parent = builder_.node(owner).block;
  block.owner = owner;
  block.attribute = Keep(attribute);
  block.position = position;
  return builder_.AddBlock(block);
}

BlockId TestGraph::Function(absl::string_view domain, absl::string_view name,
                            absl::string_view overload) {
  Block block;
  block.kind = BlockKind::kFunction;
  block.domain = Keep(domain);
  block.name = Keep(name);
  block.overload = Keep(overload);
  return builder_.AddBlock(block);
}

BlockId TestGraph::Training(absl::string_view attribute, int32_t position) {
  Block block;
  block.kind = BlockKind::kTraining;
  block.parent = BlockId(0);
  block.attribute = Keep(attribute);
  block.position = position;
  return builder_.AddBlock(block);
}

const Graph& TestGraph::Build() {
  graph_ = std::move(builder_).Build();
  return graph_;
}

ValueId FindValue(const Graph& graph, absl::string_view name, BlockId block) {
  for (ValueId id : graph.value_ids()) {
    const onnx_hier::Value& value = graph.value(id);
    if (value.name == name && (!block.valid() || value.block == block)) return id;
  }
  return ValueId();
}

}  // namespace onnx_hier::testing
