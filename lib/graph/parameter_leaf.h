// SPDX-License-Identifier: Apache-2.0

// A parameter's own name in the module that holds it: "weight" of "encoder.fc.weight".
#ifndef ONNX_HIER_LIB_GRAPH_PARAMETER_LEAF_H_
#define ONNX_HIER_LIB_GRAPH_PARAMETER_LEAF_H_

#include "absl/strings/string_view.h"

namespace onnx_hier {

inline absl::string_view LeafOfParameterName(absl::string_view name) {
  return name.substr(name.rfind('.') + 1);
}

}  // namespace onnx_hier

#endif  // ONNX_HIER_LIB_GRAPH_PARAMETER_LEAF_H_
