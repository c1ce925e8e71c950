// SPDX-License-Identifier: Apache-2.0
#include "lib/owners/input_code.h"

#include <algorithm>

#include "absl/types/span.h"
#include "lib/graph/weight.h"

namespace onnx_hier {
namespace {

// The first known node that is computed from a node, or that node itself; none: none is.
Rank FirstKnown(Rank rank, const KnownModules& known, const Surroundings& surroundings) {
  if (known[rank].valid()) return rank;
  Rank first;
  for (const Surroundings::Near& near : surroundings.downstream(rank)) {
    first = std::min(first, near.rank);
  }
  return first;
}

// The first known node in the file.
Rank FirstAnchor(const Flow& flow, const KnownModules& known) {
  for (Rank rank : flow.ranks()) {
    if (known[rank].valid() && !flow.is_constant(rank)) return rank;
  }
  return Rank();
}

bool HasOneIn(const IdSet<Rank>& set, absl::Span<const Flow::Edge> edges) {
  return std::any_of(edges.begin(), edges.end(),
                     [&](const Flow::Edge& edge) { return set.Has(edge.rank); });
}

}  // namespace

std::vector<InputCodePlace> PlaceBeforeParameters(const Flow& flow, const KnownModules& known,
                                                  const Surroundings& surroundings,
                                                  const ModulePaths& paths) {
  std::vector<InputCodePlace> placed;
  const Rank first = FirstAnchor(flow, known);
  if (!first.valid()) return placed;
  IdVector<Rank, PathId> up_to(flow.size());  // what holds all known nodes up to there
  PathId holds;
  for (Rank rank = first; rank.index() < flow.size(); ++rank) {
    if (!flow.is_constant(rank)) holds = paths.Join(holds, known[rank]);
    up_to[rank] = holds;
  }
  IdSet<Rank> weighted(flow.size());
  for (Rank rank(0); rank < first; ++rank) {
    if (ReadsMatrix(flow.graph(), flow.node(rank)) || HasOneIn(weighted, flow.producers(rank)))
      weighted.Add(rank);
  }
  IdVector<Rank, Rank> readers(flow.size());
  Rank last = first;
  for (Rank rank = first; rank > Rank(0);) {
    --rank;
    if (flow.is_constant(rank) || !known.is_open(rank) || weighted.Has(rank)) continue;
    Rank& reader = readers[rank];
    for (const Flow::Edge& edge : flow.consumers(rank)) {
      reader = std::min(reader, edge.rank < first ? readers[edge.rank]
                                                  : FirstKnown(edge.rank, known, surroundings));
    }
    if (!reader.valid()) continue;
    last = std::max(last, reader);
    placed.push_back({rank, up_to[last], reader});
  }
  return placed;
}

std::vector<InputCodePlace> PlaceWithAllReaders(const Flow& flow, const KnownModules& known,
                                                const ModulePaths& paths,
                                                const IdVector<Rank, PathId>& places) {
  IdSet<Rank> of_inputs(flow.size());
  for (Rank rank : flow.ranks()) {
    if (known[rank].valid() || !known.is_open(rank) || flow.is_constant(rank)) continue;
    if (ReadsMatrix(flow.graph(), flow.node(rank))) continue;
    const auto& makers = flow.producers(rank);
    if (std::all_of(makers.begin(), makers.end(), [&](const Flow::Edge& edge) {
          return flow.is_constant(edge.rank) || of_inputs.Has(edge.rank);
        })) {
      of_inputs.Add(rank);
    }
  }
  std::vector<InputCodePlace> placed;
  IdVector<Rank, PathId> holds(flow.size());
  for (size_t k = flow.size(); k-- > 0;) {
    const Rank rank(k);
    if (!of_inputs.Has(rank)) continue;
    for (const Flow::Edge& edge : flow.consumers(rank)) {
      const PathId reader = of_inputs.Has(edge.rank) ? holds[edge.rank] : places[edge.rank];
      holds[rank] = paths.Join(holds[rank], reader);
    }
    if (!holds[rank].valid()) continue;
    placed.push_back({rank, holds[rank], flow.consumers(rank).back().rank});
  }
  return placed;
}

}  // namespace onnx_hier
