// SPDX-License-Identifier: Apache-2.0
#include "lib/relate/module_flow.h"

#include <algorithm>
#include <cstddef>
#include <iterator>

#include "absl/strings/string_view.h"
#include "absl/types/span.h"
#include "lib/base/hash.h"
#include "lib/graph/domain.h"
#include "lib/graph/weight.h"

namespace onnx_hier {
namespace {

// Where an input comes from.
enum SourceKind : uint64_t { kOmitted, kInside, kOutside, kParameter, kFormal, kUnknown, kNode };

// Versions from which on a node computes something else than it did, written alike: not those that
// only take more types, or in which an attribute became an input (docs/Changelog.md of the ONNX
// project).
struct OperatorChange {
  absl::string_view op_type;
  int64_t version;
};
constexpr OperatorChange kChanges[] = {
    {"Softmax", 13},  // the default axis, and what stands behind it
    {"LogSoftmax", 13},
    {"Hardmax", 13},
    {"Resize", 11},              // where pixels lie
    {"Scan", 9},                 // which axis is scanned
    {"DFT", 20},                 // the default axis
    {"GroupNormalization", 21},  // a scale for each channel
};

// Equal for versions of the model's operators in which this one computes the same.
uint64_t MeaningOf(const ModelInfo& info, const Op& op) {
  int64_t version = 0;
  for (const OpsetImport& import : info.opset_imports) {
    if (StandardDomain(import.domain) == op.domain) version = import.version;
  }
  if (!op.domain.empty()) return static_cast<uint64_t>(version);
  return static_cast<uint64_t>(
      std::count_if(std::begin(kChanges), std::end(kChanges), [&](const OperatorChange& change) {
        return change.op_type == op.type && change.version <= version;
      }));
}

// The graphs inside of a node, in whatever order the file has them.
std::vector<BlockId> BlocksInOrder(const Graph& graph, NodeId node) {
  std::vector<BlockId> blocks(graph.blocks(node).begin(), graph.blocks(node).end());
  std::stable_sort(blocks.begin(), blocks.end(), [&](BlockId a, BlockId b) {
    return graph.block(a).attribute < graph.block(b).attribute;
  });
  return blocks;
}

// Of the function that a block is, or is in; 0: of none.
uint64_t HashOfFunction(const Graph& graph, BlockId id) {
  while (graph.block(id).parent.valid()) id = graph.block(id).parent;
  const Block& block = graph.block(id);
  if (block.kind != BlockKind::kFunction) return 0;
  const uint64_t name = HashBytes(block.name, HashBytes(block.domain));
  return MixHash(MixHash(name, HashBytes(block.overload)), block.header_hash);
}

// Of an operator, by the model's versions of operators.
uint64_t HashOfOperator(const Graph& graph, const Op& op) {
  const uint64_t hash = MixHash(HashBytes(op.type, HashBytes(op.domain)), HashBytes(op.overload));
  return MixHash(hash, MeaningOf(graph.info(), op));
}

}  // namespace

uint64_t FlowHashes::RoleOf(const Graph& graph, ValueId value, uint32_t slot) const {
  const NodeId maker = graph.value(value).producer;
  const uint64_t hash = maker.valid() && nodes[maker] != 0 ? nodes[maker] : uses[value];
  return MixHash(hash, slot);
}

ModuleFlow::ModuleFlow(const ModuleGroups& groups, const IdVector<NodeId, uint64_t>& attributes)
    : groups_(groups),
      attributes_(attributes),
      operators_(groups.graph().node_count()),
      slots_(groups.graph().value_count(), 0) {
  const Graph& graph = groups.graph();
  const auto number = [&](absl::Span<const ValueId> values) {
    for (uint32_t i = 0; i < values.size(); ++i) {
      if (values[i].valid()) slots_[values[i]] = i;
    }
  };
  IdVector<OpId, uint64_t> operators(graph.op_count());
  for (OpId op : graph.op_ids()) operators[op] = HashOfOperator(graph, graph.op(op));
  IdVector<BlockId, uint64_t> functions(graph.block_count());
  for (BlockId block : graph.block_ids()) {
    functions[block] = HashOfFunction(graph, block);
    number(graph.inputs(block));
  }
  for (NodeId node : graph.node_ids()) {
    const uint64_t hash = MixHash(operators[graph.node(node).op], attributes[node]);
    const uint64_t function = functions[graph.node(node).block];
    operators_[node] = MixHash(MixHash(hash, function), graph.outputs(node).size());
    number(graph.outputs(node));
  }
  ListReadings();
  Order();
  alone_ = Hash(nullptr, IdVector<ValueId, uint64_t>(graph.value_count(), 0),
                [](const OutsideReading&) -> uint64_t { return kOutside; });
}

void ModuleFlow::ListReadings() {
  const Graph& graph = groups_.graph();
  // Nobody: a Constant, or what is not there.
  IdVector<ValueId, GroupId> sources(graph.value_count());
  for (ValueId value : graph.value_ids()) {
    const NodeId maker = graph.value(value).producer;
    if (!maker.valid()) {
      sources[value] = groups_.owner_of(value);
    } else if (!IsConstant(graph, maker)) {
      sources[value] = groups_.group_of(maker);
    }
  }
  first_reading_.resize(graph.node_count());
  reading_counts_.resize(graph.node_count());
  for (NodeId node : graph.node_ids()) {
    const size_t first = readings_.size();
    first_reading_[node] = static_cast<uint32_t>(first);
    const auto add = [&](absl::Span<const ValueId> values) {
      for (ValueId value : values) {
        readings_.push_back({value, value.valid() ? sources[value] : GroupId()});
      }
    };
    absl::Span<const ValueId> inputs = graph.inputs(node);
    while (!inputs.empty() && !inputs.back().valid()) inputs.remove_suffix(1);
    add(inputs);
    for (BlockId block : BlocksInOrder(graph, node)) {
      operators_[node] = MixHash(operators_[node], HashBytes(graph.block(block).attribute));
      add(graph.outputs(block));
    }
    reading_counts_[node] = static_cast<uint32_t>(readings_.size() - first);
  }
}

// Depth first, without calls: a chain may be as long as the model.
void ModuleFlow::Order() {
  const Graph& graph = groups_.graph();
  IdVector<NodeId, uint32_t> next(graph.node_count(), 0);
  IdSet<NodeId> seen(graph.node_count());
  std::vector<NodeId> way;
  const auto enter = [&](NodeId node) {
    if (!node.valid() || seen.Has(node)) return;
    seen.Add(node);
    if (!IsConstant(graph, node)) way.push_back(node);
  };
  for (NodeId start : graph.node_ids()) {
    enter(start);
    while (!way.empty()) {
      const NodeId node = way.back();
      if (next[node] == reading_counts_[node]) {
        order_.push_back(node);
        way.pop_back();
        continue;
      }
      const ValueId value = readings(node)[next[node]++].value;
      if (value.valid()) enter(graph.value(value).producer);
    }
  }
}

bool ModuleFlow::IsSameInOrder(const ModuleFlow& other) const {
  const Graph& a = groups_.graph();
  const Graph& b = other.groups_.graph();
  if (a.node_count() != b.node_count() || a.block_count() != b.block_count() ||
      a.value_count() != b.value_count()) {
    return false;
  }
  for (BlockId block : a.block_ids()) {
    if (a.inputs(block) != b.inputs(block) || a.outputs(block) != b.outputs(block) ||
        a.block(block).attribute != b.block(block).attribute) {
      return false;
    }
  }
  for (ValueId value : a.value_ids()) {
    if (a.value(value).kind != b.value(value).kind) return false;
  }
  for (NodeId node : a.node_ids()) {
    if (operators_[node] != other.operators_[node] || a.node(node).block != b.node(node).block ||
        a.blocks(node) != b.blocks(node) || a.inputs(node) != b.inputs(node) ||
        a.outputs(node) != b.outputs(node)) {
      return false;
    }
  }
  return true;
}

void ModuleFlow::ForEachOutside(absl::FunctionRef<void(const OutsideReading&)> take) const {
  const Graph& graph = groups_.graph();
  for (NodeId node : order_) {
    for (uint32_t slot = 0; slot < reading_counts_[node]; ++slot) {
      const OutsideReading reading = ReadingAt(node, slot);
      if (!reading.value.valid()) continue;
      const Value& value = graph.value(reading.value);
      const bool is_input = value.kind == ValueKind::kInput && value.block == graph.main_block();
      if (is_input || (reading.source.valid() && reading.source != groups_.group_of(node))) {
        take(reading);
      }
    }
  }
}

uint64_t ModuleFlow::HashOfReading(
    const FlowHashes& up, const FlowHashes* last, const OutsideReading& reading,
    absl::FunctionRef<uint64_t(const OutsideReading&)> source) const {
  if (!reading.value.valid()) return kOmitted;
  const Graph& graph = groups_.graph();
  const Value& value = graph.value(reading.value);
  const bool is_own = reading.source == groups_.group_of(reading.reader);
  switch (value.kind) {
    case ValueKind::kUndefined:
      return kUnknown;
    case ValueKind::kInput:
      if (value.block == graph.main_block()) return source(reading);
      return MixHash(kFormal, slots_[reading.value]);
    case ValueKind::kInitializer:
      break;
    case ValueKind::kNodeOutput:
      if (!reading.source.valid()) return MixHash(kParameter, operators_[value.producer]);
      if (!is_own) return source(reading);
      return MixHash(MixHash(kInside, up.nodes[value.producer]), slots_[reading.value]);
  }
  if (last == nullptr || !reading.source.valid()) return kParameter;
  return MixHash(kParameter, is_own ? last->own_uses[reading.value] : source(reading));
}

FlowHashes ModuleFlow::Hash(const FlowHashes* last, const IdVector<ValueId, uint64_t>& outputs,
                            absl::FunctionRef<uint64_t(const OutsideReading&)> source) const {
  const Graph& graph = groups_.graph();
  FlowHashes hashes;
  hashes.nodes.resize(graph.node_count());
  hashes.groups.resize(groups_.size());
  hashes.own_uses.assign(graph.value_count(), 0);
  hashes.uses.assign(graph.value_count(), 0);
  for (NodeId node : order_) {
    uint64_t hash = operators_[node];
    for (uint32_t slot = 0; slot < reading_counts_[node]; ++slot) {
      hash = MixHash(hash, HashOfReading(hashes, last, ReadingAt(node, slot), source));
    }
    hashes.nodes[node] = hash;
  }
  // What becomes of it: sums, for readers come in no order.
  IdVector<ValueId, uint64_t> after = outputs;
  IdVector<ValueId, uint64_t> after_anywhere = outputs;
  for (size_t i = order_.size(); i > 0; --i) {
    const NodeId node = order_[i - 1];
    uint64_t down = 0;
    uint64_t anywhere = 0;
    for (ValueId value : graph.outputs(node)) {
      down = MixHash(down, value.valid() ? after[value] : 0);
      anywhere = MixHash(anywhere, value.valid() ? after_anywhere[value] : 0);
    }
    hashes.nodes[node] = MixHash(hashes.nodes[node], down);
    anywhere = MixHash(hashes.nodes[node], anywhere);
    hashes.groups[groups_.group_of(node)] += MixHash(kNode, hashes.nodes[node]);
    for (uint32_t slot = 0; slot < reading_counts_[node]; ++slot) {
      const OutsideReading reading = ReadingAt(node, slot);
      if (!reading.value.valid()) continue;
      const uint64_t use = MixHash(hashes.nodes[node], slot);
      const uint64_t use_anywhere = MixHash(anywhere, slot);
      hashes.uses[reading.value] += use_anywhere;
      const bool is_held = !reading.source.valid();
      const GroupId source_group = is_held ? groups_.owner_of(reading.value) : reading.source;
      const bool is_own = source_group == groups_.group_of(node);
      // Of what others do with it, as far as their module goes.
      after_anywhere[reading.value] += is_own ? use_anywhere : use;
      if (!is_own) continue;
      hashes.own_uses[reading.value] += use;
      if (!is_held) after[reading.value] += use;
    }
  }
  return hashes;
}

}  // namespace onnx_hier
