// SPDX-License-Identifier: Apache-2.0
#include "lib/graph/graph_part.h"

#include <utility>
#include <vector>

#include "absl/strings/string_view.h"
#include "absl/types/span.h"
#include "lib/graph/graph_builder.h"

namespace onnx_hier {

class GraphPartMaker {
 public:
  GraphPartMaker(const Graph& whole, const IdSet<NodeId>& nodes, GraphPart& part)
      : whole_(whole), nodes_(nodes), part_(part), blocks_(whole.block_count()) {
    part_.parts_.resize(whole.node_count());
  }

  void Make(const IdSet<ValueId>& unread) {
    builder_.info() = whole_.info();
    for (BlockId id : whole_.block_ids()) {
      const bool is_kept = id == whole_.main_block() || HoldsNodes(id);
      if (whole_.block(id).kind != BlockKind::kSubgraph && is_kept) AddBlock(id, BlockId());
    }
    for (NodeId id : whole_.node_ids()) {
      if (nodes_.Has(id)) AddNode(id);
    }
    AddOuterValues(unread);
    part_.graph_ = std::move(builder_).Build();
    FindValues();
  }

 private:
  bool HoldsNodes(BlockId id) const {
    const absl::Span<const NodeId> nodes = whole_.nodes(id);
    return !nodes.empty() && nodes_.Has(nodes[0]);
  }

  absl::string_view NameOf(ValueId id) const { return id.valid() ? whole_.value(id).name : ""; }

  void AddBlock(BlockId id, BlockId parent) {
    Block block = whole_.block(id);
    block.parent = parent;
    if (block.owner.valid()) block.owner = part_.parts_[block.owner];
    block.nodes = block.inputs = block.outputs = block.metadata = {};
    const BlockId added = builder_.AddBlock(block);
    blocks_[id] = added;
    for (const StringPair& pair : whole_.metadata(id)) builder_.AddMetadata(added, pair);
    if (id == whole_.main_block()) return;
    for (ValueId value : whole_.inputs(id)) builder_.AddInput(added, NameOf(value));
    for (ValueId value : whole_.outputs(id)) builder_.AddOutput(added, NameOf(value));
  }

  void AddNode(NodeId id) {
    const Node& node = whole_.node(id);
    const NodeId added = builder_.AddNode(blocks_[node.block]);
    part_.nodes_.push_back(id);
    part_.parts_[id] = added;
    builder_.node(added).name = node.name;
    builder_.node(added).has_name = node.has_name;
    builder_.node(added).attribute_hash = node.attribute_hash;
    const Op& op = whole_.op(id);
    builder_.SetOp(added, op.domain, op.type, op.overload);
    std::vector<absl::string_view> inputs;
    std::vector<absl::string_view> outputs;
    for (ValueId value : whole_.inputs(id)) inputs.push_back(NameOf(value));
    for (ValueId value : whole_.outputs(id)) outputs.push_back(NameOf(value));
    builder_.SetSlots(added, inputs, outputs);
    if (whole_.has_doc_string(id)) builder_.SetDocString(added, whole_.doc_string(id));
    for (const StringPair& pair : whole_.metadata(id)) builder_.AddMetadata(added, pair);
    for (TensorId tensor : whole_.tensors(id)) {
      builder_.AddAttributeTensor(added, whole_.tensor(tensor), DimsOf(tensor));
      part_.tensors_.push_back(tensor);
    }
    for (BlockId block : whole_.blocks(id)) AddBlock(block, blocks_[node.block]);
  }

  std::vector<int64_t> DimsOf(TensorId id) const {
    const absl::Span<const int64_t> dims = whole_.dims(id);
    return std::vector<int64_t>(dims.begin(), dims.end());
  }

  bool IsReadOutside(ValueId id) const {
    for (const Use& use : whole_.uses(id)) {
      if (!nodes_.Has(use.node)) return true;
    }
    return false;
  }
  bool IsMadeInside(ValueId id) const {
    const NodeId producer = whole_.value(id).producer;
    return producer.valid() && nodes_.Has(producer);
  }

  void AddOuterValues(const IdSet<ValueId>& unread) {
    IdSet<ValueId> is_read(whole_.value_count());
    for (NodeId id : part_.nodes_) {
      for (ValueId value : whole_.inputs(id)) {
        if (value.valid()) is_read.Add(value);
      }
    }
    const BlockId main(0);
    for (ValueId value : whole_.inputs(whole_.main_block())) {
      if (value.valid() && is_read.Has(value)) builder_.AddInput(main, NameOf(value));
    }
    IdSet<ValueId> is_output(whole_.value_count());
    for (ValueId value : whole_.outputs(whole_.main_block())) {
      if (!value.valid() || !IsMadeInside(value)) continue;
      builder_.AddOutput(main, NameOf(value));
      is_output.Add(value);
    }
    for (ValueId id : whole_.value_ids()) {
      const Value& value = whole_.value(id);
      if (value.kind == ValueKind::kInitializer) {
        AddInitializer(id, is_read.Has(id) || unread.Has(id));
      } else if (value.block != whole_.main_block() || value.kind != ValueKind::kNodeOutput) {
        continue;
      } else if (!IsMadeInside(id)) {
        if (is_read.Has(id)) builder_.AddInput(main, value.name);
      } else if (!is_output.Has(id) && IsReadOutside(id)) {
        builder_.AddOutput(main, value.name);
      }
    }
  }

  void AddInitializer(ValueId id, bool is_kept) {
    const Value& value = whole_.value(id);
    const BlockId block = blocks_[value.block];
    if (!block.valid() || (value.block == whole_.main_block() && !is_kept)) return;
    builder_.AddInitializer(block, whole_.tensor(value.tensor), DimsOf(value.tensor));
    part_.tensors_.push_back(value.tensor);
    of_tensor_.resize(part_.tensors_.size());
    of_tensor_[TensorId(part_.tensors_.size() - 1)] = id;
  }

  void FindValues() {
    const Graph& graph = part_.graph_;
    part_.values_.resize(graph.value_count());
    const auto pair = [this](absl::Span<const ValueId> here, absl::Span<const ValueId> there) {
      for (size_t i = 0; i < here.size(); ++i) {
        if (here[i].valid()) part_.values_[here[i]] = there[i];
      }
    };
    for (BlockId id : whole_.block_ids()) {
      if (id == whole_.main_block() || !blocks_[id].valid()) continue;
      pair(graph.inputs(blocks_[id]), whole_.inputs(id));
      pair(graph.outputs(blocks_[id]), whole_.outputs(id));
    }
    for (NodeId id : graph.node_ids()) {
      pair(graph.inputs(id), whole_.inputs(part_.nodes_[id]));
      pair(graph.outputs(id), whole_.outputs(part_.nodes_[id]));
    }
    for (ValueId id : graph.value_ids()) {
      const TensorId tensor = graph.value(id).tensor;
      if (!part_.values_[id].valid() && tensor.valid()) part_.values_[id] = of_tensor_[tensor];
    }
  }

  const Graph& whole_;
  const IdSet<NodeId>& nodes_;
  GraphPart& part_;
  GraphBuilder builder_;
  IdVector<BlockId, BlockId> blocks_;      // here; none: not in the part
  IdVector<TensorId, ValueId> of_tensor_;  // of initializers
};

GraphPart::GraphPart(const Graph& whole, const IdSet<NodeId>& nodes, const IdSet<ValueId>& unread) {
  GraphPartMaker(whole, nodes, *this).Make(unread);
}

}  // namespace onnx_hier
