// SPDX-License-Identifier: Apache-2.0

// A contraction with shared bodies as the bytes of a folded model.
#ifndef ONNX_HIER_LIB_PARTS_FOLD_WRITER_H_
#define ONNX_HIER_LIB_PARTS_FOLD_WRITER_H_

#include <string>
#include <vector>

#include "lib/onnx/node_messages.h"
#include "lib/parts/bodies.h"
#include "lib/parts/contraction.h"
#include "lib/parts/fold_table.h"
#include "lib/parts/foreign_opsets.h"
#include "lib/parts/node_places.h"
#include "lib/parts/runs.h"
#include "lib/parts/units.h"
#include "onnx_hier/hierarchy.h"
#include "onnx_hier/ids.h"

namespace onnx_hier {

// What is to be written.
struct FoldPlan {
  const Units& units;
  const NodeMessages& messages;
  const FoldTraits& traits;
  const ForeignOpsets& foreign;
  const FoldRuns& runs;
  const Hierarchy& hierarchy;
  const Contraction& contraction;
  const FoldBodies& bodies;
  const IdVector<ItemId, std::string>& scopes;
  const IdVector<FoldFunctionId, std::string>& names;
};

struct FoldedParts {
  std::vector<PlacedNode> nodes;       // in order
  std::vector<std::string> functions;  // FunctionProtos, inner ones first
  FoldTable table;
};

FoldedParts WriteFolded(const FoldPlan& plan);

}  // namespace onnx_hier

#endif  // ONNX_HIER_LIB_PARTS_FOLD_WRITER_H_
