// SPDX-License-Identifier: Apache-2.0

// UTF-8 as RFC 3629 defines it: no overlong forms, no surrogates, nothing above U+10FFFF.
#ifndef ONNX_HIER_LIB_BASE_UTF8_H_
#define ONNX_HIER_LIB_BASE_UTF8_H_

#include <cstddef>
#include <cstdint>
#include <string>

#include "absl/strings/string_view.h"
#include "lib/base/load_word.h"

namespace onnx_hier {

inline constexpr absl::string_view kReplacementCharacter = "\xEF\xBF\xBD";  // U+FFFD

// The length of the character at the start of `text` (not empty), or 0 if the bytes are not UTF-8.
inline size_t Utf8CharLength(absl::string_view text) {
  const auto byte = [&](size_t i) { return static_cast<uint8_t>(text[i]); };
  const auto continues = [&](size_t i) { return i < text.size() && (byte(i) & 0xC0) == 0x80; };
  const uint8_t lead = byte(0);
  if (lead < 0x80) return 1;
  if (lead < 0xC2 || lead > 0xF4 || !continues(1)) return 0;
  if (lead < 0xE0) return 2;
  if (!continues(2)) return 0;
  if (lead < 0xF0) {
    if (lead == 0xE0 && byte(1) < 0xA0) return 0;
    if (lead == 0xED && byte(1) > 0x9F) return 0;
    return 3;
  }
  if (!continues(3)) return 0;
  if (lead == 0xF0 && byte(1) < 0x90) return 0;
  if (lead == 0xF4 && byte(1) > 0x8F) return 0;
  return 4;
}

inline bool IsUtf8(absl::string_view text) {
  while (!text.empty()) {
    const auto word = [&](size_t at) { return LoadWord<uint64_t>(text.data() + at); };
    if (text.size() >= 16 && ((word(0) | word(8)) & 0x8080808080808080u) == 0) {
      text.remove_prefix(16);  // ASCII
      continue;
    }
    const size_t length = Utf8CharLength(text);
    if (length == 0) return false;
    text.remove_prefix(length);
  }
  return true;
}

// Of a code point of at most U+10FFFF.
inline void AppendUtf8(uint32_t code, std::string* out) {
  const auto put = [out](uint32_t byte) { out->push_back(static_cast<char>(byte)); };
  if (code < 0x80) {
    put(code);
  } else if (code < 0x800) {
    put(0xC0 | code >> 6);
    put(0x80 | (code & 0x3F));
  } else if (code < 0x10000) {
    put(0xE0 | code >> 12);
    put(0x80 | (code >> 6 & 0x3F));
    put(0x80 | (code & 0x3F));
  } else {
    put(0xF0 | code >> 18);
    put(0x80 | (code >> 12 & 0x3F));
    put(0x80 | (code >> 6 & 0x3F));
    put(0x80 | (code & 0x3F));
  }
}

// What JSON says of the text: bytes that are not UTF-8 stand as U+FFFD.
inline std::string ReplaceNonUtf8(absl::string_view text) {
  std::string replaced;
  while (!text.empty()) {
    const size_t length = Utf8CharLength(text);
    const absl::string_view character =
        length == 0 ? kReplacementCharacter : text.substr(0, length);
    replaced.append(character.data(), character.size());
    text.remove_prefix(length == 0 ? 1 : length);
  }
  return replaced;
}

}  // namespace onnx_hier

#endif  // ONNX_HIER_LIB_BASE_UTF8_H_
