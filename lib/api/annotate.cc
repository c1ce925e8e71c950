#include <utility>
#include <vector>

#include "lib/evidence/evidence.h"
#include "lib/hierarchy/module_tree.h"
#include "lib/resolve/resolve.h"
#include "onnx_hier/onnx_hier.h"
#include "onnx_hier/version.h"

namespace onnx_hier {

absl::string_view Version() { return kVersion; }

Annotation Annotate(const Model& model, const AnnotateOptions& options) {
  const Graph& graph = model.graph();
  Annotation annotation;
  std::vector<PathId> known_modules;
  for (const MappedModule& module : options.module_map) {
    known_modules.push_back(annotation.paths.Parse(module.qualified_name));
  }
  Evidence evidence = CollectEvidence(graph, known_modules, annotation.paths);
  annotation.assignments = Resolve(graph, evidence, annotation.paths);
  annotation.modules = BuildModuleTree(graph, annotation.paths, annotation.assignments, evidence,
                                       options.module_map);
  annotation.dialect = std::move(evidence.dialect);
  return annotation;
}

}  // namespace onnx_hier
