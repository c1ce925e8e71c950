#include "lib/infer/layer_doubt.h"

#include <algorithm>

#include "lib/base/rules.h"
#include "lib/layers/path_relation.h"

namespace onnx_hier {
PathId DoubtBetweenLayers(Rank rank, PathId module, const Context& context) {
  if (!IsOn(Rule::kLayerDoubt)) return PathId();
  if (context.flow.is_constant(rank) || context.dominators.is_skip_join(rank)) return PathId();
  const absl::Span<const Surroundings::Near> readers = context.surroundings.downstream(rank);
  if (readers.empty()) return PathId();
  const PathId reader = context.known[readers[0].rank];
  const PathId layer = LayerApart(module, reader, context.paths);
  if (!layer.valid()) return PathId();
  const auto is_there = [&](const Surroundings::Near& near) {
    return context.known[near.rank] == reader;
  };
  if (!std::all_of(readers.begin(), readers.end(), is_there)) return PathId();
  const Surroundings::Interval interval = context.surroundings.interval(layer);
  if (rank <= interval.first || interval.last <= rank) return PathId();
  for (const Flow::Edge& edge : context.flow.consumers(rank)) {
    const PathId read_in = context.known[edge.rank];
    if (edge.rank < interval.last || (read_in.valid() && read_in != reader)) return PathId();
    if (read_in.valid()) continue;
    // A reader of unknown place right behind the layer may belong there.
    const Rank before = context.surroundings.previous(edge.rank);
    if (context.paths.Contains(layer, context.known[before])) return PathId();
  }
  return context.paths.parent(layer);
}

}  // namespace onnx_hier
