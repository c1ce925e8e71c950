#include "lib/contamination/segments.h"

#include <algorithm>
#include <utility>

#include "lib/contamination/longest_run.h"

namespace onnx_hier {
namespace {

// Layers that run several times, or at once, cannot be cut; below this share none is tried.
constexpr float kLeastAgreement = 0.72f;
constexpr float kAtBorder = 0.7f;
constexpr float kInside = 0.93f;
constexpr size_t kBorder = 2;         // nodes
constexpr uint32_t kLeastLength = 3;  // nodes of a stretch that may claim others

// Layers by the middle of where their nodes stand.
void FindOrder(Segmentation& s, const Siblings& siblings, ListId list) {
  const std::vector<PathId>& layers = siblings.list(list).layers;
  std::vector<std::vector<uint32_t>> positions(layers.size());
  for (size_t i = 0; i < s.nodes.size(); ++i) {
    positions[s.tagged[i]].push_back(static_cast<uint32_t>(i));
  }
  std::vector<std::pair<uint32_t, uint32_t>> middles;  // position x 2, layer
  for (uint32_t layer = 0; layer < layers.size(); ++layer) {
    const std::vector<uint32_t>& p = positions[layer];
    if (p.empty()) continue;
    middles.emplace_back(p[(p.size() - 1) / 2] + p[p.size() / 2], layer);
  }
  std::sort(middles.begin(), middles.end());
  std::vector<uint32_t> rank(layers.size(), 0);
  for (uint32_t i = 0; i < middles.size(); ++i) {
    s.order.push_back(layers[middles[i].second]);
    rank[middles[i].second] = i;
  }
  for (uint32_t& layer : s.tagged) layer = rank[layer];
}

void Cut(Segmentation& s) {
  const std::vector<char> in_run = LongestRun(s.tagged);
  size_t agreeing = 0;
  s.cut.resize(s.nodes.size());
  uint32_t current = 0;
  for (size_t i = 0; i < s.nodes.size(); ++i) {
    if (in_run[i] != 0) {
      current = s.tagged[i];
      ++agreeing;
    }
    s.cut[i] = current;
  }
  // Before the first layer's first node there is no other layer.
  if (const auto first = std::find(in_run.begin(), in_run.end(), 1); first != in_run.end()) {
    const auto n = first - in_run.begin();
    std::fill(s.cut.begin(), s.cut.begin() + n, s.tagged[static_cast<size_t>(n)]);
  }
  s.agreement = static_cast<float>(agreeing) / static_cast<float>(s.nodes.size());
}

}  // namespace

IdVector<ListId, Segmentation> CutLists(const Trial& trial, const ModulePaths& paths) {
  IdVector<ListId, Segmentation> result(trial.siblings.list_count());
  for (NodeId node : trial.graph.node_ids()) {
    for (PathId path = trial.tags[node]; path.valid(); path = paths.parent(path)) {
      const LayerPlace place = trial.siblings.place(path);
      if (!place.list.valid()) continue;
      result[place.list].nodes.push_back(node);
      result[place.list].tagged.push_back(place.index);
    }
  }
  for (ListId list : trial.siblings.lists()) {
    Segmentation& s = result[list];
    if (s.nodes.empty()) continue;
    FindOrder(s, trial.siblings, list);
    Cut(s);
  }
  return result;
}

void AskSegments(const Trial& trial, const ModulePaths& paths,
                 const IdVector<ListId, Segmentation>& cuts, std::vector<Proposal>& proposals) {
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
      Proposal proposal;
      proposal.node = s.nodes[i];
      proposal.witness = TagWitness::kSegment;
      proposal.confidence = (at_border ? kAtBorder : kInside) * s.agreement;
      proposal.expected =
          trial.siblings.Transplant(layer, trial.tags[s.nodes[i]], paths.depth(layer));
      proposals.push_back(proposal);
    }
  }
}

}  // namespace onnx_hier
