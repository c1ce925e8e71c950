// SPDX-License-Identifier: Apache-2.0

// What holds for every annotation of every graph, however strange:
//
//   CHECK(Invariants(graph, Annotate(model)) == "");
#ifndef ONNX_HIER_TESTS_SUPPORT_INVARIANTS_H_
#define ONNX_HIER_TESTS_SUPPORT_INVARIANTS_H_

#include <string>

#include "onnx_hier/annotation.h"
#include "onnx_hier/graph.h"

namespace onnx_hier::testing {

// "" if every node has one valid primary module that is listed, auxiliary ones are others,
// confidences are in [0, 1], calls are below their module's number of calls, modules come after
// the module around them and before the next one beside it, and all totals add up to the figures
// of the graph. Else a line for each breach (the first few).
std::string Invariants(const Graph& graph, const Annotation& annotation);
// The same of a folded model, whose modules have the parameters of the flat one.
std::string InvariantsOfFolded(const Graph& graph, const Annotation& annotation);

}  // namespace onnx_hier::testing

#endif  // ONNX_HIER_TESTS_SUPPORT_INVARIANTS_H_
