// SPDX-License-Identifier: Apache-2.0

// Modules in two aligned lists of Python's, "['', 'blocks.0', 'linear']" and
// "['M', 'Block', 'aten.linear.default']", as torch and onnxscript store them.
#ifndef ONNX_HIER_LIB_NAMES_DIALECTS_MODULE_LISTS_H_
#define ONNX_HIER_LIB_NAMES_DIALECTS_MODULE_LISTS_H_

#include <cstddef>
#include <vector>

#include "absl/strings/string_view.h"
#include "lib/names/metadata_scope.h"

namespace onnx_hier {

// Whether torch made the module up where passes left a node without one (pytorch/pytorch#155816).
bool IsPseudoModule(absl::string_view name);

// None if the names are no list of more than `operators` items, which at its end are no modules.
std::vector<MetadataModule> ReadModuleLists(const MetadataTexts& texts, size_t operators);

}  // namespace onnx_hier

#endif  // ONNX_HIER_LIB_NAMES_DIALECTS_MODULE_LISTS_H_
