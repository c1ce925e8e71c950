// SPDX-License-Identifier: Apache-2.0
#include "lib/onnx/wire_reader.h"

#include <algorithm>
#include <vector>

#include "absl/strings/str_cat.h"
#include "lib/base/status_macros.h"

namespace onnx_hier {
namespace {

// A tag, a length and a fixed 64-bit value fit into this many bytes.
constexpr uint64_t kLongestHeader = 24;
// Protobuf's own limit on nesting.
constexpr size_t kDeepestGroup = 100;

}  // namespace

absl::Status WireReader::Damaged(uint64_t at, absl::string_view what) const {
  return absl::DataLossError(absl::StrCat("byte ", at, ": ", what));
}

absl::Status WireReader::ReadVarint(uint64_t end, int longest, uint64_t* value) {
  const uint64_t start = position_;
  OH_RETURN_IF_ERROR(image_.Require(start, std::min(end, start + kLongestValue)));
  const char* data = image_.data();
  uint64_t result = 0;
  for (int i = 0; i < longest; ++i) {
    if (position_ >= end) return Damaged(start, "a number runs past the end of its message");
    const uint8_t byte = static_cast<uint8_t>(data[position_++]);
    result |= static_cast<uint64_t>(byte & 0x7F) << (7 * i);
    if ((byte & 0x80) == 0) {
      *value = result;
      return absl::OkStatus();
    }
  }
  return Damaged(start, "a number has too many bytes");
}

absl::Status WireReader::ReadAnyField(uint64_t end, Field* field) {
  field->start = position_;
  OH_RETURN_IF_ERROR(image_.Require(position_, std::min(end, position_ + kLongestHeader)));
  uint64_t tag = 0;
  OH_RETURN_IF_ERROR(ReadVarint(end, kLongestTag, &tag));
  // Like protobuf, drop what a five-byte tag holds above 32 bits.
  field->number = static_cast<uint32_t>(tag) >> 3;
  if (field->number == 0) return Damaged(field->start, "field number 0");
  switch (tag & 7) {
    case 0:
      field->type = WireType::kVarint;
      OH_RETURN_IF_ERROR(ReadVarint(end, kLongestValue, &field->value));
      break;
    case 1:
    case 5: {
      field->type = static_cast<WireType>(tag & 7);
      const uint64_t size = field->type == WireType::kFixed64 ? 8 : 4;
      if (end - position_ < size) return Damaged(field->start, "a value runs past its message");
      position_ += size;
      break;
    }
    case 2: {
      field->type = WireType::kBytes;
      const uint64_t length_at = position_;
      uint64_t length = 0;
      OH_RETURN_IF_ERROR(ReadVarint(end, kLongestTag, &length));
      if (length > end - position_) {
        missing_ = length - (end - position_);
        return Damaged(length_at, absl::StrCat("a length of ", length, " runs past the end (",
                                               end - position_, " bytes are left)"));
      }
      field->length_size = static_cast<uint8_t>(position_ - length_at);
      field->begin = position_;
      field->end = position_ + length;
      return absl::OkStatus();
    }
    case 3:
      field->type = WireType::kGroupBegin;
      OH_RETURN_IF_ERROR(SkipGroup(end, field->number));
      break;
    case 4:
      return Damaged(field->start, "the end of a group that never began");
    default:
      return Damaged(field->start, absl::StrCat("wire type ", tag & 7, " does not exist"));
  }
  field->end = position_;
  return absl::OkStatus();
}

absl::Status WireReader::SkipGroup(uint64_t end, uint32_t number) {
  const uint64_t start = position_;
  std::vector<uint32_t> open = {number};
  while (!open.empty()) {
    if (position_ >= end) return Damaged(start, "a group does not close");
    const uint64_t at = position_;
    uint64_t tag = 0;
    OH_RETURN_IF_ERROR(ReadVarint(end, kLongestTag, &tag));
    const uint32_t inner = static_cast<uint32_t>(tag) >> 3;
    if (inner == 0) return Damaged(at, "field number 0");
    if ((tag & 7) == static_cast<uint64_t>(WireType::kGroupEnd)) {
      if (inner != open.back()) return Damaged(at, "a group ends that was not the last to begin");
      open.pop_back();
    } else if ((tag & 7) == static_cast<uint64_t>(WireType::kGroupBegin)) {
      if (open.size() == kDeepestGroup) return Damaged(at, "groups nest too deeply");
      open.push_back(inner);
    } else {
      position_ = at;
      Field field;
      OH_RETURN_IF_ERROR(ReadField(end, &field));
      position_ = field.end;
    }
  }
  return absl::OkStatus();
}

}  // namespace onnx_hier
