// SPDX-License-Identifier: Apache-2.0

// Decides the nodes of a file in which hardly any node says where it is: those that read parameters
// by these, what lies between them by the walk, constants by those that read them.
#ifndef ONNX_HIER_LIB_OWNERS_NAMELESS_H_
#define ONNX_HIER_LIB_OWNERS_NAMELESS_H_

#include "absl/types/span.h"
#include "lib/graph/graph_analysis.h"
#include "lib/owners/bound_nodes.h"
#include "lib/owners/evidence.h"
#include "lib/owners/known_modules.h"
#include "lib/owners/open_decision.h"

namespace onnx_hier {

struct NamelessModules {
  const KnownModules& said;   // what names and parameters say
  const KnownModules& known;  // and where what is bound to such nodes is settled to be
  const BoundNodes& bound;
};

// Sets `decisions` of those of the `open` nodes, which are in order of their ranks, that are not
// settled by what they are bound to.
void DecideNameless(const GraphAnalysis& analysis, const Evidence& evidence,
                    const NamelessModules& modules, absl::Span<const Rank> open,
                    const InferOptions& options, ModulePaths& paths,
                    IdVector<Rank, OpenDecision>& decisions);

}  // namespace onnx_hier

#endif  // ONNX_HIER_LIB_OWNERS_NAMELESS_H_
