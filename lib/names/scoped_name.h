// SPDX-License-Identifier: Apache-2.0

// Module paths from the components of scopes, as torch prints them and many do like it:
//
//   encoder/layer.1/attention    a component may end in numbers: encoder.layer.1.attention
//   layer1/layer1.0/conv1        a called container repeats itself in its members: layer1.0.conv1
#ifndef ONNX_HIER_LIB_NAMES_SCOPED_NAME_H_
#define ONNX_HIER_LIB_NAMES_SCOPED_NAME_H_

#include <string>

#include "absl/strings/string_view.h"
#include "absl/types/span.h"
#include "onnx_hier/ids.h"
#include "onnx_hier/module_paths.h"

namespace onnx_hier {

// Adds one component as an exporter prints it below `parent`.
PathId AppendComponent(absl::string_view component, PathId parent, ModulePaths& paths);
// Adds the components of "a/b.0/c" below `parent`; empty components count for nothing.
PathId AppendComponents(absl::string_view components, PathId parent, ModulePaths& paths);

// The module of those names inside of `around`, the last name first; none if there is none.
PathId FindInside(PathId around, absl::Span<const absl::string_view> names,
                  const ModulePaths& paths);

// "model.layers.0.mlp" -> "/model/layers.0/mlp": how exporters write modules that stand in a row,
// with `separator` between them. Members of a list are written with it, calls are counted: "0_1".
std::string ScopeOfModules(absl::string_view modules, absl::string_view separator);

// From a tag as ModulePaths::Tag() writes it: "/layer1/layer1.0" is layer1.layer1.0 here, for no
// exporter stands between.
PathId PathOfTag(absl::string_view tag, ModulePaths& paths);

}  // namespace onnx_hier

#endif  // ONNX_HIER_LIB_NAMES_SCOPED_NAME_H_
