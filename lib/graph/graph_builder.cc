#include "lib/graph/graph_builder.h"

#include <limits>
#include <utility>

#include "lib/graph/data_type.h"
#include "lib/graph/domain.h"

namespace onnx_hier {
namespace {

uint64_t SaturatedProduct(uint64_t a, uint64_t b) {
  uint64_t product;
  return __builtin_mul_overflow(a, b, &product) ? std::numeric_limits<uint64_t>::max() : product;
}

// Bits of one element; 0 where elements have no fixed size.
uint32_t ElementBits(int32_t type) {
  switch (type) {
    case data_type::kUint8:
    case data_type::kInt8:
    case data_type::kBool:
    case data_type::kFloat8E4M3Fn:
    case data_type::kFloat8E4M3Fnuz:
    case data_type::kFloat8E5M2:
    case data_type::kFloat8E5M2Fnuz:
    case data_type::kFloat8E8M0:
      return 8;
    case data_type::kUint16:
    case data_type::kInt16:
    case data_type::kFloat16:
    case data_type::kBfloat16:
      return 16;
    case data_type::kFloat:
    case data_type::kInt32:
    case data_type::kUint32:
      return 32;
    case data_type::kInt64:
    case data_type::kDouble:
    case data_type::kUint64:
    case data_type::kComplex64:
      return 64;
    case data_type::kComplex128:
      return 128;
    case data_type::kUint4:
    case data_type::kInt4:
    case data_type::kFloat4E2M1:
      return 4;
    case data_type::kUint2:
    case data_type::kInt2:
      return 2;
    default:
      return 0;
  }
}

void Measure(Tensor& tensor, const std::vector<int64_t>& dims) {
  tensor.elements = 1;
  for (int64_t dim : dims) {
    tensor.elements = SaturatedProduct(tensor.elements, dim < 0 ? 0 : static_cast<uint64_t>(dim));
  }
  const uint32_t bits = ElementBits(tensor.data_type);
  tensor.bytes = bits >= 8 ? SaturatedProduct(tensor.elements, bits / 8)
                           : tensor.elements / 8 * bits + (tensor.elements % 8 * bits + 7) / 8;
}

}  // namespace

BlockId GraphBuilder::AddBlock(const Block& block) {
  const BlockId id = graph_.blocks_.push_back(block);
  if (block.kind == BlockKind::kSubgraph && block.parent.valid()) {
    graph_.blocks_[id].depth = graph_.blocks_[block.parent].depth + 1;
  }
  return id;
}

NodeId GraphBuilder::AddNode(BlockId block) {
  const NodeId id = graph_.nodes_.push_back(Node());
  graph_.nodes_[id].block = block;
  return id;
}

TensorId GraphBuilder::AddAttributeTensor(NodeId owner, const Tensor& tensor,
                                          const std::vector<int64_t>& dims) {
  const TensorId id = graph_.tensors_.push_back(tensor);
  Tensor& added = graph_.tensors_[id];
  added.owner = owner;
  added.dims.begin = static_cast<uint32_t>(graph_.dims_.size());
  graph_.dims_.insert(graph_.dims_.end(), dims.begin(), dims.end());
  added.dims.end = static_cast<uint32_t>(graph_.dims_.size());
  Measure(added, dims);
  if (owner.valid()) attribute_tensors_.push_back({owner.index(), id});
  return id;
}

TensorId GraphBuilder::AddInitializer(BlockId block, const Tensor& tensor,
                                      const std::vector<int64_t>& dims) {
  const TensorId id = AddAttributeTensor(NodeId(), tensor, dims);
  graph_.tensors_[id].block = block;
  initializer_names_.push_back({block.index(), names_.Add(tensor.name)});
  initializer_tensors_.push_back({block.index(), id});
  return id;
}

void GraphBuilder::SetOp(NodeId node, absl::string_view domain, absl::string_view type,
                         absl::string_view overload) {
  domain = StandardDomain(domain);
  const uint32_t number = op_types_.Intern(type);
  if (number == last_of_type_.size()) last_of_type_.emplace_back();
  OpId& last = last_of_type_[number];
  // Nearly always a type has one domain and no overloads.
  if (!last.valid() || graph_.ops_[last].domain != domain ||
      graph_.ops_[last].overload != overload) {
    const auto [known, added] = ops_.try_emplace(std::make_tuple(number, domain, overload));
    if (added) known->second = graph_.ops_.push_back({domain, type, overload});
    last = known->second;
  }
  graph_.nodes_[node].op = last;
}

// A counting sort: items of one owner keep the order in which they came.
template <class T>
GraphBuilder::Grouped<T> GraphBuilder::Group(std::vector<Owned<T>> pairs, size_t owners) {
  Grouped<T> grouped;
  if (pairs.empty()) return grouped;
  // While items are put in place, begin[owner + 1] is where the owner's next one goes; when they
  // all are, that is one past its last.
  std::vector<uint32_t>& begin = grouped.begin;
  begin.assign(owners + 2, 0);
  for (const Owned<T>& pair : pairs) ++begin[pair.owner + 2];
  for (size_t i = 2; i < begin.size(); ++i) begin[i] += begin[i - 1];
  grouped.items.resize(pairs.size());
  for (const Owned<T>& pair : pairs) grouped.items[begin[pair.owner + 1]++] = pair.item;
  return grouped;
}

void GraphBuilder::GroupOwnedItems() {
  const size_t nodes = graph_.nodes_.size();
  const size_t blocks = graph_.blocks_.size();

  std::vector<Owned<NodeId>> block_nodes;
  block_nodes.reserve(nodes);
  std::vector<Owned<BlockId>> owned_blocks;
  for (NodeId id : graph_.node_ids()) block_nodes.push_back({graph_.nodes_[id].block.index(), id});
  for (BlockId id : graph_.block_ids()) {
    const Block& block = graph_.blocks_[id];
    if (block.owner.valid()) owned_blocks.push_back({block.owner.index(), id});
  }
  Grouped<NodeId> nodes_of = Group(std::move(block_nodes), blocks);
  Grouped<BlockId> blocks_of = Group(std::move(owned_blocks), nodes);
  Grouped<TensorId> tensors_of = Group(std::move(attribute_tensors_), nodes);
  Grouped<StringPair> node_metadata = Group(std::move(node_metadata_), nodes);
  Grouped<StringPair> block_metadata = Group(std::move(block_metadata_), blocks);

  for (NodeId id : graph_.node_ids()) {
    Node& node = graph_.nodes_[id];
    node.blocks = blocks_of.range(id.index());
    node.tensors = tensors_of.range(id.index());
    node.metadata = node_metadata.range(id.index());
  }
  const uint32_t shift = static_cast<uint32_t>(node_metadata.items.size());
  for (BlockId id : graph_.block_ids()) {
    Block& block = graph_.blocks_[id];
    block.nodes = nodes_of.range(id.index());
    uint32_t index = 0;
    for (NodeId node : nodes_of.of(id.index())) graph_.nodes_[node].index = index++;
    const Range range = block_metadata.range(id.index());
    block.metadata = {range.begin + shift, range.end + shift};
  }
  graph_.block_nodes_ = std::move(nodes_of.items);
  graph_.owned_blocks_ = std::move(blocks_of.items);
  graph_.owned_tensors_ = std::move(tensors_of.items);
  graph_.metadata_ = std::move(node_metadata.items);
  graph_.metadata_.insert(graph_.metadata_.end(), block_metadata.items.begin(),
                          block_metadata.items.end());

  in_ = Group(std::move(node_inputs_), nodes);
  out_ = Group(std::move(node_outputs_), nodes);
  block_in_ = Group(std::move(block_inputs_), blocks);
  block_out_ = Group(std::move(block_outputs_), blocks);
  init_ = Group(std::move(initializer_names_), blocks);
  init_tensors_ = Group(std::move(initializer_tensors_), blocks);
}

ValueId GraphBuilder::Define(uint32_t name, BlockId block, ValueKind kind) {
  const ValueId before = visible_[name];
  if (before.valid() && graph_.values_[before].block == block) return before;
  Value value;
  value.name = names_.text(name);
  value.block = block;
  value.kind = kind;
  const ValueId id = graph_.values_.push_back(value);
  hidden_.push_back({name, before});
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

Range GraphBuilder::Resolve(absl::Span<const uint32_t> names, BlockId block) {
  Range range;
  range.begin = static_cast<uint32_t>(graph_.slots_.size());
  for (uint32_t name : names) {
    if (name == kOmitted) {
      graph_.slots_.push_back(ValueId());
      continue;
    }
    const ValueId known = visible_[name];
    graph_.slots_.push_back(known.valid() ? known : Define(name, block, ValueKind::kUndefined));
  }
  range.end = static_cast<uint32_t>(graph_.slots_.size());
  return range;
}

// Defines everything the block defines, then resolves what it reads.
void GraphBuilder::EnterBlock(BlockId id) {
  hidden_at_enter_.push_back(hidden_.size());
  for (uint32_t name : block_in_.of(id.index())) {
    if (name != kOmitted) Define(name, id, ValueKind::kInput);
  }
  const absl::Span<const TensorId> tensors = init_tensors_.of(id.index());
  for (size_t i = 0; i < tensors.size(); ++i) {
    Value& value = graph_.values_[Define(init_.of(id.index())[i], id, ValueKind::kInitializer)];
    value.kind = ValueKind::kInitializer;
    value.tensor = tensors[i];
  }
  for (NodeId node : graph_.nodes(id)) {
    Range& outputs = graph_.nodes_[node].outputs;
    outputs.begin = static_cast<uint32_t>(graph_.slots_.size());
    for (uint32_t name : out_.of(node.index())) {
      if (name == kOmitted) {
        graph_.slots_.push_back(ValueId());
        continue;
      }
      graph_.slots_.push_back(DefineOutput(name, id, node));
    }
    outputs.end = static_cast<uint32_t>(graph_.slots_.size());
  }
  graph_.blocks_[id].inputs = Resolve(block_in_.of(id.index()), id);
  for (NodeId node : graph_.nodes(id)) {
    graph_.nodes_[node].inputs = Resolve(in_.of(node.index()), id);
  }
  graph_.blocks_[id].outputs = Resolve(block_out_.of(id.index()), id);
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
  visible_.assign(names_.size(), ValueId());
  graph_.values_.reserve(names_.size());
  graph_.slots_.reserve(in_.items.size() + out_.items.size() + block_in_.items.size() +
                        block_out_.items.size());
  std::vector<Owned<BlockId>> by_parent;
  std::vector<BlockId> roots;
  for (BlockId id : graph_.block_ids()) {
    const BlockId parent = graph_.blocks_[id].parent;
    if (parent.valid()) {
      by_parent.push_back({parent.index(), id});
    } else {
      roots.push_back(id);
    }
  }
  const Grouped<BlockId> children = Group(std::move(by_parent), graph_.blocks_.size());
  struct Frame {
    BlockId block;
    uint32_t next_child = 0;
  };
  std::vector<Frame> stack;
  for (BlockId root : roots) {
    EnterBlock(root);
    stack.push_back({root});
    while (!stack.empty()) {
      const absl::Span<const BlockId> below = children.of(stack.back().block.index());
      if (stack.back().next_child == below.size()) {
        LeaveBlock();
        stack.pop_back();
        continue;
      }
      const BlockId child = below[stack.back().next_child++];
      EnterBlock(child);
      stack.push_back({child});
    }
  }
}

// A counting sort as in Group(), without the pairs: they stand in the slots already.
void GraphBuilder::ListUses() {
  IdVector<ValueId, Range>& ranges = graph_.value_uses_;
  ranges.resize(graph_.values_.size());
  for (NodeId node : graph_.node_ids()) {
    for (ValueId value : graph_.inputs(node)) {
      if (value.valid()) ++ranges[value].end;
    }
  }
  uint32_t begin = 0;
  for (Range& range : ranges) {
    const uint32_t count = range.end;
    range = {begin, begin};
    begin += count;
  }
  graph_.uses_.resize(begin);
  for (NodeId node : graph_.node_ids()) {
    uint32_t slot = 0;
    for (ValueId value : graph_.inputs(node)) {
      if (value.valid()) graph_.uses_[ranges[value].end++] = {node, slot};
      ++slot;
    }
  }
}

void GraphBuilder::Number(Names& list) const {
  for (Owned<uint32_t>& name : list) {
    if (name.item != kOmitted) name.item = names_.number(name.item);
  }
}

Graph GraphBuilder::Build() && {
  names_.Finish();
  for (Names* list :
       {&node_inputs_, &node_outputs_, &block_inputs_, &block_outputs_, &initializer_names_}) {
    Number(*list);
  }
  GroupOwnedItems();
  graph_.NameBlocks();
  ResolveNames();
  ListUses();
  return std::move(graph_);
}

}  // namespace onnx_hier
