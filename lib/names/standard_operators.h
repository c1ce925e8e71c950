// SPDX-License-Identifier: Apache-2.0

// The operators of the ONNX standard. Names are opaque to everything but the reading of names that
// optimisers made by appending one operator to another ("/attention/MatMul/MatMulAddFusion").
#ifndef ONNX_HIER_LIB_NAMES_STANDARD_OPERATORS_H_
#define ONNX_HIER_LIB_NAMES_STANDARD_OPERATORS_H_

#include "absl/strings/string_view.h"

namespace onnx_hier {

bool IsStandardOperator(absl::string_view name);

}  // namespace onnx_hier

#endif  // ONNX_HIER_LIB_NAMES_STANDARD_OPERATORS_H_
