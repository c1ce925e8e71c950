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

#include <cstdint>

#include "absl/strings/string_view.h"
#include "lib/onnx/short_header.h"

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
  bool TakeShort() {
    ShortHeader header;
    if (rest_.size() < ShortHeader::kMost || !ReadShortHeader(rest_.data(), &header)) return false;
    if (header.length > rest_.size() - header.size()) return false;
    number_ = header.number;
    is_bytes_ = true;
    bytes_ = rest_.substr(header.size(), header.length);
    whole_ = rest_.substr(0, header.size() + header.length);
    value_ = 0;
    rest_.remove_prefix(whole_.size());
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
