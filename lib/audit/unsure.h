// SPDX-License-Identifier: Apache-2.0

// Which owners are looked at again.
#ifndef ONNX_HIER_LIB_AUDIT_UNSURE_H_
#define ONNX_HIER_LIB_AUDIT_UNSURE_H_

#include "lib/audit/thresholds.h"
#include "lib/tags/method_name.h"
#include "onnx_hier/annotation.h"

namespace onnx_hier {

// Whether the node itself says where it is, by a name, its metadata, its parameters, the function
// that it is in, or what it stands for in the model that its own was made from.
inline bool SaysItself(const Assignment& assignment) {
  return IsByName(assignment.method) || IsTransfer(assignment.method);
}

inline bool IsUnsure(const Assignment& assignment) {
  return !SaysItself(assignment) && assignment.confidence < kSure;
}

}  // namespace onnx_hier

#endif  // ONNX_HIER_LIB_AUDIT_UNSURE_H_
