// SPDX-License-Identifier: Apache-2.0

// What is decided of an open node, and how those who decide are asked.
#ifndef ONNX_HIER_LIB_OWNERS_OPEN_DECISION_H_
#define ONNX_HIER_LIB_OWNERS_OPEN_DECISION_H_

#include <cstddef>
#include <optional>

#include "absl/functional/function_ref.h"
#include "lib/graph/flow.h"
#include "lib/names/name_sureness.h"
#include "lib/owners/decision_trace.h"
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

// Hears of each walk before it decides, and what else speaks for a node in a module, if anything
// does (Walk::Own).
class WalkListener {
 public:
  virtual ~WalkListener() = default;
  virtual void Hear(const Walk& walk,
                    std::optional<absl::FunctionRef<float(Rank, PathId)>> own) = 0;
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

}  // namespace onnx_hier

#endif  // ONNX_HIER_LIB_OWNERS_OPEN_DECISION_H_
