// What the edits of doc_strings change in the file.
#ifndef ONNX_HIER_LIB_ONNX_DOC_CHANGES_H_
#define ONNX_HIER_LIB_ONNX_DOC_CHANGES_H_

#include <cstdint>
#include <vector>

#include "absl/strings/string_view.h"
#include "lib/onnx/scanner.h"
#include "lib/onnx/splices.h"

namespace onnx_hier {

// What a node's doc_string becomes.
struct DocEdit {
  NodeId node;
  bool present = true;  // false: the node is to have no doc_string
  absl::string_view text;
};

// The bytes of the doc_string field of `node` in the file, of several the last one's; 0 if there is
// none.
uint64_t DocFieldSize(const ScannedModel& model, NodeId node);

// `edits` in ascending node order, at most one a node; their texts must outlive the result.
std::vector<Change> DocChanges(const ScannedModel& model, const std::vector<DocEdit>& edits);

}  // namespace onnx_hier

#endif  // ONNX_HIER_LIB_ONNX_DOC_CHANGES_H_
