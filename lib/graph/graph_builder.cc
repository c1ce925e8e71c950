// SPDX-License-Identifier: Apache-2.0
#include "lib/graph/graph_builder.h"

#include <limits>
#include <utility>

#include "absl/algorithm/container.h"
#include "lib/graph/data_type.h"

namespace onnx_hier {
namespace {

uint64_t SaturatedProduct(uint64_t a, uint64_t b) {
  uint64_t product;
  return __builtin_mul_overflow(a, b, &product) ? std::numeric_limits<uint64_t>::max() : product;
}

}  // namespace

void MeasureTensor(Tensor& tensor, const std::vector<int64_t>& dims) {
  tensor.elements = 1;
  for (int64_t dim : dims) {
    tensor.elements = SaturatedProduct(tensor.elements, dim < 0 ? 0 : static_cast<uint64_t>(dim));
  }
  const uint32_t bits = data_type::Bits(tensor.data_type);
  tensor.bytes = bits >= 8 ? SaturatedProduct(tensor.elements, bits / 8)
                           : tensor.elements / 8 * bits + (tensor.elements % 8 * bits + 7) / 8;
}

BlockId GraphBuilder::AddBlock(const Block& block) {
  const BlockId id = graph_.blocks_.push_back(block);
  if (block.kind == BlockKind::kSubgraph && block.parent.valid()) {
    graph_.blocks_[id].depth = graph_.blocks_[block.parent].depth + 1;
  }
  return id;
}

NodeId GraphBuilder::AddNode(BlockId block) {
  const NodeId id = graph_.nodes_.add();
  Node& node = graph_.nodes_[id];
  node.block = block;
  // Until the nodes of all blocks are listed, a block's range is no more than their count.
  node.index = graph_.blocks_[block].nodes.end++;
  return id;
}

TensorId GraphBuilder::AddTensor(NodeId owner, const Tensor& tensor,
                                 absl::Span<const int64_t> dims) {
  const TensorId id = graph_.tensors_.push_back(tensor);
  Tensor& added = graph_.tensors_[id];
  added.owner = owner;
  added.dims.begin = static_cast<uint32_t>(graph_.dims_.size());
  graph_.dims_.insert(graph_.dims_.end(), dims.begin(), dims.end());
  added.dims.end = static_cast<uint32_t>(graph_.dims_.size());
  if (owner.valid()) attribute_tensors_.push_back({owner, id});
  return id;
}

TensorId GraphBuilder::AddAttributeTensor(NodeId owner, const Tensor& tensor,
                                          const std::vector<int64_t>& dims) {
  const TensorId id = AddTensor(owner, tensor, dims);
  MeasureTensor(graph_.tensors_[id], dims);
  return id;
}

TensorId GraphBuilder::AddInitializer(BlockId block, const Tensor& tensor,
                                      const std::vector<int64_t>& dims) {
  const TensorId id = AddAttributeTensor(NodeId(), tensor, dims);
  graph_.tensors_[id].block = block;
  initializers_.push_back({block, id});
  return id;
}

GraphBuilder::FirstTaken GraphBuilder::Take(NodeSpan& span, uint32_t end, BlockId block) {
  const FirstTaken first = {graph_.nodes_.next_id(), graph_.tensors_.next_id()};
  NodeSpan::Taken& taken = span.taken;
  if (taken.nodes == end) return first;
  // What all places in the span are moved by; in unsigned numbers, back as well as on.
  const auto base = static_cast<uint32_t>(first.node.index()) - taken.nodes;
  const uint32_t slots = names_.added() - taken.names;
  const uint32_t names = span.nodes[end - 1].end_of_outputs - taken.names;
  names_.AddHashed(absl::MakeConstSpan(span.names).subspan(taken.names, names),
                   absl::MakeConstSpan(span.hashes).subspan(taken.names, names));
  taken.names += names;
  if (span.graph_ops.empty()) span.graph_ops.resize(span.ops.ops().size());
  // Until the nodes of all blocks are listed, a block's range is no more than their count.
  uint32_t& count = graph_.blocks_[block].nodes.end;
  for (; taken.nodes < end; ++taken.nodes) {
    Node& node = span.nodes[taken.nodes];
    OpId& op = span.graph_ops[node.op];
    if (!op.valid()) {
      const Op& in_span = span.ops.ops()[node.op];
      op = ops_.IdOf(in_span.domain, in_span.type, in_span.overload);
    }
    node.op = op;
    node.block = block;
    node.index = count++;
    node.first_input += slots;
    node.first_output += slots;
    node.end_of_outputs += slots;
    graph_.nodes_.push_back(node);
  }
  const auto take = [&](const auto& list, uint32_t& next, const auto& add) {
    for (; next < list.size() && list[next].node < end; ++next) {
      add(NodeId(base + list[next].node), list[next].item);
    }
  };
  take(span.docs, taken.docs, [&](NodeId node, absl::string_view doc) { SetDocString(node, doc); });
  take(span.metadata, taken.metadata,
       [&](NodeId node, const StringPair& pair) { AddMetadata(node, pair); });
  take(span.tensors, taken.tensors, [&](NodeId node, const Tensor& tensor) {
    AddTensor(node, tensor, Graph::Slice(span.dims, tensor.dims));
  });
  return first;
}

// They nearly always come owner by owner: only what belongs to a node that holds graphs may follow
// what belongs to the nodes of those.
template <class Owner, class T, class RangeOf>
void GraphBuilder::Group(List<Owner, T>& list, std::vector<T>& items, const RangeOf& range_of) {
  const auto before = [](const Owned<Owner, T>& a, const Owned<Owner, T>& b) {
    return a.owner < b.owner;
  };
  if (!absl::c_is_sorted(list, before)) absl::c_stable_sort(list, before);
  items.reserve(items.size() + list.size());
  for (auto first = list.begin(); first != list.end();) {
    const Owner owner = first->owner;
    const auto begin = static_cast<uint32_t>(items.size());
    for (; first != list.end() && first->owner == owner; ++first) items.push_back(first->item);
    range_of(owner) = {begin, static_cast<uint32_t>(items.size())};
  }
  list = {};
}

// Those of nodes came with the nodes.
void GraphBuilder::AddBlockNames() {
  std::vector<absl::string_view> names;
  const auto add = [&](List<BlockId, absl::string_view>& list, Range Block::*slots) {
    names.clear();
    Group(list, names, [&](BlockId id) -> Range& { return graph_.blocks_[id].*slots; });
    const Range all = AddNames(names);
    for (BlockId id : graph_.block_ids()) {
      Range& range = graph_.blocks_[id].*slots;
      range = {range.begin + all.begin, range.end + all.begin};
    }
  };
  add(block_inputs_, &Block::inputs);
  add(block_outputs_, &Block::outputs);

  initializers_of_.resize(graph_.blocks_.size());
  Group(initializers_, initializer_tensors_,
        [&](BlockId id) -> Range& { return initializers_of_[id].tensors; });
  for (Initializers& initializers : initializers_of_) {
    initializers.slots.begin = names_.added();
    for (uint32_t i = initializers.tensors.begin; i < initializers.tensors.end; ++i) {
      names_.Add(graph_.tensors_[initializer_tensors_[i]].name);
    }
    initializers.slots.end = names_.added();
  }
}

void GraphBuilder::GroupOwnedItems() {
  List<NodeId, BlockId> owned_blocks;
  for (BlockId id : graph_.block_ids()) {
    const NodeId owner = graph_.blocks_[id].owner;
    if (owner.valid()) owned_blocks.push_back({owner, id});
  }
  Group(owned_blocks, graph_.owned_blocks_, [&](NodeId id) -> Range& { return extra(id).blocks; });
  Group(attribute_tensors_, graph_.owned_tensors_,
        [&](NodeId id) -> Range& { return extra(id).tensors; });
  Group(node_metadata_, graph_.metadata_, [&](NodeId id) -> Range& { return extra(id).metadata; });
  Group(block_metadata_, graph_.metadata_,
        [&](BlockId id) -> Range& { return graph_.blocks_[id].metadata; });
}

void GraphBuilder::ListNodesOfBlocks() {
  uint32_t begin = 0;
  for (Block& block : graph_.blocks_) {
    const uint32_t count = block.nodes.end;
    block.nodes = {begin, begin + count};
    begin += count;
  }
  graph_.block_nodes_.resize(begin);
  for (NodeId id : graph_.node_ids()) {
    const Node& node = graph_.nodes_[id];
    graph_.block_nodes_[graph_.blocks_[node.block].nodes.begin + node.index] = id;
  }
}

ValueId GraphBuilder::Define(uint32_t name, BlockId block, ValueKind kind) {
  const ValueId before = visible_[name];
  if (before.valid() && graph_.values_[before].block == block) return before;
  Value value;
  value.name = names_.text(name);
  value.block = block;
  value.kind = kind;
  const ValueId id = graph_.values_.push_back(value);
  // Where there is one block, nobody comes after it.
  if (graph_.blocks_.size() > 1) hidden_.push_back({name, before});
  visible_[name] = id;
  return id;
}

// A name that was made before is made once more, for nobody: were it one value with many makers,
// going from each maker to each reader would take the product of both.
ValueId GraphBuilder::DefineOutput(uint32_t name, BlockId block, NodeId node) {
  const ValueId first = Define(name, block, ValueKind::kNodeOutput);
  Value& value = graph_.values_[first];
  if (!value.producer.valid()) {
    value.producer = node;
    return first;
  }
  Value again;
  again.name = value.name;
  again.block = block;
  again.kind = ValueKind::kNodeOutput;
  again.producer = node;
  return graph_.values_.push_back(again);
}

void GraphBuilder::Resolve(Range slots, BlockId block) {
  for (uint32_t slot = slots.begin; slot < slots.end; ++slot) {
    const uint32_t name = names_.number(slot);
    if (name == omitted_) continue;
    const ValueId known = visible_[name];
    graph_.slots_[slot] = known.valid() ? known : Define(name, block, ValueKind::kUndefined);
  }
}

// Defines everything the block defines, then resolves what it reads.
void GraphBuilder::EnterBlock(BlockId id) {
  hidden_at_enter_.push_back(hidden_.size());
  const Block& block = graph_.blocks_[id];
  for (uint32_t slot = block.inputs.begin; slot < block.inputs.end; ++slot) {
    if (names_.number(slot) != omitted_) Define(names_.number(slot), id, ValueKind::kInput);
  }
  const Initializers& initializers = initializers_of_[id];
  for (uint32_t i = 0; i < initializers.slots.size(); ++i) {
    const uint32_t name = names_.number(initializers.slots.begin + i);
    Value& value = graph_.values_[Define(name, id, ValueKind::kInitializer)];
    value.kind = ValueKind::kInitializer;
    value.tensor = initializer_tensors_[initializers.tensors.begin + i];
  }
  for (NodeId node : graph_.nodes(id)) {
    const Range outputs = graph_.OutputSlots(node);
    for (uint32_t slot = outputs.begin; slot < outputs.end; ++slot) {
      const uint32_t name = names_.number(slot);
      if (name != omitted_) graph_.slots_[slot] = DefineOutput(name, id, node);
    }
  }
  Resolve(block.inputs, id);
  for (NodeId node : graph_.nodes(id)) Resolve(graph_.InputSlots(node), id);
  Resolve(block.outputs, id);
}

void GraphBuilder::LeaveBlock() {
  const size_t from = hidden_at_enter_.back();
  hidden_at_enter_.pop_back();
  while (hidden_.size() > from) {
    visible_[hidden_.back().name] = hidden_.back().before;
    hidden_.pop_back();
  }
}

// Walks the tree of blocks depth first, without recursion: files may nest deeply.
void GraphBuilder::ResolveNames() {
  omitted_ = names_.NumberOf("");
  visible_.assign(names_.size(), ValueId());
  graph_.values_.reserve(names_.size());
  graph_.slots_.resize(names_.added());
  List<BlockId, BlockId> by_parent;
  std::vector<BlockId> roots;
  for (BlockId id : graph_.block_ids()) {
    const BlockId parent = graph_.blocks_[id].parent;
    if (parent.valid()) {
      by_parent.push_back({parent, id});
    } else {
      roots.push_back(id);
    }
  }
  std::vector<BlockId> children;
  IdVector<BlockId, Range> children_of(graph_.blocks_.size());
  Group(by_parent, children, [&](BlockId id) -> Range& { return children_of[id]; });
  struct Frame {
    BlockId block;
    uint32_t next_child = 0;
  };
  std::vector<Frame> stack;
  for (BlockId root : roots) {
    EnterBlock(root);
    stack.push_back({root});
    while (!stack.empty()) {
      const Range below = children_of[stack.back().block];
      if (stack.back().next_child == below.size()) {
        LeaveBlock();
        stack.pop_back();
        continue;
      }
      const BlockId child = children[below.begin + stack.back().next_child++];
      EnterBlock(child);
      stack.push_back({child});
    }
  }
}

void GraphBuilder::ListUses() {
  graph_.uses_ = Grouped<ValueId, Use>(graph_.values_.size(), [this](const auto& visit) {
    for (NodeId node : graph_.node_ids()) {
      const Range inputs = graph_.InputSlots(node);
      for (uint32_t slot = inputs.begin; slot < inputs.end; ++slot) {
        const ValueId value = graph_.slots_[slot];
        if (value.valid()) visit(value, Use{node, slot - inputs.begin});
      }
    }
  });
}

Graph GraphBuilder::Build() && {
  AddBlockNames();
  names_.Finish();
  GroupOwnedItems();
  ListNodesOfBlocks();
  graph_.NameBlocks();
  ResolveNames();
  ListUses();
  graph_.ops_ = std::move(ops_).ops();
  return std::move(graph_);
}

}  // namespace onnx_hier
