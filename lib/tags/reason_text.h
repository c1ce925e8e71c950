// Which nodes have a reason that is worth a word; for the words see ReasonText().
#ifndef ONNX_HIER_LIB_TAGS_REASON_TEXT_H_
#define ONNX_HIER_LIB_TAGS_REASON_TEXT_H_

#include "onnx_hier/annotation.h"

namespace onnx_hier {

// Names, metadata and functions speak for themselves: ReasonText() is "".
inline bool HasReason(const Assignment& assignment) {
  if (assignment.retreat != Retreat::kNone) return true;
  switch (assignment.method) {
    case Method::kMetadata:
    case Method::kNodeName:
    case Method::kValueName:
    case Method::kFunction:
      return false;
    default:
      return true;
  }
}

}  // namespace onnx_hier

#endif  // ONNX_HIER_LIB_TAGS_REASON_TEXT_H_
