// Attributes of nodes in a function that refer to those of the call, as one call gives them.
//
//   call:  F(x) {alpha = 0.5}      in F:  LeakyRelu(x) {alpha: refers to alpha}
//   ->     LeakyRelu(x) {alpha = 0.5}
#ifndef ONNX_HIER_LIB_EDITS_CALL_ATTRIBUTES_H_
#define ONNX_HIER_LIB_EDITS_CALL_ATTRIBUTES_H_

#include <vector>

#include "absl/status/status.h"
#include "absl/types/span.h"
#include "lib/edits/model_layout.h"
#include "lib/files/file_image.h"
#include "lib/onnx/scanner.h"
#include "onnx_hier/edits.h"

namespace onnx_hier {

// `nodes` are in the function that the last of `callers` calls, which is in the function that the
// one before it calls, and so on. What no call gives has the function's default; what has none is
// no attribute of the node.
absl::Status FillAttributes(const FileImage& image, const ScannedModel& model,
                            const ModelLayout& layout, absl::Span<const NodeId> callers,
                            std::vector<NodeId> nodes, Edits& edits);

}  // namespace onnx_hier

#endif  // ONNX_HIER_LIB_EDITS_CALL_ATTRIBUTES_H_
