#include "lib/onnx/node_notes.h"

#include <cstdint>

#include "lib/onnx/message_fields.h"
#include "lib/onnx/schema.h"

namespace onnx_hier {
namespace {

bool IsNote(uint32_t field) {
  return field == schema::node::kName || field == schema::node::kDocString ||
         field == schema::node::kMetadataProps;
}

void Append(absl::string_view field, std::string* out) { out->append(field.data(), field.size()); }

}  // namespace

NodeParts SplitNotes(absl::string_view node) {
  NodeParts parts;
  uint32_t last = 0;
  MessageFields fields(node);
  while (fields.Next()) {
    if (fields.number() < last) return {std::string(node), ""};
    last = fields.number();
    Append(fields.whole(), IsNote(last) ? &parts.notes : &parts.bare);
  }
  if (!fields.at_end()) return {std::string(node), ""};
  return parts;
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
