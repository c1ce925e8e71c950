// SPDX-License-Identifier: Apache-2.0

// Which nodes have a reason that is worth a word; for the words see ReasonText().
#ifndef ONNX_HIER_LIB_TAGS_REASON_TEXT_H_
#define ONNX_HIER_LIB_TAGS_REASON_TEXT_H_

#include "onnx_hier/annotation.h"

namespace onnx_hier {

// Metadata, functions, and names that leave no doubt speak for themselves: ReasonText() is "".
inline bool HasReason(const Assignment& assignment) {
  if (assignment.retreat != Retreat::kNone) return true;
  switch (assignment.method) {
    case Method::kNodeName:
    case Method::kValueName:
      return assignment.confidence < 1;
    case Method::kMetadata:
    case Method::kFunction:
      return false;
    default:
      return true;
  }
}

}  // namespace onnx_hier

#endif  // ONNX_HIER_LIB_TAGS_REASON_TEXT_H_
