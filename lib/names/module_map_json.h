// SPDX-License-Identifier: Apache-2.0

// The JSON forms of a module map.
#ifndef ONNX_HIER_LIB_NAMES_MODULE_MAP_JSON_H_
#define ONNX_HIER_LIB_NAMES_MODULE_MAP_JSON_H_

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "onnx_hier/module_paths.h"

namespace onnx_hier {

// {"encoder.layer.1": "package.BertLayer", ...}, or objects with "class_name" nested in any way,
// each with its qualified name under "scope"; without one, the keys on the way to it make the
// name ("modules" and "children" are no names). Sorted by qualified name.
absl::StatusOr<ModuleMap> ParseModuleMap(absl::string_view text);

}  // namespace onnx_hier

#endif  // ONNX_HIER_LIB_NAMES_MODULE_MAP_JSON_H_
