// SPDX-License-Identifier: Apache-2.0
#include "lib/audit/segments.h"

#include <algorithm>
#include <utility>

#include "lib/audit/list_passes.h"
#include "lib/audit/longest_run.h"
#include "lib/audit/thresholds.h"

namespace onnx_hier {
namespace {

// What an order that is not that of the numbers must reach: wrong tags can make it look better.
constexpr float kOtherOrder = 0.9f;
constexpr float kAtBorder = 0.7f;
constexpr float kInside = 0.93f;
constexpr float kOtherCut = 0.75f;    // where another cut is as good
constexpr size_t kBorder = 2;         // nodes
constexpr uint32_t kLeastLength = 3;  // nodes of a stretch that may claim others

// Lists run in the order of their numbers, as a rule; else in that of the middles of where their
// nodes stand. Layers without nodes are left out.
std::vector<uint32_t> OrderByNumber(const std::vector<uint32_t>& layers, size_t count) {
  std::vector<uint32_t> order;
  std::vector<char> present(count, 0);
  for (uint32_t layer : layers) present[layer] = 1;
  for (uint32_t layer = 0; layer < count; ++layer) {
    if (present[layer] != 0) order.push_back(layer);
  }
  return order;
}

std::vector<uint32_t> OrderByMiddle(const std::vector<uint32_t>& layers, size_t count) {
  std::vector<std::vector<uint32_t>> positions(count);
  for (size_t i = 0; i < layers.size(); ++i) {
    positions[layers[i]].push_back(static_cast<uint32_t>(i));
  }
  std::vector<std::pair<uint32_t, uint32_t>> middles;  // position x 2, layer
  for (uint32_t layer = 0; layer < count; ++layer) {
    const std::vector<uint32_t>& p = positions[layer];
    if (!p.empty()) middles.emplace_back(p[(p.size() - 1) / 2] + p[p.size() / 2], layer);
  }
  std::sort(middles.begin(), middles.end());
  std::vector<uint32_t> order;
  order.reserve(middles.size());
  for (const auto& [middle, layer] : middles) order.push_back(layer);
  return order;
}

// Sets everything but `nodes`; `layers` are the numbers of their layers in the list.
void CutInOrder(const std::vector<uint32_t>& layers, const std::vector<PathId>& members,
                const std::vector<uint32_t>& order, Segmentation& s) {
  std::vector<uint32_t> rank(members.size(), 0);
  s.order.clear();
  for (uint32_t i = 0; i < order.size(); ++i) {
    s.order.push_back(members[order[i]]);
    rank[order[i]] = i;
  }
  s.tagged.clear();
  for (uint32_t layer : layers) s.tagged.push_back(rank[layer]);
  const std::vector<char> in_run = LongestRun(s.tagged);
  // Before the first layer's first node there is no other layer.
  const auto first = std::find(in_run.begin(), in_run.end(), 1) - in_run.begin();
  uint32_t current = s.tagged[static_cast<size_t>(first)];
  size_t agreeing = 0;
  s.cut.clear();
  for (size_t i = 0; i < layers.size(); ++i) {
    if (in_run[i] != 0) {
      current = s.tagged[i];
      ++agreeing;
    }
    s.cut.push_back(current);
  }
  s.agreement = static_cast<float>(agreeing) / static_cast<float>(layers.size());
  if (agreeing == layers.size()) {
    s.may_stay.assign(layers.size(), 1);
  } else {
    s.may_stay = InSomeLongestRun(s.tagged);
  }
}

Segmentation Cut(ListNodes pass, ListId list, const std::vector<PathId>& members) {
  Segmentation s;
  s.list = list;
  s.nodes = std::move(pass.nodes);
  CutInOrder(pass.layers, members, OrderByNumber(pass.layers, members.size()), s);
  if (s.agreement >= kLeastAgreement) return s;
  Segmentation other = s;
  CutInOrder(pass.layers, members, OrderByMiddle(pass.layers, members.size()), other);
  return other.agreement >= kOtherOrder ? other : s;
}

}  // namespace

std::vector<Segmentation> CutLists(const TagAudit& audit, const Flow& flow,
                                   const ModulePaths& paths) {
  IdVector<ListId, ListNodes> listed(audit.layers.list_count());
  for (Rank rank : flow.ranks()) {
    const NodeId node = flow.node(rank);
    for (PathId path = audit.tags[node]; path.valid(); path = paths.parent(path)) {
      const LayerPlace place = audit.layers.place(path);
      if (!place.list.valid()) continue;
      listed[place.list].nodes.push_back(node);
      listed[place.list].layers.push_back(place.index);
    }
  }
  std::vector<Segmentation> result;
  ListPasses passes(audit, flow);
  // A list that is in another one comes after that.
  for (ListId list : audit.layers.lists()) {
    if (listed[list].nodes.empty()) continue;
    for (ListNodes& pass : passes.Split(std::move(listed[list]))) {
      result.push_back(Cut(std::move(pass), list, audit.layers.list(list).layers));
    }
  }
  return result;
}

void AskSegments(const TagAudit& audit, const ModulePaths& paths,
                 const std::vector<Segmentation>& cuts, std::vector<Suggestion>& suggestions) {
  for (const Segmentation& s : cuts) {
    if (s.order.size() < 2 || s.agreement < kLeastAgreement) continue;
    std::vector<uint32_t> lengths(s.order.size(), 0);
    for (uint32_t layer : s.cut) ++lengths[layer];
    for (size_t i = 0; i < s.nodes.size(); ++i) {
      if (s.cut[i] == s.tagged[i] || lengths[s.cut[i]] < kLeastLength) continue;
      const size_t begin = i < kBorder ? 0 : i - kBorder;
      const size_t end = std::min(s.nodes.size(), i + kBorder + 1);
      const bool at_border = std::any_of(s.cut.begin() + static_cast<ptrdiff_t>(begin),
                                         s.cut.begin() + static_cast<ptrdiff_t>(end),
                                         [&](uint32_t layer) { return layer != s.cut[i]; });
      const PathId layer = s.order[s.cut[i]];
      Suggestion suggestion;
      suggestion.node = s.nodes[i];
      suggestion.witness = TagWitness::kSegment;
      suggestion.confidence = (at_border ? kAtBorder : kInside) * s.agreement;
      if (s.may_stay[i] != 0) suggestion.confidence *= kOtherCut;
      suggestion.expected =
          audit.layers.Transplant(layer, audit.tags[s.nodes[i]], paths.depth(layer));
      suggestions.push_back(suggestion);
    }
  }
}

}  // namespace onnx_hier
