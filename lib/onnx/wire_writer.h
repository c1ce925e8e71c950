// SPDX-License-Identifier: Apache-2.0

// Writes protobuf's wire format: fields, one behind the other, are a message.
//
//   std::string entry;
//   AppendField(schema::string_entry::kKey, "author", &entry);
//   AppendField(schema::string_entry::kValue, "nobody", &entry);
#ifndef ONNX_HIER_LIB_ONNX_WIRE_WRITER_H_
#define ONNX_HIER_LIB_ONNX_WIRE_WRITER_H_

#include <cstdint>
#include <string>

#include "absl/strings/string_view.h"
#include "lib/onnx/wire_reader.h"

namespace onnx_hier {

inline void AppendVarint(uint64_t value, std::string* out) {
  char bytes[10];
  out->append(bytes, static_cast<size_t>(WriteVarint(value, 1, bytes) - bytes));
}

// A text, bytes or a message.
inline void AppendField(uint32_t number, absl::string_view contents, std::string* out) {
  char header[20];
  char* const length =
      WriteVarint(uint64_t{number} << 3 | static_cast<uint64_t>(WireType::kBytes), 1, header);
  out->append(header, static_cast<size_t>(WriteVarint(contents.size(), 1, length) - header));
  out->append(contents.data(), contents.size());
}

inline void AppendNumber(uint32_t number, int64_t value, std::string* out) {
  AppendVarint(uint64_t{number} << 3 | static_cast<uint64_t>(WireType::kVarint), out);
  AppendVarint(static_cast<uint64_t>(value), out);
}

}  // namespace onnx_hier

#endif  // ONNX_HIER_LIB_ONNX_WIRE_WRITER_H_
