// SPDX-License-Identifier: Apache-2.0
#include "lib/relate/regions.h"

#include <algorithm>
#include <iterator>

#include "absl/algorithm/container.h"
#include "lib/graph/weight.h"

namespace onnx_hier {
namespace {

// More nodes than the largest operators that optimisers put in replace (an Attention, or a
// LayerNormalization, in float16). Keeps time linear where many nodes lead back to the same ones.
constexpr size_t kMostNodes = 64;

// Of an operator with a weight, quantised or not.
constexpr size_t kMostRegionInputs = 16;

// Whether an operator with a weight multiplies by a parameter, as a module's own does; two
// activations are multiplied by the module that made both.
bool HasWeight(const Graph& graph, NodeId node) {
  if (!IsWeighted(graph.op(node).type)) return false;
  const absl::Span<const ValueId> inputs = graph.inputs(node);
  for (ValueId value : inputs.subspan(0, std::min(inputs.size(), kMostRegionInputs))) {
    // Through what only moves the weight.
    for (int i = 0; i < 3 && value.valid() && graph.value(value).producer.valid(); ++i) {
      const NodeId maker = graph.value(value).producer;
      if (!graph.tensors(maker).empty()) return true;
      if (!IsMover(graph.op(maker).type) || graph.inputs(maker).empty()) break;
      value = graph.inputs(maker)[0];
    }
    if (value.valid() && graph.value(value).kind == ValueKind::kInitializer) return true;
  }
  return false;
}

// Nodes that compute from parameters and constants alone.
IdSet<NodeId> ConstantsOf(const Graph& graph) {
  IdSet<NodeId> constants(graph.node_count());
  const auto is_constant = [&](ValueId id) {
    if (!id.valid()) return true;
    const Value& value = graph.value(id);
    if (value.kind == ValueKind::kInitializer) return true;
    return value.producer.valid() && constants.Has(value.producer);
  };
  for (NodeId node : graph.node_ids()) {
    if (graph.blocks(node).empty() && absl::c_all_of(graph.inputs(node), is_constant)) {
      constants.Add(node);
    }
  }
  return constants;
}

}  // namespace

Regions::Regions(const Pairing& pairing)
    : pairing_(pairing), constants_(ConstantsOf(pairing.from)), ranges_(pairing.to.node_count()) {
  for (NodeId node : pairing.to.node_ids()) {
    if (pairing.Has(node)) Walk(node);
  }
}

// Whether nothing in the new graph stands for the node by itself.
bool Regions::IsReplaced(NodeId other, NodeId node) const {
  const NodeId taken = pairing_.taken_by[other];
  return !taken.valid() || taken == node;
}

void Regions::Walk(NodeId node) {
  const Graph& from = pairing_.from;
  const auto begin = static_cast<uint32_t>(nodes_.size());
  nodes_.push_back(pairing_.counterparts[node]);
  // What is still what it was stands for itself alone, what only moves a value on for its maker.
  const absl::string_view op = pairing_.to.op(node).type;
  if (!IsMover(op) && (!pairing_.AreAlike(node, nodes_.back()) || IsWeighted(op))) {
    for (size_t i = begin; i < nodes_.size(); ++i) {
      const absl::Span<const ValueId> inputs = from.inputs(nodes_[i]);
      for (ValueId value : inputs.subspan(0, std::min(inputs.size(), kMostNodes))) {
        if (!value.valid() || nodes_.size() - begin >= kMostNodes) continue;
        const NodeId maker = from.value(value).producer;
        if (!maker.valid() || constants_.Has(maker) || !IsReplaced(maker, node)) continue;
        if (std::find(nodes_.begin() + begin, nodes_.end(), maker) == nodes_.end()) {
          nodes_.push_back(maker);
        }
      }
    }
  }
  ranges_[node] = {begin, static_cast<uint32_t>(nodes_.size())};
}

std::vector<NodeId> Regions::MainsOf(NodeId node) const {
  const absl::Span<const NodeId> region = of(node);
  std::vector<NodeId> mains;
  absl::c_copy_if(region, std::back_inserter(mains),
                  [this](NodeId other) { return HasWeight(pairing_.from, other); });
  if (mains.empty()) mains.push_back(region[0]);
  return mains;
}

}  // namespace onnx_hier
