// SPDX-License-Identifier: Apache-2.0

// Which parameters are read more than once, and by which nodes.
//
// A module reads its weight once in each run: nodes of one kind that read the same weight stand in
// as many runs.
#ifndef ONNX_HIER_LIB_TREE_PARAMETER_READS_H_
#define ONNX_HIER_LIB_TREE_PARAMETER_READS_H_

#include <cstdint>
#include <vector>

#include "absl/functional/function_ref.h"
#include "absl/types/span.h"
#include "lib/graph/flow.h"
#include "lib/owners/evidence.h"

namespace onnx_hier {

// Calls `report` with the owner of each parameter and the nodes of one kind that read it, in order:
// same operator, same slot, the same reshaping on the way. Only nodes of the main graph that
// `is_reader` lets pass, and of these only kinds that compute from the graph's inputs somewhere.
// Linear but for sorting the readers.
void FindParameterReads(
    const Flow& flow, const Evidence& evidence,
    absl::FunctionRef<bool(PathId owner, Rank rank)> is_reader,
    absl::FunctionRef<void(PathId owner, absl::Span<const Rank> readers)> report);

}  // namespace onnx_hier

#endif  // ONNX_HIER_LIB_TREE_PARAMETER_READS_H_
