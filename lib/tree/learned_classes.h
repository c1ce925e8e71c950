// SPDX-License-Identifier: Apache-2.0

// Classes of modules, learned from class tags that another tool left in the nodes' metadata:
//
//   node in encoder.layer.1.attention, tag /BertModel/BertEncoder/BertLayer.1/BertAttention
//     -> the root is a BertModel, encoder a BertEncoder, layer.1 a BertLayer, ...
#ifndef ONNX_HIER_LIB_TREE_LEARNED_CLASSES_H_
#define ONNX_HIER_LIB_TREE_LEARNED_CLASSES_H_

#include "lib/owners/evidence.h"
#include "onnx_hier/annotation.h"
#include "onnx_hier/graph.h"
#include "onnx_hier/module_paths.h"

namespace onnx_hier {

// Adds them to evidence.classes, for modules of which the file does not name the class otherwise.
// Only nodes that say themselves where they are, and tags of which every part stands for one part
// of the module's path, are heard; a class counts if nearly all of these agree.
void LearnClasses(const Graph& graph, const ModulePaths& paths, const Assignments& assignments,
                  Evidence& evidence);

}  // namespace onnx_hier

#endif  // ONNX_HIER_LIB_TREE_LEARNED_CLASSES_H_
