// SPDX-License-Identifier: Apache-2.0
#include "lib/onnx/node_notes.h"

#include "lib/onnx/schema.h"

namespace onnx_hier {
namespace {

void Append(absl::string_view field, std::string* out) { out->append(field.data(), field.size()); }

bool HasNumberOfNote(const MessageFields& field) {
  return field.number() == schema::node::kName || field.number() == schema::node::kDocString ||
         field.number() == schema::node::kMetadataProps;
}

}  // namespace

NodePart PartOf(const MessageFields& field) {
  return HasNumberOfNote(field) && field.is_bytes() ? NodePart::kNotes : NodePart::kBare;
}

void AppendPart(absl::string_view node, NodePart part, std::string* out) {
  for (MessageFields field(node); field.Next();) {
    if (PartOf(field) == part) Append(field.whole(), out);
  }
}

bool HasFieldsInOrder(absl::string_view node) {
  uint32_t last = 0;
  for (MessageFields field(node); field.Next();) {
    // A field of another wire type is an unknown one, and would come before a note of its number.
    if (field.number() < last || (HasNumberOfNote(field) && !field.is_bytes())) return false;
    last = field.number();
  }
  return true;
}

std::string JoinNotes(absl::string_view bare, absl::string_view notes) {
  if (notes.empty()) return std::string(bare);
  std::string node;
  node.reserve(bare.size() + notes.size());
  MessageFields note(notes);
  bool has_note = note.Next();
  for (MessageFields field(bare); field.Next();) {
    for (; has_note && note.number() < field.number(); has_note = note.Next()) {
      Append(note.whole(), &node);
    }
    Append(field.whole(), &node);
  }
  for (; has_note; has_note = note.Next()) Append(note.whole(), &node);
  return node;
}

}  // namespace onnx_hier
