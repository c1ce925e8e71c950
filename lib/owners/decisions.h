// SPDX-License-Identifier: Apache-2.0

// Decides the module of every open node by weighing features.
//
// A file with some names left is decided in two passes, node by node: what is sure after the first
// counts as known in the second. Then nodes that are not sure are decided once more, along the
// walk. A file without names is decided between the owners of its parameters; its constants follow
// the nodes that read them.
#ifndef ONNX_HIER_LIB_OWNERS_DECISIONS_H_
#define ONNX_HIER_LIB_OWNERS_DECISIONS_H_

#include <cstddef>
#include <vector>

#include "absl/functional/function_ref.h"
#include "absl/types/span.h"
#include "lib/graph/flow.h"
#include "lib/graph/graph_analysis.h"
#include "lib/owners/bound_nodes.h"
#include "lib/owners/decision_trace.h"
#include "lib/owners/evidence.h"
#include "lib/owners/known_modules.h"
#include "lib/owners/least.h"
#include "lib/owners/scorer.h"
#include "onnx_hier/annotation.h"
#include "onnx_hier/module_paths.h"

namespace onnx_hier {

struct OpenDecision {
  Rank rank;
  PathId path;
  Basis basis = Basis::kReaders;
  float score = 0;                // not yet calibrated
  float inside = 0;               // likewise
  Method method = Method::kNone;  // what spoke most for it against the runner-up
  Rank witness;                   // a node that this points at
  Retreat retreat = Retreat::kNone;
};

class Walk;

// Hears of each walk before it decides, and what else speaks for a node in a module (Walk::Own).
class WalkListener {
 public:
  virtual ~WalkListener() = default;
  virtual void Hear(const Walk& walk, absl::FunctionRef<float(Rank, PathId)> own) = 0;
};

struct InferOptions {
  const WeightTables& tables = FittedTables();
  DecisionTrace* trace = nullptr;    // null: nobody looks
  WalkListener* listener = nullptr;  // likewise
  size_t threads = 1;                // up to so many may help; the result is the same
  // Nodes whose module holds them less surely get the nearest one around it that does.
  Least least;
  NameSureness sureness;  // of the reading of all names (DoubtNames)
};

// Whether so few nodes say where they are that the others cannot be compared with them.
bool IsNameless(const Flow& flow, const KnownModules& known);

// Of the bound nodes that were `weighed` the surest speaks for all.
void AgreeWhereBound(const BoundNodes& bound, const Flow& flow, absl::Span<const Rank> weighed,
                     const InferOptions& options, IdVector<Rank, OpenDecision>& decisions);

// One for each open node, in order of their ranks. `paths` grows by modules that twins suggest.
std::vector<OpenDecision> DecideOpenNodes(const GraphAnalysis& analysis, const Evidence& evidence,
                                          KnownModules known, const InferOptions& options,
                                          ModulePaths& paths);

}  // namespace onnx_hier

#endif  // ONNX_HIER_LIB_OWNERS_DECISIONS_H_
