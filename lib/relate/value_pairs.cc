// SPDX-License-Identifier: Apache-2.0
#include "lib/relate/value_pairs.h"

#include <algorithm>

#include "absl/algorithm/container.h"
#include "absl/container/flat_hash_map.h"
#include "absl/container/flat_hash_set.h"
#include "absl/strings/match.h"
#include "absl/strings/string_view.h"
#include "absl/types/span.h"
#include "lib/graph/domain.h"
#include "lib/graph/weight.h"

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

IdSet<ValueId> PackedValues(const Graph& graph) {
  IdSet<ValueId> packed(graph.value_count());
  for (NodeId node : graph.nodes(graph.main_block())) {
    const Op& op = graph.op(node);
    const bool is_own = op.domain == kNchwcDomain;
    const bool reads_packed = absl::c_any_of(
        graph.inputs(node), [&](ValueId value) { return value.valid() && packed.Has(value); });
    if (op.type == "ReorderOutput" || !(is_own || reads_packed)) continue;
    for (ValueId value : graph.outputs(node)) {
      if (value.valid()) packed.Add(value);
    }
  }
  return packed;
}

// Steps from the value of a counterpart to that of the last node which was fused with it.
constexpr int kMostFused = 4;
// Readers of a value that are asked which one it is.
constexpr size_t kMostReaders = 16;

class FusedValues {
 public:
  FusedValues(const Graph& from, const Graph& to, const GraphMatch& match)
      : from_(from), to_(to), match_(match), fronts_(from.node_count()) {
    for (NodeId node : to.nodes(to.main_block())) {
      if (!match.region(node).empty()) fronts_.Add(match.region(node).front());
    }
  }

  // What a value says that the node makes: that of its counterpart, or of a node behind that which
  // was fused with it. None: its readers tell of neither.
  ValueId Find(NodeId node, ValueId value, ValueId counterpart) const {
    if (IsOfOptimiser(node)) return LastFused(node, counterpart);
    const absl::flat_hash_set<ValueId> read = ReadInItsPlace(value);
    if (read.empty()) return counterpart;
    for (int i = 0; i < kMostFused && counterpart.valid(); ++i) {
      if (read.contains(counterpart)) return counterpart;
      counterpart = Behind(counterpart);
    }
    return ValueId();
  }

 private:
  // How many values that nodes made or the graph is given it reads, one at least.
  static size_t Made(const Graph& graph, NodeId node) {
    const auto count = absl::c_count_if(graph.inputs(node), [&](ValueId value) {
      return value.valid() && !graph.value(value).tensor.valid();
    });
    return std::max<size_t>(1, static_cast<size_t>(count));
  }

  bool HasWeights(NodeId node) const {
    return IsWeighted(from_.op(node).type) || ReadsWeight(from_, node);
  }

  // One of an optimiser's own operators takes what comes behind its counterpart with it: sums, of
  // which it reads the other values, and what bends their values.
  bool IsOfOptimiser(NodeId node) const {
    const Op& op = to_.op(node);
    return IsWeighted(op.type) && (op.domain == kNchwcDomain || absl::StartsWith(op.type, "Fused"));
  }

  ValueId LastFused(NodeId node, ValueId counterpart) const {
    const size_t reads = Made(to_, node);
    size_t others = Made(from_, from_.value(counterpart).producer);
    for (int i = 0; i < kMostFused; ++i) {
      const ValueId behind = Behind(counterpart);
      if (!behind.valid()) break;
      const NodeId maker = from_.value(behind).producer;
      const size_t more = Made(from_, maker) - 1;
      if (HasWeights(maker) || IsMover(from_.op(maker).type) || others + more > reads) break;
      others += more;
      counterpart = behind;
    }
    return reads == others ? counterpart : ValueId();
  }

  // What the counterparts of its readers read.
  absl::flat_hash_set<ValueId> ReadInItsPlace(ValueId value) const {
    absl::flat_hash_set<ValueId> read;
    const absl::Span<const Use> uses = to_.uses(value);
    for (const Use& use : uses.subspan(0, std::min(uses.size(), kMostReaders))) {
      for (NodeId node : match_.region(use.node)) {
        for (ValueId input : from_.inputs(node)) {
          if (input.valid()) read.insert(input);
        }
      }
    }
    return read;
  }

  // What the only node makes of it that is nobody's counterpart.
  ValueId Behind(ValueId value) const {
    ValueId behind;
    for (const Use& use : from_.uses(value)) {
      const absl::Span<const ValueId> outputs = from_.outputs(use.node);
      if (fronts_.Has(use.node) || outputs.size() != 1 || !outputs[0].valid()) continue;
      if (behind.valid() && behind != outputs[0]) return ValueId();
      behind = outputs[0];
    }
    return behind;
  }

  const Graph& from_;
  const Graph& to_;
  const GraphMatch& match_;
  IdSet<NodeId> fronts_;  // of `from`: counterparts of some node
};

}  // namespace

ValuePairs PairValues(const Graph& from, const Graph& to, const GraphMatch& match) {
  ValuePairs pairs = {IdVector<ValueId, ValueId>(from.value_count()), PackedValues(to)};
  IdSet<ValueId> taken(to.value_count());
  absl::flat_hash_map<absl::string_view, ValueId> names;
  for (ValueId id : to.value_ids()) {
    if (IsOfMainGraph(to, id)) names.emplace(to.value(id).name, id);
  }
  for (ValueId id : from.value_ids()) {
    if (!IsOfMainGraph(from, id)) continue;
    const auto found = names.find(from.value(id).name);
    if (found == names.end()) continue;
    pairs.of[id] = found->second;
    taken.Add(found->second);
  }
  const FusedValues fused(from, to, match);
  for (NodeId node : to.nodes(to.main_block())) {
    const absl::Span<const NodeId> region = match.region(node);
    if (region.empty() || from.node(region.front()).block != from.main_block()) continue;
    const absl::Span<const ValueId> values = from.outputs(region.front());
    const absl::Span<const ValueId> made = to.outputs(node);
    for (size_t slot = 0; slot < values.size() && slot < made.size(); ++slot) {
      if (!values[slot].valid() || !made[slot].valid()) continue;
      const ValueId plain = Unpacked(to, made[slot]);
      const ValueId value = fused.Find(node, plain, values[slot]);
      if (!value.valid() || pairs.of[value].valid() || taken.Has(plain)) continue;
      pairs.of[value] = plain;
      taken.Add(plain);
    }
  }
  return pairs;
}

}  // namespace onnx_hier
