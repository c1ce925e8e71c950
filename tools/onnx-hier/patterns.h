// Patterns that mean modules, as commands take them.
#ifndef ONNX_HIER_TOOLS_PATTERNS_H_
#define ONNX_HIER_TOOLS_PATTERNS_H_

#include <string>

#include "absl/strings/string_view.h"
#include "onnx_hier/hierarchy.h"

namespace onnx_hier::cli {

// "no module is 'encodr.layer.0'; did you mean /encoder/layer.0, ...?"
std::string NoSuchModule(const Hierarchy& hierarchy, absl::string_view pattern);

}  // namespace onnx_hier::cli

#endif  // ONNX_HIER_TOOLS_PATTERNS_H_
