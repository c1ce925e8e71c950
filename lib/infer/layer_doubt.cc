#include "lib/infer/layer_doubt.h"

#include <algorithm>

#include "lib/layers/path_relation.h"

namespace onnx_hier {
PathId DoubtBetweenLayers(Place place, PathId module, const Context& context) {
  if (context.flow.is_constant(place) || context.dominators.is_skip_join(place)) return PathId();
  const absl::Span<const Surroundings::Near> readers = context.surroundings.downstream(place);
  if (readers.empty()) return PathId();
  const PathId reader = context.known[readers[0].place];
  const PathId layer = LayerApart(module, reader, context.paths);
  if (!layer.valid()) return PathId();
  const auto is_there = [&](const Surroundings::Near& near) {
    return context.known[near.place] == reader;
  };
  if (!std::all_of(readers.begin(), readers.end(), is_there)) return PathId();
  const Surroundings::Interval interval = context.surroundings.interval(layer);
  if (place <= interval.first || interval.last <= place) return PathId();
  for (const Flow::Edge& edge : context.flow.consumers(place)) {
    const PathId read_in = context.known[edge.place];
    if (edge.place < interval.last || (read_in.valid() && read_in != reader)) return PathId();
    if (read_in.valid()) continue;
    // A reader of unknown place right behind the layer may belong there.
    const Place before = context.surroundings.previous(edge.place);
    if (context.paths.Contains(layer, context.known[before])) return PathId();
  }
  return context.paths.parent(layer);
}

}  // namespace onnx_hier
