// SPDX-License-Identifier: Apache-2.0

// Reads protobuf's wire format from a FileImage, field by field, at a position that only grows.
//
// Wire format: https://protobuf.dev/programming-guides/encoding. What is refused is what the C++
// protobuf parser refuses: field number 0, wire types 6 and 7, tags and lengths of more than five
// bytes, values of more than ten, groups that do not close, anything that runs past its end.
#ifndef ONNX_HIER_LIB_ONNX_WIRE_READER_H_
#define ONNX_HIER_LIB_ONNX_WIRE_READER_H_

#include <algorithm>
#include <bit>
#include <cstdint>

#include "absl/status/status.h"
#include "absl/strings/string_view.h"
#include "lib/files/file_image.h"
#include "lib/onnx/short_header.h"

namespace onnx_hier {

enum class WireType : uint8_t {
  kVarint = 0,
  kFixed64 = 1,
  kBytes = 2,
  kGroupBegin = 3,
  kGroupEnd = 4,
  kFixed32 = 5,
};

// One field: where it starts and what it holds. For kBytes, [begin, end) are the contents, not
// read yet; for the others `value` is the number (groups have none and are already skipped).
struct Field {
  uint32_t number = 0;
  WireType type = WireType::kVarint;
  uint8_t length_size = 0;  // of kBytes: bytes of the length varint
  uint64_t start = 0;       // of the tag
  uint64_t begin = 0;
  uint64_t end = 0;  // one past the field
  uint64_t value = 0;

  bool Is(uint32_t field_number) const {
    return number == field_number && type == WireType::kBytes;
  }
  bool IsVarint(uint32_t field_number) const {
    return number == field_number && type == WireType::kVarint;
  }
};

class WireReader {
 public:
  explicit WireReader(FileImage& image) : image_(image) {}

  uint64_t position() const { return position_; }
  void set_position(uint64_t position) { position_ = position; }

  // Reads the field at the position, which must be before `end`, and moves to its contents if it
  // is kBytes, else past it.
  absl::Status ReadField(uint64_t end, Field* field) {
    if (ReadShortField(end, field)) return absl::OkStatus();
    return ReadAnyField(end, field);
  }

  // The contents of a kBytes field, loaded; moves past it.
  absl::Status ReadText(const Field& field, absl::string_view* text) {
    if (absl::Status status = image_.Require(field.begin, field.end); !status.ok()) return status;
    *text = image_.Text(field.begin, field.end);
    position_ = field.end;
    return absl::OkStatus();
  }

  // Moves past a field without reading its contents, if it has any.
  void Skip(const Field& field) { position_ = field.end; }

  // How far beyond `end` the contents reach for which ReadField() failed; 0: it failed otherwise.
  uint64_t missing() const { return missing_; }

  // One varint of a packed field.
  absl::Status ReadVarint(uint64_t end, uint64_t* value) {
    return ReadVarint(end, kLongestValue, value);
  }

 private:
  static constexpr int kLongestTag = 5;
  static constexpr int kLongestValue = 10;

  // Nine of ten fields of a graph, or a number below 128, bytes at hand. Doing those here halves
  // the time of walking a graph.
  bool ReadShortField(uint64_t end, Field* field) {
    if (position_ + ShortHeader::kMost > std::min(end, image_.readable_end())) return false;
    const char* const at = image_.data() + position_;
    if (ShortHeader header; ReadShortHeader(at, &header)) {
      if (header.length > end - position_ - header.size()) return false;
      field->number = header.number;
      field->type = WireType::kBytes;
      field->length_size = header.length_size;
      field->start = position_;
      field->begin = position_ + header.size();
      field->end = field->begin + header.length;
      position_ = field->begin;
      return true;
    }
    const auto tag = static_cast<uint8_t>(at[0]);
    const auto value = static_cast<uint8_t>(at[1]);
    if (tag < 8 || (tag & 0x87) != static_cast<uint8_t>(WireType::kVarint) || value >= 0x80) {
      return false;
    }
    field->number = tag >> 3;
    field->type = WireType::kVarint;
    field->value = value;
    field->start = position_;
    position_ = field->end = position_ + 2;
    return true;
  }

  absl::Status ReadAnyField(uint64_t end, Field* field);
  absl::Status ReadVarint(uint64_t end, int longest, uint64_t* value);
  absl::Status SkipGroup(uint64_t end, uint32_t number);
  absl::Status Damaged(uint64_t at, absl::string_view what) const;

  FileImage& image_;
  uint64_t position_ = 0;
  uint64_t missing_ = 0;
};

// Bytes of the shortest varint for `value`.
inline int VarintSize(uint64_t value) {
  // Seven bits a byte: for 1 to 64 bits this is the same as dividing, without dividing.
  return (static_cast<int>(std::bit_width(value | 1)) * 9 + 64) / 64;
}

// Takes a varint from the front of bytes that are in memory. False: there is no whole one.
inline bool TakeVarint(absl::string_view* bytes, uint64_t* value) {
  *value = 0;
  for (uint32_t shift = 0; shift < 64 && !bytes->empty(); shift += 7) {
    const auto byte = static_cast<uint8_t>(bytes->front());
    bytes->remove_prefix(1);
    *value |= uint64_t{byte & 0x7Fu} << shift;
    if (byte < 0x80) return true;
  }
  return false;
}

// Writes `value` as a varint of at least `width` bytes; returns one past the last byte.
inline char* WriteVarint(uint64_t value, int width, char* out) {
  for (--width; value >= 0x80 || width > 0; --width) {
    *out++ = static_cast<char>((value & 0x7F) | 0x80);
    value >>= 7;
  }
  *out++ = static_cast<char>(value);
  return out;
}

}  // namespace onnx_hier

#endif  // ONNX_HIER_LIB_ONNX_WIRE_READER_H_
