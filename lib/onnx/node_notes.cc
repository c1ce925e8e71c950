#include "lib/onnx/node_notes.h"

#include "lib/onnx/message_fields.h"
#include "lib/onnx/schema.h"

namespace onnx_hier {
namespace {

void Append(absl::string_view field, std::string* out) { out->append(field.data(), field.size()); }

}  // namespace

NodePart PartOf(uint32_t field) {
  const bool is_note = field == schema::node::kName || field == schema::node::kDocString ||
                       field == schema::node::kMetadataProps;
  return is_note ? NodePart::kNotes : NodePart::kBare;
}

void AppendPart(absl::string_view node, NodePart part, std::string* out) {
  for (MessageFields field(node); field.Next();) {
    if (PartOf(field.number()) == part) Append(field.whole(), out);
  }
}

bool HasFieldsInOrder(absl::string_view node) {
  uint32_t last = 0;
  for (MessageFields field(node); field.Next();) {
    if (field.number() < last) return false;
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
