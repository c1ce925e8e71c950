// SPDX-License-Identifier: Apache-2.0
#include "lib/relate/weight_surroundings.h"

#include "absl/types/span.h"
#include "lib/graph/weight.h"

namespace onnx_hier {
namespace {

// Operators that only pass a value on, one behind the other.
constexpr int kLongestWay = 3;
constexpr size_t kMostWeightReaders = 8;
// Of what a module makes for itself.
constexpr size_t kMostUses = 2;

}  // namespace

WeightSurroundings::WeightSurroundings(const Graph& graph, const std::vector<WeightView>& views)
    : graph_(graph), views_(views) {
  for (size_t i = 0; i < views.size(); ++i) view_of_[views[i].value] = i;
}

NodeId WeightSurroundings::FirstReader(size_t view) const {
  const absl::Span<const Use> uses = graph_.uses(views_[view].value);
  return uses.empty() ? NodeId() : uses[0].node;
}

void WeightSurroundings::ViewsReadBy(NodeId node, std::vector<size_t>& views) const {
  for (ValueId value : graph_.inputs(node)) {
    for (int i = 0; i <= kLongestWay && value.valid(); ++i) {
      const auto found = view_of_.find(value);
      if (found != view_of_.end()) {
        views.push_back(found->second);
        break;
      }
      const NodeId maker = graph_.value(value).producer;
      if (!maker.valid() || !IsMover(graph_.op(maker).type) || graph_.inputs(maker).empty()) break;
      value = graph_.inputs(maker)[0];
    }
  }
}

void WeightSurroundings::ReadersOf(ValueId value, int way, std::vector<NodeId>& readers) const {
  for (const Use& use : graph_.uses(value)) {
    const bool passes = IsMover(graph_.op(use.node).type) && use.slot == 0;
    if (!passes || way == kLongestWay) {
      readers.push_back(use.node);
      if (readers.size() > kMostWeightReaders) return;
      continue;
    }
    for (const ValueId output : graph_.outputs(use.node)) {
      if (output.valid()) ReadersOf(output, way + 1, readers);
    }
  }
}

NodeId WeightSurroundings::MakerOf(ValueId value) const {
  for (int i = 0; i <= kLongestWay && value.valid(); ++i) {
    const NodeId maker = graph_.value(value).producer;
    if (!maker.valid() || !IsMover(graph_.op(maker).type)) return maker;
    value = graph_.inputs(maker).empty() ? ValueId() : graph_.inputs(maker)[0];
  }
  return NodeId();
}

std::vector<size_t> WeightSurroundings::Around(size_t view) const {
  std::vector<NodeId> readers;
  ReadersOf(views_[view].value, 0, readers);
  std::vector<size_t> around;
  if (readers.size() > kMostWeightReaders) return around;
  for (const NodeId reader : readers) ViewsReadBy(reader, around);
  for (const NodeId reader : readers) {
    for (const ValueId value : graph_.inputs(reader)) {
      const NodeId maker = MakerOf(value);
      if (maker.valid()) ViewsReadBy(maker, around);
    }
  }
  for (const NodeId reader : readers) {
    for (const ValueId output : graph_.outputs(reader)) {
      if (!output.valid() || graph_.uses(output).size() > kMostUses) continue;
      std::vector<NodeId> next;
      ReadersOf(output, 0, next);
      for (const NodeId node : next) ViewsReadBy(node, around);
    }
  }
  return around;
}

}  // namespace onnx_hier
