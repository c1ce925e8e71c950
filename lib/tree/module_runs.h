// SPDX-License-Identifier: Apache-2.0

// How often each module ran, and where in the file each run stands.
//
//   MatMul(x, shared.fc.weight) -> Relu -> Add -> MatMul(., shared.fc.weight) -> Relu -> Add
//
// shared.fc ran twice: two nodes of one kind read its weight. So did the parameterless shared.act,
// whose Relu is left and comes again; and so did shared, since all it holds ran twice, first the
// one run and then the other.
//
// No name tells that: it is for files whose names do not count calls, or have lost their count.
#ifndef ONNX_HIER_LIB_TREE_MODULE_RUNS_H_
#define ONNX_HIER_LIB_TREE_MODULE_RUNS_H_

#include <cstdint>
#include <vector>

#include "absl/types/span.h"
#include "lib/graph/flow.h"
#include "lib/owners/evidence.h"
#include "lib/tree/run_borders.h"
#include "onnx_hier/annotation.h"
#include "onnx_hier/module_paths.h"

namespace onnx_hier {

class ModuleRuns {
 public:
  // Every node has a module in `assignments`. All arguments must outlive this. Nearly linear in
  // nodes, edges and modules.
  ModuleRuns(const Flow& flow, const Evidence& evidence, const ModulePaths& paths,
             const Assignments& assignments);

  // In order; empty: nothing shows that the module ran more than once.
  absl::Span<const Run> of(PathId module) const { return Slice(runs_, facts_[module].runs); }
  // The module's own nodes in the main graph, in order.
  absl::Span<const Rank> nodes(PathId module) const { return nodes_.of(module); }
  // For each of these the run it is in. Only of a module that ran more than once.
  std::vector<uint32_t> RunsOfNodes(PathId module) const;

 private:
  struct Facts {
    Range runs;            // in runs_; empty for one run
    uint32_t signs = 0;    // the last of them: number in signs_, plus 1
    bool reads = false;    // whether nodes read parameters of its own
    bool counted = false;  // whether parameters, its own or of modules inside it, tell the runs
  };
  // What tells how often a module ran: nodes that read one of its parameters, or the runs of a
  // module inside it.
  struct Sign {
    Range runs;         // in runs_
    uint32_t next = 0;  // about the same module: number in signs_, plus 1
  };

  struct Shown {
    Rank rank;
    uint64_t look = 0;
  };

  template <class T>
  static absl::Span<const T> Slice(const std::vector<T>& items, Range range) {
    return absl::MakeConstSpan(items).subspan(range.begin, range.size());
  }

  PathId ModuleOf(Rank rank) const { return assignments_[flow_.node(rank)].primary; }
  uint64_t LookAt(Rank rank) const;
  void ListNodes();
  void ReadParameters();
  void AddSign(PathId module, Range runs);
  void CountByParameters(PathId module);
  uint32_t UsualCount(const Facts& facts);
  Range MergeSigns(const Facts& facts, uint32_t count);
  bool AreRuns(PathId module, absl::Span<const Run> runs);
  std::vector<Shown> ShownNodes(PathId module) const;
  bool NodesRepeat(PathId module, uint32_t count) const;
  bool DoesAgain(Rank last, Rank rank) const;
  void CountByRepetition(PathId module);
  void AddRepeats(PathId module, absl::Span<const Shown> nodes);
  static uint32_t NearestRun(absl::Span<const Run> runs, Rank rank);

  const Flow& flow_;
  const Evidence& evidence_;
  const ModulePaths& paths_;
  const Assignments& assignments_;
  IdVector<PathId, Facts> facts_;
  Grouped<PathId, Rank> nodes_;  // of the main graph
  std::vector<Run> runs_;
  std::vector<Sign> signs_;
  std::vector<uint32_t> counts_;
  RunBorders borders_;
};

}  // namespace onnx_hier

#endif  // ONNX_HIER_LIB_TREE_MODULE_RUNS_H_
