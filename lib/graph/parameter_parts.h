// SPDX-License-Identifier: Apache-2.0

// The name of a parameter that frameworks gave, in its two parts.
#ifndef ONNX_HIER_LIB_GRAPH_PARAMETER_PARTS_H_
#define ONNX_HIER_LIB_GRAPH_PARAMETER_PARTS_H_

#include <cstddef>

#include "absl/strings/string_view.h"

namespace onnx_hier {

// "encoder.fc" of "encoder.fc.weight"; "": the root.
inline absl::string_view ModuleOfParameterName(absl::string_view name) {
  const size_t dot = name.rfind('.');
  return dot == absl::string_view::npos ? absl::string_view() : name.substr(0, dot);
}
// "weight": its own in the module that holds it.
inline absl::string_view LeafOfParameterName(absl::string_view name) {
  return name.substr(name.rfind('.') + 1);
}

}  // namespace onnx_hier

#endif  // ONNX_HIER_LIB_GRAPH_PARAMETER_PARTS_H_
