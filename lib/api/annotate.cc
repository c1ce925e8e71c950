#include <utility>

#include "lib/evidence/evidence.h"
#include "lib/hierarchy/module_tree.h"
#include "lib/resolve/resolve.h"
#include "onnx_hier/onnx_hier.h"
#include "onnx_hier/version.h"

namespace onnx_hier {

absl::string_view Version() { return kVersion; }

Annotation Annotate(const Model& model) {
  const Graph& graph = model.graph();
  Annotation annotation;
  Evidence evidence = CollectEvidence(graph, annotation.paths);
  Resolution resolution = Resolve(graph, evidence, annotation.paths);
  annotation.assignments = std::move(resolution.assignments);
  annotation.auxiliary = std::move(resolution.auxiliary);
  annotation.modules = BuildModuleTree(graph, annotation.paths, annotation.assignments);
  annotation.dialect = std::move(evidence.dialect);
  return annotation;
}

}  // namespace onnx_hier
