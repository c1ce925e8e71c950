// SPDX-License-Identifier: Apache-2.0

// A small protobuf message that is in memory whole, field by field.
//
//   for (MessageFields fields(type_proto); fields.Next();) {
//     if (fields.number() == 1) ... fields.bytes() ...
//   }
//
// Ends at the first field that is damaged: whoever reads messages of a scanned model has had their
// outer form checked.
#ifndef ONNX_HIER_LIB_ONNX_MESSAGE_FIELDS_H_
#define ONNX_HIER_LIB_ONNX_MESSAGE_FIELDS_H_

#include <cstddef>
#include <cstdint>

#include "absl/strings/string_view.h"

namespace onnx_hier {

class MessageFields {
 public:
  explicit MessageFields(absl::string_view message) : rest_(message) {}

  // Moves to the next field. False: there is none.
  bool Next() { return TakeShort() || TakeAny(); }

  uint32_t number() const { return number_; }
  bool is_bytes() const { return is_bytes_; }
  absl::string_view bytes() const { return bytes_; }  // of a text or message; else ""
  uint64_t value() const { return value_; }           // of a number; else 0
  absl::string_view whole() const { return whole_; }  // the field with its tag and length
  // Once Next() has said no: whether that was the message's end, and nothing is left of it.
  bool at_end() const { return rest_.empty(); }
  absl::string_view rest() const { return rest_; }  // behind the field

 private:
  // Nearly all fields: a text or message of less than 16 KiB, with a number below 16.
  bool TakeShort() {
    const auto byte = [this](size_t i) { return static_cast<uint8_t>(rest_[i]); };
    constexpr uint8_t kBytesType = 2;
    if (rest_.size() < 3 || (byte(0) & 0x87) != kBytesType) return false;
    size_t length = byte(1);
    size_t begin = 2;
    if (length >= 0x80) {
      if (byte(2) >= 0x80) return false;
      length = (length & 0x7F) | size_t{byte(2)} << 7;
      begin = 3;
    }
    if (length > rest_.size() - begin) return false;
    number_ = byte(0) >> 3;
    is_bytes_ = true;
    bytes_ = rest_.substr(begin, length);
    whole_ = rest_.substr(0, begin + length);
    value_ = 0;
    rest_.remove_prefix(begin + length);
    return true;
  }
  bool TakeAny();
  bool Take();
  bool TakeBytes(uint64_t length);

  absl::string_view rest_;
  uint32_t number_ = 0;
  bool is_bytes_ = false;
  absl::string_view bytes_;
  absl::string_view whole_;
  uint64_t value_ = 0;
};

}  // namespace onnx_hier

#endif  // ONNX_HIER_LIB_ONNX_MESSAGE_FIELDS_H_
