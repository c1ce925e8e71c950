// SPDX-License-Identifier: Apache-2.0

// A node's two parts: what it computes, and what is said of it.
//
//   std::string bare, notes;
//   AppendPart(node_proto, NodePart::kBare, &bare);
//   AppendPart(node_proto, NodePart::kNotes, &notes);
//   JoinNotes(bare, notes) == node_proto   // if its fields stand in the order of their numbers
#ifndef ONNX_HIER_LIB_ONNX_NODE_NOTES_H_
#define ONNX_HIER_LIB_ONNX_NODE_NOTES_H_

#include <cstdint>
#include <string>

#include "absl/strings/string_view.h"
#include "lib/onnx/message_fields.h"

namespace onnx_hier {

enum class NodePart : uint8_t {
  kBare,
  kNotes,  // name, doc_string and metadata
  kWhole,  // both
};

// kBare or kNotes, of a field of a NodeProto.
NodePart PartOf(const MessageFields& field);

void AppendPart(absl::string_view node, NodePart part, std::string* out);
std::string JoinNotes(absl::string_view bare, absl::string_view notes);

// Whether the fields stand in the order of their numbers, as serializers write them, and none of
// another wire type has the number of a note.
bool HasFieldsInOrder(absl::string_view node);

}  // namespace onnx_hier

#endif  // ONNX_HIER_LIB_ONNX_NODE_NOTES_H_
