// SPDX-License-Identifier: Apache-2.0
#include "lib/owners/holes.h"

#include <algorithm>

#include "absl/types/span.h"

namespace onnx_hier {
namespace {

std::vector<Rank> ComputedInMain(const Flow& flow) {
  const Graph& graph = flow.graph();
  std::vector<Rank> ran;
  for (Rank rank : flow.ranks()) {
    const bool is_in_main = graph.node(flow.node(rank)).block == graph.main_block();
    if (is_in_main && !flow.is_constant(rank)) ran.push_back(rank);
  }
  return ran;
}

}  // namespace

std::vector<HoleNode> FindHoles(const Flow& flow, const ModulePaths& paths,
                                const ModuleChildren& children, IdVector<Rank, PathId> places,
                                const IdVector<Rank, float>& sureness) {
  const std::vector<Rank> ran = ComputedInMain(flow);
  std::vector<HoleNode> found;
  for (size_t begin = 1, end; begin < ran.size(); begin = end) {
    const PathId around = places[ran[begin]];
    end = begin + 1;
    while (end < ran.size() && places[ran[end]] == around) ++end;
    if (end == ran.size()) break;
    if (around == paths.root()) continue;
    const Rank before = ran[begin - 1];
    const Rank behind = ran[end];
    const PathId module = paths.CommonAncestor(places[before], places[behind]);
    const bool is_next_to_it = module == places[before] || module == places[behind];
    if (!is_next_to_it || module == paths.root() || paths.parent(module) != around ||
        children.is_list(module)) {
      continue;
    }
    const auto hole = absl::MakeConstSpan(ran).subspan(begin, end - begin);
    const float least = std::min(sureness[before], sureness[behind]);
    if (std::any_of(hole.begin(), hole.end(), [&](Rank rank) { return sureness[rank] >= least; })) {
      continue;
    }
    for (Rank rank : hole) {
      found.push_back({rank, module, module == places[before] ? before : behind});
      places[rank] = module;
    }
  }
  return found;
}

}  // namespace onnx_hier
