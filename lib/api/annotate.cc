#include "lib/api/annotate.h"

#include <memory>
#include <utility>
#include <vector>

#include "lib/api/large_graph.h"
#include "lib/base/side_task.h"
#include "lib/contamination/review.h"
#include "lib/hierarchy/module_tree.h"
#include "lib/resolve/resolve.h"
#include "onnx_hier/onnx_hier.h"
#include "onnx_hier/version.h"

namespace onnx_hier {

absl::string_view Version() { return kVersion; }

AnnotationDraft BeginAnnotation(const Graph& graph, const AnnotateOptions& options) {
  AnnotationDraft draft;
  ModulePaths& paths = draft.annotation.paths;
  std::vector<PathId> known_modules;
  for (const MappedModule& module : options.module_map) {
    known_modules.push_back(paths.Parse(module.qualified_name));
  }
  draft.evidence =
      CollectEvidence(graph, known_modules, paths, IsWorthAThread(graph, options.threads));
  return draft;
}

Annotation FinishAnnotation(const Wiring& wiring, const AnnotateOptions& options,
                            AnnotationDraft draft, DecisionTrace* trace) {
  Annotation& annotation = draft.annotation;
  const auto review = [&](Assignments& assignments) {
    annotation.contamination =
        ReviewAssignments(wiring.flow().graph(), draft.evidence, annotation.paths, assignments);
  };
  Resolution resolution = Resolve(
      wiring, draft.evidence, annotation.paths,
      {.trace = trace, .beside = IsWorthAThread(wiring.flow().graph(), options.threads)}, review);
  annotation.assignments = std::move(resolution.assignments);
  annotation.auxiliary = std::move(resolution.auxiliary);
  annotation.modules = BuildModuleTree(wiring.flow().graph(), annotation.paths,
                                       annotation.assignments, draft.evidence, options.module_map);
  annotation.dialect = std::move(draft.evidence.dialect);
  return std::move(draft.annotation);
}

Annotation Annotate(const Model& model, const AnnotateOptions& options) {
  const Graph& graph = model.graph();
  const bool beside = IsWorthAThread(graph, options.threads);
  std::unique_ptr<const Wiring> wiring;
  SideTask read_wiring(beside, [&] {
    wiring = std::make_unique<Wiring>(graph);
    if (beside) wiring->fingerprints();
  });
  AnnotationDraft draft = BeginAnnotation(graph, options);
  read_wiring.Finish();
  return FinishAnnotation(*wiring, options, std::move(draft), nullptr);
}

}  // namespace onnx_hier
