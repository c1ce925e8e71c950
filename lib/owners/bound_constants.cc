// SPDX-License-Identifier: Apache-2.0
#include "lib/owners/bound_constants.h"

#include <algorithm>

namespace onnx_hier {
namespace {

bool IsConstant(const Flow& flow, Rank rank) {
  return flow.graph().op(flow.node(rank)).type == "Constant" && flow.producers(rank).empty();
}

}  // namespace

std::vector<BoundConstant> FindBoundConstants(const Flow& flow) {
  std::vector<BoundConstant> bound;
  std::vector<Rank> waiting;  // that no other node stands behind yet
  for (Rank rank : flow.ranks()) {
    if (IsConstant(flow, rank)) {
      waiting.push_back(rank);
      continue;
    }
    for (Rank constant : waiting) {
      const absl::Span<const Flow::Edge> readers = flow.consumers(constant);
      const bool is_bound =
          !readers.empty() && std::all_of(readers.begin(), readers.end(),
                                          [&](const auto& edge) { return edge.rank == rank; });
      if (is_bound) bound.push_back({constant, rank});
    }
    waiting.clear();
  }
  return bound;
}

}  // namespace onnx_hier
