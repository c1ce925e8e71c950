// SPDX-License-Identifier: Apache-2.0
#include "lib/audit/segments.h"

#include <algorithm>
#include <cstddef>
#include <utility>

#include "absl/algorithm/container.h"
#include "absl/container/flat_hash_map.h"
#include "lib/audit/longest_run.h"
#include "lib/audit/thresholds.h"
#include "lib/graph/weight.h"

namespace onnx_hier {
namespace {

// What runs more often is an unrolled recurrence, of a cell and not of layers.
constexpr size_t kMostPasses = 64;

// Of the nodes that tell, how many must tell of passes one after the other.
constexpr double kLeastOrdered = 0.9;

// Where between nodes `begin` and `end` the layer before ends and that behind begins.
size_t BorderIn(const std::vector<uint32_t>& layers, size_t begin, size_t end) {
  const uint32_t before = layers[begin - 1];
  const uint32_t behind = layers[end];
  size_t border = begin;
  int gain = 0;
  int most = 0;
  for (size_t i = begin; i < end; ++i) {
    gain += (layers[i] == before ? 1 : 0) - (layers[i] == behind ? 1 : 0);
    if (gain <= most) continue;
    most = gain;
    border = i + 1;
  }
  return border;
}

// Nodes in file order, and for each the number of the layer in its tag.
struct ListNodes {
  std::vector<NodeId> nodes;
  std::vector<uint32_t> layers;
};

// How often a list of layers runs, by parameters: of the nodes that read one, the first is in the
// first pass, and so on. What stands between two passes is in the one or the other as most tags
// say.
class ListPasses {
 public:
  // For the tags as they are now.
  ListPasses(const TagAudit& audit, const Flow& flow);

  // The nodes of a list, one part for each time that it runs. Where its parameters do not tell, or
  // not in the order of the file, the list around it does: that is to be split before. One part
  // where nothing tells.
  std::vector<ListNodes> Split(ListNodes list);

 private:
  // A node is the `number`-th of those that read its parameter; `of` 0: nobody knows.
  struct Turn {
    uint32_t number = 0;
    uint32_t of = 0;
  };

  static Turn TurnOf(const TagAudit& audit, const Flow& flow, NodeId node);
  uint32_t CountPasses(const ListNodes& list) const;
  void Number(const ListNodes& list, uint32_t passes);

  IdVector<NodeId, Turn> turns_;
  IdVector<NodeId, uint32_t> number_;  // of the pass, in the innermost list that told it
};

ListPasses::ListPasses(const TagAudit& audit, const Flow& flow)
    : number_(audit.graph.node_count(), 0) {
  turns_.reserve(audit.graph.node_count());
  for (NodeId node : audit.graph.node_ids()) turns_.push_back(TurnOf(audit, flow, node));
}

std::vector<ListNodes> ListPasses::Split(ListNodes list) {
  const uint32_t passes = CountPasses(list);
  if (passes > 1) Number(list, passes);
  uint32_t last = 0;
  for (NodeId node : list.nodes) last = std::max(last, number_[node]);
  std::vector<ListNodes> split(last + 1);
  if (last == 0) {
    split[0] = std::move(list);
    return split;
  }
  for (size_t i = 0; i < list.nodes.size(); ++i) {
    ListNodes& pass = split[number_[list.nodes[i]]];
    pass.nodes.push_back(list.nodes[i]);
    pass.layers.push_back(list.layers[i]);
  }
  std::erase_if(split, [](const ListNodes& pass) { return pass.nodes.empty(); });
  return split;
}

// By the first parameter that it reads, itself or the copy that exporters make for each pass. Most
// of those that read it must have the node's tag: else it is shared, or was merged with equal ones.
ListPasses::Turn ListPasses::TurnOf(const TagAudit& audit, const Flow& flow, NodeId node) {
  const Graph& graph = audit.graph;
  for (ValueId value : graph.inputs(node)) {
    if (!value.valid()) continue;
    const NodeId maker = graph.value(value).producer;
    const ValueId parameter = maker.valid() ? CopiedValue(graph, maker) : value;
    if (!parameter.valid() || !graph.value(parameter).tensor.valid() ||
        !IsWeight(graph.tensor(graph.value(parameter).tensor)) ||
        graph.uses(parameter).size() > kMostPasses) {
      continue;
    }
    Turn turn;
    uint32_t alike = 0;
    for (const Use& use : graph.uses(parameter)) {
      NodeId reader = use.node;
      if (CopiedValue(graph, reader).valid()) {
        const absl::Span<const Use> of_copy = graph.uses(graph.outputs(reader)[0]);
        if (of_copy.size() != 1) continue;
        reader = of_copy[0].node;
      }
      ++turn.of;
      turn.number += flow.rank(reader) < flow.rank(node) ? 1 : 0;
      alike += audit.tags[reader] == audit.tags[node] ? 1 : 0;
    }
    if (2 * alike > turn.of) return turn;
  }
  return {};
}

// As most nodes say that read a parameter; 1: none, or no such number.
uint32_t ListPasses::CountPasses(const ListNodes& list) const {
  absl::flat_hash_map<uint32_t, size_t> counts;
  size_t all = 0;
  for (NodeId node : list.nodes) {
    if (turns_[node].of == 0) continue;
    ++counts[turns_[node].of];
    ++all;
  }
  for (const auto& [passes, nodes] : counts) {
    if (2 * nodes > all) return passes;
  }
  return 1;
}

void ListPasses::Number(const ListNodes& list, uint32_t passes) {
  std::vector<size_t> places;  // of nodes that tell
  std::vector<uint32_t> told;
  for (size_t i = 0; i < list.nodes.size(); ++i) {
    const Turn& turn = turns_[list.nodes[i]];
    if (turn.of != passes) continue;
    places.push_back(i);
    told.push_back(turn.number);
  }
  const std::vector<char> in_order = LongestRun(told);
  const auto ordered = static_cast<double>(absl::c_count(in_order, 1));
  if (ordered < kLeastOrdered * static_cast<double>(told.size())) return;
  size_t done = 0;
  uint32_t before = 0;
  for (size_t k = 0; k < places.size(); ++k) {
    if (in_order[k] == 0) continue;
    const size_t i = places[k];
    const bool is_next = done > 0 && told[k] != before;
    const size_t border = is_next ? BorderIn(list.layers, done, i) : done;
    for (; done <= i; ++done) number_[list.nodes[done]] = done < border ? before : told[k];
    before = told[k];
  }
  for (; done < list.nodes.size(); ++done) number_[list.nodes[done]] = before;
}

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
