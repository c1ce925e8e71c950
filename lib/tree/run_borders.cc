// SPDX-License-Identifier: Apache-2.0
#include "lib/tree/run_borders.h"

#include <vector>

namespace onnx_hier {
namespace {

// Nodes and edges that are looked at to see whether a module was left, or feeds itself, for each of
// those of the file: many times what real models need, where a module is left soon after it ended.
constexpr uint64_t kBudget = 8;

}  // namespace

RunBorders::RunBorders(const Flow& flow, const ModulePaths& paths, const Assignments& assignments)
    : flow_(flow),
      paths_(paths),
      assignments_(assignments),
      budget_(kBudget * (flow.size() + flow.edge_count())) {}

bool RunBorders::IsLeft(PathId module, Rank from, Rank to) {
  const uint32_t constants = flow_.constants_before(to) - flow_.constants_before(from + 1);
  if (to - from - 1 == constants) return false;
  for (Rank i = from + 1; i < to; ++i) {
    if (budget_ == 0) return false;
    --budget_;
    if (!flow_.is_constant(i) && !paths_.Contains(module, ModuleOf(i))) return true;
  }
  return false;
}

bool RunBorders::RanAnew(PathId module, absl::Span<const Run> runs) {
  for (size_t i = 1; i < runs.size(); ++i) {
    if (!IsLeft(module, runs[i - 1].end, runs[i].begin)) return Feeds(module, runs[0], runs[1]);
  }
  return true;
}

bool RunBorders::Feeds(PathId module, const Run& run, const Run& next) {
  const uint32_t span = next.end - run.begin + 1;
  if (budget_ < span) return false;
  std::vector<bool> reached(span);
  for (Rank i = run.begin; i <= next.end; ++i) {
    const uint64_t looks = 1 + flow_.producers(i).size();
    if (budget_ < looks) return false;
    budget_ -= looks;
    const bool inside = paths_.Contains(module, ModuleOf(i));
    bool fed = i <= run.end && inside;
    for (const Flow::Edge& edge : flow_.producers(i)) {
      fed = fed || (edge.rank >= run.begin && reached[edge.rank - run.begin]);
    }
    if (fed && inside && i >= next.begin) return true;
    reached[i - run.begin] = fed && !flow_.is_constant(i);
  }
  return false;
}

bool AreInOrder(absl::Span<const Run> runs) {
  for (size_t i = 1; i < runs.size(); ++i) {
    if (runs[i].begin <= runs[i - 1].end) return false;
  }
  return true;
}

}  // namespace onnx_hier
