// SPDX-License-Identifier: Apache-2.0

// What tells that a module ran anew, and not just on: it was left in between, or it computes from
// what it made itself.
#ifndef ONNX_HIER_LIB_TREE_RUN_BORDERS_H_
#define ONNX_HIER_LIB_TREE_RUN_BORDERS_H_

#include <cstdint>

#include "absl/types/span.h"
#include "lib/graph/flow.h"
#include "onnx_hier/annotation.h"
#include "onnx_hier/module_paths.h"

namespace onnx_hier {

// From the first to the last node that surely is in a run; others of it may stand around.
struct Run {
  Rank begin;
  Rank end;
};

class RunBorders {
 public:
  // Every node has a module in `assignments`. All arguments must outlive this.
  RunBorders(const Flow& flow, const ModulePaths& paths, const Assignments& assignments);

  // All questions together look at no more than a fixed number of nodes for each that the graph
  // has; after that all answers are no.

  // Whether something outside the module runs between two of its nodes.
  bool IsLeft(PathId module, Rank from, Rank to);
  // Whether these are runs of the module, and not one in which what it holds runs again and again.
  // They must be in order: see below.
  bool RanAnew(PathId module, absl::Span<const Run> runs);

 private:
  // Whether the next run computes from the one before it.
  bool Feeds(PathId module, const Run& run, const Run& next);
  PathId ModuleOf(Rank rank) const { return assignments_[flow_.node(rank)].primary; }

  const Flow& flow_;
  const ModulePaths& paths_;
  const Assignments& assignments_;
  uint64_t budget_;  // nodes and edges that may yet be looked at
};

// Whether each run ends before the next one begins.
bool AreInOrder(absl::Span<const Run> runs);

}  // namespace onnx_hier

#endif  // ONNX_HIER_LIB_TREE_RUN_BORDERS_H_
