// SPDX-License-Identifier: Apache-2.0
#include "lib/onnx/message_fields.h"

#include "lib/onnx/wire_reader.h"

namespace onnx_hier {

bool MessageFields::TakeAny() {
  const absl::string_view before = rest_;
  if (!Take()) {
    rest_ = before;
    return false;
  }
  whole_ = before.substr(0, before.size() - rest_.size());
  return true;
}

bool MessageFields::Take() {
  uint64_t tag = 0;
  if (!TakeVarint(&rest_, &tag)) return false;
  number_ = static_cast<uint32_t>(tag >> 3);
  const auto type = static_cast<WireType>(tag & 7);
  is_bytes_ = type == WireType::kBytes;
  bytes_ = "";
  value_ = 0;
  switch (type) {
    case WireType::kVarint:
      return TakeVarint(&rest_, &value_);
    case WireType::kBytes: {
      uint64_t length = 0;
      return TakeVarint(&rest_, &length) && TakeBytes(length);
    }
    case WireType::kFixed64:
      return TakeBytes(8);
    case WireType::kFixed32:
      return TakeBytes(4);
    case WireType::kGroupBegin:
    case WireType::kGroupEnd:
      return false;
  }
  return false;
}

bool MessageFields::TakeBytes(uint64_t length) {
  if (length > rest_.size()) return false;
  if (is_bytes_) bytes_ = rest_.substr(0, length);
  rest_.remove_prefix(length);
  return true;
}

}  // namespace onnx_hier
