// SPDX-License-Identifier: Apache-2.0

// Given tags as an Annotation, in which the writers take them.
#ifndef ONNX_HIER_LIB_API_GIVEN_ANNOTATION_H_
#define ONNX_HIER_LIB_API_GIVEN_ANNOTATION_H_

#include <vector>

#include "onnx_hier/annotation.h"
#include "onnx_hier/apply.h"
#include "onnx_hier/graph.h"
#include "onnx_hier/module_paths.h"

namespace onnx_hier {

// Nodes without a given tag are at the root, by Method::kNone. Of modules it says what tags say:
// parameters are not listed.
Annotation AnnotationOf(const Graph& graph, const std::vector<GivenTag>& tags,
                        const ModuleMap& classes);

}  // namespace onnx_hier

#endif  // ONNX_HIER_LIB_API_GIVEN_ANNOTATION_H_
