// SPDX-License-Identifier: Apache-2.0
#include "lib/relate/value_pairs.h"

#include "absl/container/flat_hash_map.h"
#include "absl/strings/string_view.h"
#include "absl/types/span.h"

namespace onnx_hier {
namespace {

// Nodes that are passed from a value to the one that people mean, one after the other.
constexpr int kMostPassed = 4;

bool IsOfMainGraph(const Graph& graph, ValueId id) {
  const Value& value = graph.value(id);
  return value.block == graph.main_block() &&
         (value.kind == ValueKind::kNodeOutput || value.kind == ValueKind::kInput);
}

// What makes plain numbers of what an operator gives in a form of its own.
bool IsUnpacking(absl::string_view op_type) {
  return op_type == "DequantizeLinear" || op_type == "ReorderOutput";
}

// The plain numbers that a value stands for: itself, or behind what unpacks it.
ValueId Unpacked(const Graph& graph, ValueId value) {
  for (int i = 0; i < kMostPassed; ++i) {
    ValueId next;
    for (const Use& use : graph.uses(value)) {
      const absl::Span<const ValueId> outputs = graph.outputs(use.node);
      const bool passes = use.slot == 0 && IsUnpacking(graph.op(use.node).type) &&
                          outputs.size() == 1 && outputs[0].valid();
      if (!passes) continue;
      next = outputs[0];
      break;
    }
    if (!next.valid()) break;
    value = next;
  }
  return value;
}

}  // namespace

IdVector<ValueId, ValueId> PairValues(const Graph& from, const Graph& to, const GraphMatch& match) {
  IdVector<ValueId, ValueId> pairs(from.value_count());
  IdSet<ValueId> taken(to.value_count());
  absl::flat_hash_map<absl::string_view, ValueId> names;
  for (ValueId id : to.value_ids()) {
    if (IsOfMainGraph(to, id)) names.emplace(to.value(id).name, id);
  }
  for (ValueId id : from.value_ids()) {
    if (!IsOfMainGraph(from, id)) continue;
    const auto found = names.find(from.value(id).name);
    if (found == names.end()) continue;
    pairs[id] = found->second;
    taken.Add(found->second);
  }
  for (NodeId node : to.nodes(to.main_block())) {
    const absl::Span<const NodeId> region = match.region(node);
    if (region.empty() || from.node(region.front()).block != from.main_block()) continue;
    const absl::Span<const ValueId> values = from.outputs(region.front());
    const absl::Span<const ValueId> made = to.outputs(node);
    for (size_t slot = 0; slot < values.size() && slot < made.size(); ++slot) {
      const ValueId value = values[slot];
      if (!value.valid() || !made[slot].valid() || pairs[value].valid()) continue;
      const ValueId plain = Unpacked(to, made[slot]);
      if (taken.Has(plain)) continue;
      pairs[value] = plain;
      taken.Add(plain);
    }
  }
  return pairs;
}

}  // namespace onnx_hier
