// SPDX-License-Identifier: Apache-2.0
#include "lib/relate/agreement.h"

#include <algorithm>

#include "absl/container/inlined_vector.h"
#include "absl/types/span.h"
#include "lib/graph/top_blocks.h"
#include "lib/graph/weight.h"

namespace onnx_hier {
namespace {

// Inputs that are compared of one node, and nodes that were put in before it, one after the other.
constexpr size_t kMostInputs = 8;
constexpr int kMostMovers = 4;

class Comparison {
 public:
  Comparison(const Pairing& pairing, const Regions& regions, const ParameterMatches& parameters)
      : pairing_(pairing),
        regions_(regions),
        parameters_(parameters),
        tops_(FindTopBlocks(pairing.to)) {}

  Agreement Compare() const {
    Agreement agreement{parameters_.agree + parameters_.disagree, parameters_.agree};
    Agreement of_readers;
    for (NodeId node : pairing_.to.node_ids()) {
      if (pairing_.to.inputs(node).empty() || !Counts(node)) continue;
      if (!pairing_.Has(node) && IsMover(pairing_.to.op(node).type)) continue;
      ++agreement.compared;
      if (!pairing_.Has(node)) continue;
      if (ReadsTheSame(node)) ++agreement.agreed;
      CompareWeights(node, of_readers);
    }
    // Functions whose bodies were put in made many nodes of few.
    agreement.compared = std::max(agreement.agreed, std::min(agreement.compared, SizeOfOriginal()));
    // Models of one kind are wired alike: what they read tells them apart.
    return IsLower(of_readers, agreement) ? of_readers : agreement;
  }

 private:
  static bool IsLower(const Agreement& a, const Agreement& b) {
    return static_cast<double>(a.agreed) * static_cast<double>(b.compared) <
           static_cast<double>(b.agreed) * static_cast<double>(a.compared);
  }

  // Of a node with weights that stands for nodes with weights: whether one of them is as large.
  void CompareWeights(NodeId node, Agreement& agreement) const {
    // Operators of an optimiser's own may want their weights in another layout, with what fills it.
    const NodeId counterpart = pairing_.counterparts[node];
    const bool is_named = pairing_.by[node] < MatchedBy::kParameter;
    if (is_named && pairing_.to.op(node).domain != pairing_.from.op(counterpart).domain) return;
    const auto is_kept = [this](NodeId maker) { return pairing_.Has(maker); };
    const Sizes sizes = WeightsOf(pairing_.to, node, is_kept);
    Sizes others;
    const absl::Span<const NodeId> region = regions_.of(node);
    for (NodeId other : region.subspan(0, std::min(region.size(), kMostInputs))) {
      const Sizes more = WeightsOf(
          pairing_.from, other, [this](NodeId maker) { return pairing_.taken_by[maker].valid(); });
      others.insert(others.end(), more.begin(), more.end());
    }
    if (sizes.empty() || others.empty()) return;
    ++agreement.compared;
    if (std::find_first_of(sizes.begin(), sizes.end(), others.begin(), others.end()) !=
        sizes.end()) {
      ++agreement.agreed;
    }
  }

  using Sizes = absl::InlinedVector<uint64_t, kMostInputs>;

  // In elements; of what is read by way of nodes that were put in or taken away, too.
  template <class IsKept>
  static Sizes WeightsOf(const Graph& graph, NodeId node, IsKept is_kept) {
    Sizes sizes;
    const absl::Span<const ValueId> inputs = graph.inputs(node);
    for (ValueId value : inputs.subspan(0, std::min(inputs.size(), kMostInputs))) {
      if (!value.valid()) continue;
      const Value& origin = graph.value(Origin(graph, value, is_kept));
      if (origin.kind != ValueKind::kInitializer) continue;
      const Tensor& tensor = graph.tensor(origin.tensor);
      if (IsWeight(tensor)) sizes.push_back(tensor.elements);
    }
    return sizes;
  }

  bool Counts(NodeId node) const {
    return tops_[pairing_.to.node(node).block] == pairing_.to.main_block();
  }

  uint64_t SizeOfOriginal() const {
    const Graph& from = pairing_.from;
    uint64_t size = 0;
    for (NodeId node : from.nodes(from.main_block())) {
      if (!from.inputs(node).empty()) ++size;
    }
    for (ValueId value : from.value_ids()) {
      const Value& parameter = from.value(value);
      if (parameter.kind == ValueKind::kInitializer && IsWeight(from.tensor(parameter.tensor))) {
        ++size;
      }
    }
    return size;
  }

  bool ReadsTheSame(NodeId node) const {
    const absl::Span<const ValueId> inputs = pairing_.to.inputs(node);
    for (ValueId value : inputs.subspan(0, std::min(inputs.size(), kMostInputs))) {
      if (!value.valid()) continue;
      const ValueId origin =
          Origin(pairing_.to, value, [this](NodeId maker) { return pairing_.Has(maker); });
      if (IsReadBy(origin, regions_.of(node))) return true;
    }
    return false;
  }

  // What is behind the nodes that were put in, or taken away.
  template <class IsKept>
  static ValueId Origin(const Graph& graph, ValueId value, IsKept is_kept) {
    for (int i = 0; i < kMostMovers; ++i) {
      const NodeId maker = graph.value(value).producer;
      if (!maker.valid() || is_kept(maker) || !IsMover(graph.op(maker).type)) break;
      if (graph.inputs(maker).empty() || !graph.inputs(maker)[0].valid()) break;
      value = graph.inputs(maker)[0];
    }
    return value;
  }

  bool IsReadBy(ValueId value, absl::Span<const NodeId> region) const {
    for (NodeId other : region.subspan(0, std::min(region.size(), kMostInputs))) {
      const absl::Span<const ValueId> inputs = pairing_.from.inputs(other);
      for (ValueId read : inputs.subspan(0, std::min(inputs.size(), kMostInputs))) {
        if (!read.valid()) continue;
        const ValueId origin = Origin(
            pairing_.from, read, [this](NodeId maker) { return pairing_.taken_by[maker].valid(); });
        if (IsSame(value, read) || IsSame(value, origin)) return true;
      }
    }
    return false;
  }

  bool IsSame(ValueId value, ValueId other) const {
    const Value& here = pairing_.to.value(value);
    const Value& there = pairing_.from.value(other);
    switch (here.kind) {
      case ValueKind::kInitializer:
        // A Constant may have become an initializer.
        return parameters_.of[value] == other ||
               (there.kind == ValueKind::kNodeOutput && there.name == here.name);
      case ValueKind::kNodeOutput:
        return there.producer.valid() && pairing_.counterparts[here.producer] == there.producer;
      case ValueKind::kInput:
      case ValueKind::kUndefined:
        return there.kind == here.kind && there.name == here.name;
    }
    return false;
  }

  const Pairing& pairing_;
  const Regions& regions_;
  const ParameterMatches& parameters_;
  const IdVector<BlockId, BlockId> tops_;  // of the new graph
};

}  // namespace

Agreement CompareMatches(const Pairing& pairing, const Regions& regions,
                         const ParameterMatches& parameters) {
  return Comparison(pairing, regions, parameters).Compare();
}

}  // namespace onnx_hier
