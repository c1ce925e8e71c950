// SPDX-License-Identifier: Apache-2.0

// The two halves of Annotate(), for those who look at what is between: what is known, and what is
// decided from it.
#ifndef ONNX_HIER_LIB_API_ANNOTATE_H_
#define ONNX_HIER_LIB_API_ANNOTATE_H_

#include <memory>
#include <optional>

#include "lib/graph/graph_analysis.h"
#include "lib/graph/unfolded_calls.h"
#include "lib/names/named_parameters.h"
#include "lib/names/readable_graph.h"
#include "lib/owners/call_places.h"
#include "lib/owners/evidence.h"
#include "lib/owners/known_modules.h"
#include "lib/owners/node_owners.h"
#include "lib/owners/open_decision.h"
#include "onnx_hier/onnx_hier.h"

namespace onnx_hier {

struct AnnotationDraft {
  Annotation annotation;  // only its paths
  Evidence evidence;
  NameSureness sureness;                      // of the reading of all names
  std::optional<CallPlaces> calls;            // that gave way to their functions' bodies
  std::shared_ptr<const AppliedRules> rules;  // null: there are none
};

// Where all nodes are: inferred, compared with one another, corrected by what leaves may hold.
NodeOwners DecideOwners(const GraphAnalysis& analysis, const Evidence& evidence,
                        const KnownModules& known, const InferOptions& options, ModulePaths& paths,
                        ContaminationCount& contamination);

// What the options' rules mean in the graph that is annotated so without them; null: they have
// none that says where nodes are.
std::shared_ptr<const AppliedRules> RulesFor(const Graph& graph, const Annotation& without,
                                             const AnnotateOptions& options);
AnnotateOptions WithoutRules(AnnotateOptions options);

// `rules` may be null. `origins`: of a graph in which bodies were put in, else null. `readable` is
// of `named`'s graph.
AnnotationDraft BeginAnnotation(const NamedParameters& named, const ReadableGraph& readable,
                                const FlatOrigins* origins, const AnnotateOptions& options,
                                std::shared_ptr<const AppliedRules> rules);
// `trace` may be null.
Annotation FinishAnnotation(const GraphAnalysis& analysis, const AnnotateOptions& options,
                            AnnotationDraft draft, DecisionTrace* trace);

// Both, of a model that is not folded; its names need not be readable.
Annotation AnnotateGraph(const Graph& written, const FlatOrigins* origins,
                         const AnnotateOptions& options);

}  // namespace onnx_hier

#endif  // ONNX_HIER_LIB_API_ANNOTATE_H_
