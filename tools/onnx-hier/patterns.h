// SPDX-License-Identifier: Apache-2.0

// Patterns that mean modules, as commands take them.
#ifndef ONNX_HIER_TOOLS_PATTERNS_H_
#define ONNX_HIER_TOOLS_PATTERNS_H_

#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "absl/types/span.h"
#include "onnx_hier/hierarchy.h"

namespace onnx_hier::cli {

// "; nearest: /encoder/layer.0, ...": the modules that are most like a pattern which means none.
std::string NearestModules(const Hierarchy& hierarchy, absl::string_view pattern);
// "no module is meant by 'encodr.layer.0'; nearest: ..."
std::string NoSuchModule(const Hierarchy& hierarchy, absl::string_view pattern);

// The modules that the patterns mean together, in the tree's order, each once. kNotFound: one of
// them means none. kInvalidArgument: one cannot be read, or takes away.
absl::StatusOr<std::vector<ModuleId>> FindModules(const Hierarchy& hierarchy,
                                                  absl::Span<const std::string> patterns);

// Of modules in the tree's order, those that are in none of the others.
std::vector<ModuleId> WithoutInner(const Hierarchy& hierarchy, absl::Span<const ModuleId> modules);

}  // namespace onnx_hier::cli

#endif  // ONNX_HIER_TOOLS_PATTERNS_H_
