// SPDX-License-Identifier: Apache-2.0

// Decides the nodes of a file in which hardly any node says where it is: those that read parameters
// by these, what lies between them by the walk, constants by those that read them.
#ifndef ONNX_HIER_LIB_OWNERS_NAMELESS_H_
#define ONNX_HIER_LIB_OWNERS_NAMELESS_H_

#include "absl/types/span.h"
#include "lib/owners/decisions.h"
#include "lib/owners/operator_calls.h"

namespace onnx_hier {

// Sets `decisions` of all nodes that are `open`, which are in order of their ranks. `calls`: of
// their graph.
void DecideNameless(const GraphAnalysis& analysis, const Evidence& evidence,
                    const KnownModules& known, const OperatorCalls& calls,
                    absl::Span<const Rank> open, const InferOptions& options, ModulePaths& paths,
                    IdVector<Rank, OpenDecision>& decisions);

}  // namespace onnx_hier

#endif  // ONNX_HIER_LIB_OWNERS_NAMELESS_H_
