#include "lib/api/annotate.h"

#include <utility>
#include <vector>

#include "lib/contamination/second_look.h"
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
  draft.evidence = CollectEvidence(graph, known_modules, paths);
  return draft;
}

Annotation FinishAnnotation(const Graph& graph, const AnnotateOptions& options,
                            AnnotationDraft draft, DecisionTrace* trace) {
  Annotation& annotation = draft.annotation;
  const auto review = [&](Assignments& assignments) {
    TakeSecondLook(graph, draft.evidence, annotation.paths, assignments);
  };
  Resolution resolution =
      Resolve(graph, draft.evidence, annotation.paths, FittedTables(), trace, review);
  annotation.assignments = std::move(resolution.assignments);
  annotation.auxiliary = std::move(resolution.auxiliary);
  annotation.modules = BuildModuleTree(graph, annotation.paths, annotation.assignments,
                                       draft.evidence, options.module_map);
  annotation.dialect = std::move(draft.evidence.dialect);
  return std::move(draft.annotation);
}

Annotation Annotate(const Model& model, const AnnotateOptions& options) {
  const Graph& graph = model.graph();
  return FinishAnnotation(graph, options, BeginAnnotation(graph, options), nullptr);
}

}  // namespace onnx_hier
