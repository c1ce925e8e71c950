// SPDX-License-Identifier: Apache-2.0

// What modules do, as their operators tell where no class does: "norm", "attention", "activation".
#ifndef ONNX_HIER_LIB_TREE_MODULE_ROLES_H_
#define ONNX_HIER_LIB_TREE_MODULE_ROLES_H_

#include "absl/strings/string_view.h"
#include "onnx_hier/hierarchy.h"
#include "onnx_hier/ids.h"

namespace onnx_hier {

bool IsRole(absl::string_view name);

// By module; "": none of these.
//   norm        it holds no other module, and normalises: in one operator (LayerNormalization, ...)
//               or written out, by a mean and a root, and multiplies no matrix
//   activation  it holds no other module and no parameter, and computes element by element
//   attention   the innermost module around a softmax between two products of matrices, or around
//               an operator that is all of these
IdVector<ModuleId, absl::string_view> FindRoles(const Hierarchy& hierarchy);

}  // namespace onnx_hier

#endif  // ONNX_HIER_LIB_TREE_MODULE_ROLES_H_
