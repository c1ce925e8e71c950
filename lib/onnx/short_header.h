// SPDX-License-Identifier: Apache-2.0

// Nearly all fields: texts and messages of less than 16 KiB with numbers below 16.
#ifndef ONNX_HIER_LIB_ONNX_SHORT_HEADER_H_
#define ONNX_HIER_LIB_ONNX_SHORT_HEADER_H_

#include <cstdint>

namespace onnx_hier {

// What stands in front of the contents.
struct ShortHeader {
  static constexpr uint32_t kMost = 3;  // bytes that are looked at

  uint32_t number = 0;
  uint8_t length_size = 1;  // bytes of the length, behind one of the tag
  uint32_t length = 0;      // of the contents

  uint32_t size() const { return 1u + length_size; }
};

// Of the field at `at`, where there are kMost bytes. False: it is another one, or damaged.
inline bool ReadShortHeader(const char* at, ShortHeader* header) {
  constexpr uint8_t kBytesType = 2;
  const auto byte = [at](int i) { return static_cast<uint8_t>(at[i]); };
  if (byte(0) < 8 || (byte(0) & 0x87) != kBytesType) return false;
  header->number = byte(0) >> 3;
  header->length = byte(1);
  if (header->length < 0x80) return true;
  if (byte(2) >= 0x80) return false;
  header->length = (header->length & 0x7F) | uint32_t{byte(2)} << 7;
  header->length_size = 2;
  return true;
}

}  // namespace onnx_hier

#endif  // ONNX_HIER_LIB_ONNX_SHORT_HEADER_H_
