#include "lib/resolve/layer_doubt.h"

#include <algorithm>

namespace onnx_hier {
namespace {

// The member of a list from which `other` is in another member; none: they do not part there.
PathId LayerApart(PathId module, PathId other, const ModulePaths& paths) {
  const PathId common = paths.CommonAncestor(module, other);
  if (common == module || common == other) return PathId();
  const uint32_t parting = paths.depth(common) + 1;
  const PathId layer = paths.AncestorAtDepth(module, parting);
  const bool apart =
      paths.is_number(layer) && paths.is_number(paths.AncestorAtDepth(other, parting));
  return apart ? layer : PathId();
}

}  // namespace

PathId DoubtBetweenLayers(Place place, PathId module, const Context& context) {
  if (context.flow.is_constant(place) || context.branches.is_skip_join(place)) return PathId();
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
