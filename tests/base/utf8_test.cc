// SPDX-License-Identifier: Apache-2.0
#include "lib/base/utf8.h"

#include <string>
#include <unordered_set>

#include "doctest/doctest.h"

namespace onnx_hier {
namespace {

// RFC 3629 the other way round: the bytes of each character there is.
std::string Encode(uint32_t c) {
  const auto byte = [](uint32_t value) { return static_cast<char>(value); };
  if (c < 0x80) return {byte(c)};
  if (c < 0x800) return {byte(0xC0 | c >> 6), byte(0x80 | (c & 63))};
  if (c < 0x10000) {
    return {byte(0xE0 | c >> 12), byte(0x80 | (c >> 6 & 63)), byte(0x80 | (c & 63))};
  }
  return {byte(0xF0 | c >> 18), byte(0x80 | (c >> 12 & 63)), byte(0x80 | (c >> 6 & 63)),
          byte(0x80 | (c & 63))};
}

TEST_CASE("every character is as long as it is, with anything after it") {
  size_t wrong = 0;
  for (uint32_t c = 0; c <= 0x10FFFF; ++c) {
    if (c >= 0xD800 && c <= 0xDFFF) continue;
    const std::string text = Encode(c);
    if (Utf8CharLength(text) != text.size()) ++wrong;
    if (Utf8CharLength(text + "\xFF") != text.size()) ++wrong;
    if (text.size() > 1 && Utf8CharLength(text.substr(0, text.size() - 1)) != 0) ++wrong;
  }
  CHECK(wrong == 0);
}

TEST_CASE("up to three bytes, everything that is no character is refused") {
  std::unordered_set<std::string> characters;
  for (uint32_t c = 0; c <= 0xFFFF; ++c) {
    if (c < 0xD800 || c > 0xDFFF) characters.insert(Encode(c));
  }
  size_t wrong = 0;
  // A lead byte below 0x80 says all; of the last byte the borders of its ranges are enough.
  for (uint32_t start = 0x8000; start <= 0xFFFF; ++start) {
    for (uint32_t last : {0x00, 0x7F, 0x80, 0x8F, 0x90, 0x9F, 0xA0, 0xBF, 0xC0, 0xFF}) {
      const std::string text = {static_cast<char>(start >> 8), static_cast<char>(start),
                                static_cast<char>(last)};
      const bool two = characters.count(text.substr(0, 2)) > 0;
      const bool three = characters.count(text) > 0;
      if (Utf8CharLength(text) != (two ? 2u : three ? 3u : 0u)) ++wrong;
    }
  }
  CHECK(wrong == 0);
}

TEST_CASE("four bytes: the borders") {
  CHECK(Utf8CharLength("\xF0\x8F\xBF\xBF") == 0);  // overlong
  CHECK(Utf8CharLength("\xF0\x90\x80\x80") == 4);
  CHECK(Utf8CharLength("\xF4\x8F\xBF\xBF") == 4);
  CHECK(Utf8CharLength("\xF4\x90\x80\x80") == 0);  // above U+10FFFF
  CHECK(Utf8CharLength("\xF5\x80\x80\x80") == 0);
  CHECK(Utf8CharLength("\xF1\x80\x80\x7F") == 0);
}

TEST_CASE("a text is UTF-8 when all of it is") {
  CHECK(IsUtf8(""));
  CHECK(IsUtf8("Schicht \xC3\xA4\xE2\x82\xAC\xF0\x9F\x99\x82"));
  CHECK(IsUtf8(absl::string_view("a\0b", 3)));
  CHECK_FALSE(IsUtf8("good\x80"));
  CHECK_FALSE(IsUtf8("\xED\xA0\x80"));  // a surrogate
}

}  // namespace
}  // namespace onnx_hier
