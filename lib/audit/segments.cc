// SPDX-License-Identifier: Apache-2.0
#include "lib/audit/segments.h"

#include <algorithm>
#include <utility>

#include "absl/algorithm/container.h"
#include "absl/container/flat_hash_map.h"
#include "lib/audit/longest_run.h"
#include "lib/audit/thresholds.h"
#include "lib/graph/weight.h"

namespace onnx_hier {
namespace {

// What an order that is not that of the numbers must reach: wrong tags can make it look better.
constexpr float kOtherOrder = 0.9f;
constexpr float kAtBorder = 0.7f;
constexpr float kInside = 0.93f;
constexpr float kOtherCut = 0.75f;    // where another cut is as good
constexpr size_t kBorder = 2;         // nodes
constexpr size_t kMostRuns = 64;      // of a list; real recurrences that are unrolled have fewer
constexpr uint32_t kLeastLength = 3;  // nodes of a stretch that may claim others

// Nodes of a list in file order, and the layers of their tags, by number.
struct Listed {
  std::vector<NodeId> nodes;
  std::vector<uint32_t> layers;
};

// A parameter that the node reads, as others may in other runs; none: it reads none. Where
// exporters make copies, one for each run, its readers are not known.
ValueId ReadAgain(const Graph& graph, NodeId node) {
  for (ValueId value : graph.inputs(node)) {
    if (!value.valid() || graph.value(value).kind != ValueKind::kInitializer) continue;
    if (!IsWeight(graph.tensor(graph.value(value).tensor))) continue;
    const absl::Span<const Use> uses = graph.uses(value);
    if (uses.size() > kMostRuns) continue;
    const auto is_copied = [&](const Use& use) { return graph.op(use.node).type == "Identity"; };
    if (absl::c_none_of(uses, is_copied)) return value;
  }
  return ValueId();
}

// How often a list runs: how many nodes read each of its parameters, if most of these say the same.
size_t CountRuns(const Graph& graph, const std::vector<NodeId>& nodes) {
  absl::flat_hash_map<size_t, size_t> readers;
  size_t all = 0;
  for (NodeId node : nodes) {
    const ValueId parameter = ReadAgain(graph, node);
    if (!parameter.valid()) continue;
    ++readers[graph.uses(parameter).size()];
    ++all;
  }
  for (const auto& [runs, nodes_of] : readers) {
    if (2 * nodes_of > all) return runs;
  }
  return 1;
}

// Where between `begin` and `end` the one layer ends and the other begins, as most tags say.
size_t BorderIn(const std::vector<uint32_t>& layers, size_t begin, size_t end, uint32_t before) {
  const uint32_t behind = layers[end];
  size_t border = begin;
  int gain = 0;
  int most = 0;
  for (size_t i = begin; i < end; ++i) {
    gain += (layers[i] == before ? 1 : 0) - (layers[i] == behind ? 1 : 0);
    if (gain > most) {
      most = gain;
      border = i + 1;
    }
  }
  return border;
}

// By what reads the weights which time; what stands between two times is of the one or the other,
// as most tags say. One, where a list runs once, or in no such order.
std::vector<Listed> Passes(const Graph& graph, const Flow& flow, Listed all) {
  std::vector<Listed> passes;
  const size_t count = CountRuns(graph, all.nodes);
  std::vector<size_t> pass_of(all.nodes.size(), 0);
  size_t done = 0;  // nodes whose pass is known
  size_t last = 0;
  for (size_t i = 0; count > 1 && i < all.nodes.size(); ++i) {
    const ValueId parameter = ReadAgain(graph, all.nodes[i]);
    if (!parameter.valid() || graph.uses(parameter).size() != count) continue;
    const auto pass =
        static_cast<size_t>(absl::c_count_if(graph.uses(parameter), [&](const Use& use) {
          return flow.rank(use.node) < flow.rank(all.nodes[i]);
        }));
    if (pass < last) {
      done = 0;
      break;
    }
    const uint32_t before = done > 0 ? all.layers[done - 1] : all.layers[i];
    const size_t border = pass == last ? i : BorderIn(all.layers, done, i, before);
    std::fill(pass_of.begin() + done, pass_of.begin() + border, last);
    std::fill(pass_of.begin() + border, pass_of.begin() + i + 1, pass);
    done = i + 1;
    last = pass;
  }
  if (done == 0) {
    passes.push_back(std::move(all));
    return passes;
  }
  std::fill(pass_of.begin() + done, pass_of.end(), last);
  passes.resize(last + 1);
  for (size_t i = 0; i < all.nodes.size(); ++i) {
    passes[pass_of[i]].nodes.push_back(all.nodes[i]);
    passes[pass_of[i]].layers.push_back(all.layers[i]);
  }
  std::erase_if(passes, [](const Listed& pass) { return pass.nodes.empty(); });
  return passes;
}

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

Segmentation Cut(Listed run, ListId list, const std::vector<PathId>& members) {
  Segmentation s;
  s.list = list;
  s.nodes = std::move(run.nodes);
  CutInOrder(run.layers, members, OrderByNumber(run.layers, members.size()), s);
  if (s.agreement >= kLeastAgreement) return s;
  Segmentation other = s;
  CutInOrder(run.layers, members, OrderByMiddle(run.layers, members.size()), other);
  return other.agreement >= kOtherOrder ? other : s;
}

}  // namespace

std::vector<Segmentation> CutLists(const TagAudit& audit, const Flow& flow,
                                   const ModulePaths& paths) {
  IdVector<ListId, Listed> listed(audit.layers.list_count());
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
  for (ListId list : audit.layers.lists()) {
    if (listed[list].nodes.empty()) continue;
    for (Listed& run : Passes(audit.graph, flow, std::move(listed[list]))) {
      result.push_back(Cut(std::move(run), list, audit.layers.list(list).layers));
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
