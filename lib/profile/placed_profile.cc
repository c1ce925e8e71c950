// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <string>

#include "lib/profile/placing.h"
#include "onnx_hier/profile.h"

namespace onnx_hier {
namespace {

// What a kernel counts for in its module.
absl::string_view WordOf(const Graph& graph, const Kernel& kernel, NodeId node, MeasureUnit unit) {
  if (unit == MeasureUnit::kWords) return kernel.word;
  return kernel.op_type.empty() && node.valid() ? graph.op(node).type
                                                : absl::string_view(kernel.op_type);
}

// What nodes have, of which kernels are known.
void SetNodes(const Graph& graph, const Profile& profile, PlacedProfile& placed) {
  IdVector<NodeId, Amount> amounts(graph.node_count());
  for (size_t i = 0; i < profile.kernels.size(); ++i) {
    const NodeId node = placed.places[i].first;
    if (!node.valid()) continue;
    const Amount amount = profile.kernels[i].amount;
    if (profile.measure.adds == Adds::kSum) {
      amounts[node] += amount;
    } else {
      amounts[node] = std::max(amounts[node], amount);
    }
  }
  for (NodeId node : graph.node_ids()) {
    if (!amounts[node].is_zero()) placed.amounts.SetNode(node, amounts[node]);
  }
}

}  // namespace

absl::string_view PlacedByName(PlacedBy by) {
  constexpr absl::string_view kNames[kPlacedByCount] = {"name",  "output",   "parts", "number",
                                                        "order", "sequence", "none"};
  return kNames[static_cast<size_t>(by)];
}

size_t MostNamesOf(const Graph& graph) {
  constexpr size_t kNamesPerNode = 8;
  constexpr size_t kFewestNames = size_t{1} << 15;
  return kNamesPerNode * graph.node_count() + kFewestNames;
}

PlacedProfile PlaceProfile(const Hierarchy& hierarchy, const Profile& profile) {
  const Graph& graph = hierarchy.graph();
  const ModuleTree& modules = hierarchy.modules();
  PlacedProfile placed;
  placed.places = PlaceKernels(hierarchy, profile);
  placed.amounts = Column(profile.measure, modules);
  placed.calls = Column({"calls", "calls", MeasureUnit::kCount}, modules);
  for (size_t i = 0; i < profile.kernels.size(); ++i) {
    const Kernel& kernel = profile.kernels[i];
    const KernelPlace& place = placed.places[i];
    const absl::string_view word = WordOf(graph, kernel, place.node, profile.measure.unit);
    placed.amounts.AddPart(place.module, kernel.amount, word, kernel.calls);
    placed.amounts.AddUnknown(place.module, kernel.unknown);
    placed.calls.Add(place.module, Amount(kernel.calls));
  }
  placed.amounts.AddUp(modules);
  placed.calls.AddUp(modules);
  if (profile.measure.unit != MeasureUnit::kWords) SetNodes(graph, profile, placed);
  return placed;
}

}  // namespace onnx_hier
