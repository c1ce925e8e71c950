// SPDX-License-Identifier: Apache-2.0
#include "lib/onnx/plain_node.h"

#include "lib/base/hash.h"
#include "lib/onnx/schema.h"
#include "lib/onnx/wire_reader.h"

namespace onnx_hier {
namespace {

// A field as it lies in a message.
struct Piece {
  uint32_t number = 0;
  WireType type = WireType::kVarint;
  const char* start = nullptr;  // of the tag
  const char* begin = nullptr;  // of the contents of kBytes
  const char* end = nullptr;

  absl::string_view text() const { return Between(begin, end); }
  absl::string_view whole() const { return Between(start, end); }

 private:
  static absl::string_view Between(const char* from, const char* to) {
    return absl::string_view(from, static_cast<size_t>(to - from));
  }
};

// Takes one field after the other off a message. Nothing is read beyond its end.
class FieldPieces {
 public:
  explicit FieldPieces(absl::string_view bytes) : at_(bytes.data()), end_(at_ + bytes.size()) {}

  bool done() const { return at_ == end_; }

  // False: damaged, or of a kind that is not plain.
  bool Next(Piece* piece) {
    piece->start = at_;
    uint32_t tag;
    if (!TakeShort(&tag) || tag < 8) return false;
    piece->number = tag >> 3;
    piece->type = static_cast<WireType>(tag & 7);
    switch (piece->type) {
      case WireType::kBytes: {
        uint32_t length;
        if (!TakeShort(&length) || length > left()) return false;
        piece->begin = at_;
        at_ += length;
        break;
      }
      case WireType::kVarint:
        if (!SkipVarint()) return false;
        break;
      case WireType::kFixed32:
        if (left() < 4) return false;
        at_ += 4;
        break;
      default:
        return false;
    }
    piece->end = at_;
    return true;
  }

 private:
  static constexpr int kLongestValue = 10;

  uint64_t left() const { return static_cast<uint64_t>(end_ - at_); }

  // A number of at most two bytes.
  bool TakeShort(uint32_t* number) {
    if (at_ == end_) return false;
    *number = static_cast<uint8_t>(*at_++);
    if (*number < 0x80) return true;
    if (at_ == end_ || static_cast<uint8_t>(*at_) >= 0x80) return false;
    *number = (*number & 0x7F) | static_cast<uint32_t>(static_cast<uint8_t>(*at_++)) << 7;
    return true;
  }

  bool SkipVarint() {
    for (int i = 0; i < kLongestValue && at_ != end_; ++i) {
      if (static_cast<uint8_t>(*at_++) < 0x80) return true;
    }
    return false;
  }

  const char* at_;
  const char* end_;
};

bool ReadAttribute(const Piece& field, const char* node_begin, PlainNode* node) {
  const absl::string_view contents = field.text();
  const bool is_short = contents.size() <= kHashedBytes;
  uint64_t hash = 0;
  FieldPieces pieces(contents);
  Piece piece;
  while (!pieces.done()) {
    if (!pieces.Next(&piece)) return false;
    if (!is_short) hash = HashField(hash, piece.number, piece.whole());
    if (piece.type != WireType::kBytes) continue;
    switch (piece.number) {
      case schema::attribute::kTensor:
        if (node->has_tensor) return false;
        node->has_tensor = true;
        node->tensor_begin = static_cast<uint64_t>(piece.begin - node_begin);
        node->tensor_end = static_cast<uint64_t>(piece.end - node_begin);
        break;
      case schema::attribute::kGraph:
      case schema::attribute::kGraphs:
      case schema::attribute::kTensors:
      case schema::attribute::kSparseTensor:
      case schema::attribute::kSparseTensors:
        return false;
      default:
        break;
    }
  }
  node->attribute_hash += is_short ? HashAttribute(contents) : hash;
  return true;
}

bool ReadEntry(const Piece& field, StringPair* pair) {
  FieldPieces pieces(field.text());
  Piece piece;
  while (!pieces.done()) {
    if (!pieces.Next(&piece) || piece.type != WireType::kBytes) return false;
    if (piece.number == schema::string_entry::kKey) pair->key = piece.text();
    if (piece.number == schema::string_entry::kValue) pair->value = piece.text();
  }
  return true;
}

void Clear(uint64_t size, PlainNode* node) {
  node->name = node->op_type = node->domain = node->overload = node->doc_string = "";
  node->inputs.clear();
  node->outputs.clear();
  node->metadata.clear();
  node->attribute_hash = 0;
  node->doc_at = size;
  node->has_name = node->has_doc = node->has_tensor = false;
}

bool TakeField(const Piece& field, const char* begin, PlainNode* node) {
  switch (field.number) {
    case schema::node::kInput:
      node->inputs.push_back(field.text());
      return true;
    case schema::node::kOutput:
      node->outputs.push_back(field.text());
      return true;
    case schema::node::kName:
      node->name = field.text();
      node->has_name = true;
      return true;
    case schema::node::kOpType:
      node->op_type = field.text();
      return true;
    case schema::node::kDomain:
      node->domain = field.text();
      return true;
    case schema::node::kOverload:
      node->overload = field.text();
      return true;
    case schema::node::kAttribute:
      return ReadAttribute(field, begin, node);
    case schema::node::kMetadataProps:
      return ReadEntry(field, &node->metadata.emplace_back());
    case schema::node::kDocString:
      if (node->has_doc) return false;
      node->has_doc = true;
      node->doc_string = field.text();
      node->doc_at = static_cast<uint64_t>(field.start - begin);
      node->doc_end = static_cast<uint64_t>(field.end - begin);
      return true;
    default:
      return false;
  }
}

}  // namespace

bool ReadPlainNode(absl::string_view bytes, PlainNode* node) {
  Clear(bytes.size(), node);
  FieldPieces pieces(bytes);
  Piece field;
  while (!pieces.done()) {
    if (!pieces.Next(&field) || field.type != WireType::kBytes) return false;
    // The serializer writes fields by number: a doc_string goes before the first one above it.
    if (field.number > schema::node::kDocString && node->doc_at == bytes.size() && !node->has_doc) {
      node->doc_at = static_cast<uint64_t>(field.start - bytes.data());
    }
    if (!TakeField(field, bytes.data(), node)) return false;
  }
  return true;
}

}  // namespace onnx_hier
