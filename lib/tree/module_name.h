// SPDX-License-Identifier: Apache-2.0

// What a module is called where those around it are known.
#ifndef ONNX_HIER_LIB_TREE_MODULE_NAME_H_
#define ONNX_HIER_LIB_TREE_MODULE_NAME_H_

#include <string>

#include "onnx_hier/annotation.h"

namespace onnx_hier {

// Its name below the module around it: "layer.0"; "/" for the root.
inline std::string NameInParent(const Annotation& annotation, ModuleId id) {
  std::string tag = annotation.Tag(id);
  const ModuleId parent = annotation.modules.module(id).parent;
  if (!parent.valid()) return tag;
  const std::string around = annotation.Tag(parent);
  // The root's own slash is the one between them.
  return tag.substr(around == "/" ? 1 : around.size() + 1);
}

}  // namespace onnx_hier

#endif  // ONNX_HIER_LIB_TREE_MODULE_NAME_H_
