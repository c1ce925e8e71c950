// SPDX-License-Identifier: Apache-2.0

// Runs of modules, one inside the other: what can become a call of a function.
//
//   const FoldRuns runs(units, hierarchy, [](ModuleId) { return true; });
//   runs.of(unit);   // the innermost run that the unit is in, or none
//
// Linear in units times the depth of modules.
#ifndef ONNX_HIER_LIB_PARTS_RUNS_H_
#define ONNX_HIER_LIB_PARTS_RUNS_H_

#include <cstdint>
#include <functional>

#include "lib/parts/units.h"
#include "onnx_hier/hierarchy.h"
#include "onnx_hier/ids.h"

namespace onnx_hier {

using FoldRunId = Id<struct FoldRunTag>;

struct FoldRun {
  ModuleId module;
  uint32_t call = 0;
  FoldRunId parent;    // the run around it; none: it is an outermost one
  uint32_t depth = 0;  // of the outermost ones 1
  uint32_t units = 0;  // in it, and in those inside of it
};

class FoldRuns {
 public:
  // Of the modules that are wanted; units of others are in the run around these. The root is never
  // one: it is the main graph.
  FoldRuns(const Units& units, const Hierarchy& hierarchy,
           const std::function<bool(ModuleId)>& is_wanted);

  size_t size() const { return runs_.size(); }
  IdRange<FoldRunId> ids() const { return IdRange<FoldRunId>(runs_.size()); }
  const FoldRun& run(FoldRunId id) const { return runs_[id]; }
  FoldRunId of(Unit unit) const { return of_[unit]; }

 private:
  IdVector<FoldRunId, FoldRun> runs_;  // in order of first units, outer ones before inner ones
  IdVector<Unit, FoldRunId> of_;
};

}  // namespace onnx_hier

#endif  // ONNX_HIER_LIB_PARTS_RUNS_H_
