// SPDX-License-Identifier: Apache-2.0

// Calls whose bodies are alike share one function.
//
// Two bodies are alike if they are the same operators with the same attributes on the same values,
// in the same order, whatever the names of values and whatever is said of nodes, and if their
// modules stand at the same place but for numbers: "encoder.layer.0" and "encoder.layer.1", not
// query and key.
#ifndef ONNX_HIER_LIB_PARTS_BODIES_H_
#define ONNX_HIER_LIB_PARTS_BODIES_H_

#include <vector>

#include "lib/onnx/node_messages.h"
#include "lib/parts/contraction.h"
#include "lib/parts/runs.h"
#include "onnx_hier/hierarchy.h"
#include "onnx_hier/ids.h"

namespace onnx_hier {

using FoldFunctionId = Id<struct FoldFunctionTag>;

struct FoldFunction {
  ItemId model;  // the first call of it, whose names it has
  uint32_t calls = 0;
  uint32_t nodes = 0;  // in its body; a call counts as one
};

struct FoldBodies {
  IdVector<FoldFunctionId, FoldFunction> functions;  // in order of first calls, inner ones first
  IdVector<ItemId, FoldFunctionId> of;               // by item; none for units
};

// Of lists whose members could be alike, and are not for what others read in them (RunChoices):
// `lent` were made with all runs lending. The runs of those lists that need fewer functions so.
IdSet<FoldRunId> FindLenders(const FoldRuns& runs, const Hierarchy& hierarchy,
                             const Contraction& contraction, const FoldBodies& bodies,
                             const Contraction& lent_contraction, const FoldBodies& lent_bodies);
// Whether a list has members that are not alike.
bool HasUnlike(const FoldRuns& runs, const Hierarchy& hierarchy, const Contraction& contraction,
               const FoldBodies& bodies);

FoldBodies ShareBodies(const Contraction& contraction, const Units& units, const FoldRuns& runs,
                       const Hierarchy& hierarchy, const NodeMessages& messages);

}  // namespace onnx_hier

#endif  // ONNX_HIER_LIB_PARTS_BODIES_H_
