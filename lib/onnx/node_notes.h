// A node without its name, doc_string and metadata: what it computes, and what is said of it.
//
//   const NodeParts parts = SplitNotes(node_proto);
//   JoinNotes(parts.bare, parts.notes) == node_proto
#ifndef ONNX_HIER_LIB_ONNX_NODE_NOTES_H_
#define ONNX_HIER_LIB_ONNX_NODE_NOTES_H_

#include <string>

#include "absl/strings/string_view.h"

namespace onnx_hier {

struct NodeParts {
  std::string bare;
  std::string notes;  // those fields
};

// Of a node whose fields do not stand in the order of their numbers, as serializers write them, all
// is bare.
NodeParts SplitNotes(absl::string_view node);
std::string JoinNotes(absl::string_view bare, absl::string_view notes);

}  // namespace onnx_hier

#endif  // ONNX_HIER_LIB_ONNX_NODE_NOTES_H_
