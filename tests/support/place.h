// SPDX-License-Identifier: Apache-2.0

// Annotations made by hand, for tests of what is done with them.
#ifndef ONNX_HIER_TESTS_SUPPORT_PLACE_H_
#define ONNX_HIER_TESTS_SUPPORT_PLACE_H_

#include <string>
#include <utility>
#include <vector>

#include "lib/graph/flow.h"
#include "lib/tree/module_tree.h"
#include "onnx_hier/annotation.h"
#include "onnx_hier/graph.h"
#include "tests/support/test_graph.h"

namespace onnx_hier::testing {

// The tree for the assignments as they are now; `evidence` says what names tell, if anything.
inline void BuildModules(const Graph& graph, Annotation& annotation, Evidence evidence = {},
                         const ModuleMap& map = {}) {
  evidence.value_owners.resize(graph.value_count());
  annotation.parameters = ListParameters(graph, annotation.paths, annotation.assignments, evidence);
  const Flow flow(graph);
  SetModules(flow, evidence, map, annotation);
}

// Puts each node of `graph` into the module whose qualified name stands at its place in `owners`.
inline Annotation Place(const Graph& graph, const std::vector<std::string>& owners) {
  Annotation annotation;
  for (const std::string& owner : owners) {
    Assignment assignment;
    assignment.primary = annotation.paths.Parse(owner);
    assignment.confidence = 1;
    assignment.method = Method::kNodeName;
    annotation.assignments.push_back(assignment);
  }
  BuildModules(graph, annotation);
  return annotation;
}

// The same, where the parameters in the second list are named after these modules.
inline Annotation Place(
    const Graph& graph, const std::vector<std::string>& owners,
    const std::vector<std::pair<std::string, std::string>>& modules_of_parameters) {
  Annotation annotation = Place(graph, owners);
  Evidence evidence;
  evidence.value_owners.resize(graph.value_count());
  for (const auto& [value, module] : modules_of_parameters) {
    evidence.value_owners[FindValue(graph, value)] = annotation.paths.Parse(module);
  }
  BuildModules(graph, annotation, evidence);
  return annotation;
}

}  // namespace onnx_hier::testing

#endif  // ONNX_HIER_TESTS_SUPPORT_PLACE_H_
