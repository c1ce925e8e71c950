// SPDX-License-Identifier: Apache-2.0
#include "onnx_hier_program/json_text.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <cstring>

#include "absl/base/casts.h"
#include "absl/numeric/bits.h"
#include "absl/strings/numbers.h"
#include "absl/strings/str_format.h"
#include "lib/base/load_word.h"
#include "lib/base/utf8.h"

namespace onnx_hier {
namespace {

// Bytes that cannot stand in a JSON string as they are, and those that begin a longer character.
constexpr std::array<bool, 256> MakeSpecial() {
  std::array<bool, 256> special{};
  for (size_t c = 0; c < 0x20; ++c) special[c] = true;
  for (size_t c = 0x7F; c < 0x100; ++c) special[c] = true;
  special['"'] = special['\\'] = true;
  return special;
}
constexpr std::array<bool, 256> kSpecial = MakeSpecial();

constexpr char kHex[] = "0123456789abcdef";

// What stands behind the backslash of a short escape; 0 for what has none.
constexpr char ShortEscape(char c) {
  switch (c) {
    case '"':
    case '\\':
      return c;
    case '\n':
      return 'n';
    case '\r':
      return 'r';
    case '\t':
      return 't';
    default:
      return 0;
  }
}

// The escape of a character below 0x80, written to `at`; its end.
char* PutEscape(char c, char* at) {
  *at++ = '\\';
  const char letter = ShortEscape(c);
  if (letter != 0) {
    *at++ = letter;
    return at;
  }
  const auto byte = static_cast<uint8_t>(c);
  for (const char digit : {'u', '0', '0', kHex[byte >> 4], kHex[byte & 15]}) *at++ = digit;
  return at;
}

// Bytes that are looked at together, as processors can; without such ones the compiler takes them
// one by one.
template <size_t kSize>
using Bytes [[gnu::vector_size(kSize)]] = int8_t;

// Of the first of eight bytes that is not zero, in the order in which they stand in memory.
size_t FirstByte(uint64_t bytes) {
#if defined(__BYTE_ORDER__) && __BYTE_ORDER__ == __ORDER_BIG_ENDIAN__
  return static_cast<size_t>(absl::countl_zero(bytes)) / 8;
#else
  return static_cast<size_t>(absl::countr_zero(bytes)) / 8;
#endif
}

// Where the first of kSize special bytes is; kSize if there is none.
template <size_t kSize>
size_t FirstSpecial(const char* text) {
  const auto bytes = LoadWord<Bytes<kSize>>(text);
  // Those from 0x80 on are below 0 here.
  const auto found = (bytes < 0x20) | (bytes == 0x7F) | (bytes == '"') | (bytes == '\\');
  const auto words = absl::bit_cast<std::array<uint64_t, kSize / 8>>(found);
  for (size_t i = 0; i < words.size(); ++i) {
    if (words[i] != 0) return 8 * i + FirstByte(words[i]);
  }
  return kSize;
}

// The same of a text of at least kSize bytes: the last block may overlap the one before.
template <size_t kSize>
size_t FirstSpecialOf(absl::string_view text) {
  const char* at = text.data();
  const char* const last = at + text.size() - kSize;
  for (; at < last; at += kSize) {
    const size_t special = FirstSpecial<kSize>(at);
    if (special < kSize) return static_cast<size_t>(at - text.data()) + special;
  }
  return static_cast<size_t>(last - text.data()) + FirstSpecial<kSize>(last);
}

bool IsSpecial(char c) { return kSpecial[static_cast<uint8_t>(c)]; }

enum class NoText : uint8_t { kReplaced, kEscaped };

constexpr size_t kLongestEscape = 6;

// Takes a character off the front of `text`, of which the first byte is special, and writes it to
// `at`; its end, at most kLongestEscape bytes further on.
char* PutSpecial(absl::string_view* text, NoText no_text, char* at) {
  const char first = text->front();
  const auto byte = static_cast<uint8_t>(first);
  size_t length = 1;
  if (byte < 0x80) {
    at = PutEscape(first, at);
  } else if (length = Utf8CharLength(*text); length > 0) {
    at += text->copy(at, length);
  } else {
    length = 1;
    const char escaped[] = {'\\', 'u', 'd', 'c', kHex[byte >> 4], kHex[byte & 15]};
    const absl::string_view written = no_text == NoText::kEscaped
                                          ? absl::string_view(escaped, sizeof(escaped))
                                          : kReplacementCharacter;
    at += written.copy(at, written.size());
  }
  text->remove_prefix(length);
  return at;
}

// Stack traces have a special character in every third block: what is behind the first one is
// copied as it is looked at.
void AppendBehindPlain(absl::string_view text, NoText no_text, std::string* out) {
  constexpr size_t kBlock = 16;
  char piece[1024];
  char* at = piece;
  const char* const full = piece + sizeof(piece) - kBlock - kLongestEscape;
  while (!text.empty()) {
    if (at > full) {
      out->append(piece, static_cast<size_t>(at - piece));
      at = piece;
    }
    if (text.size() >= kBlock) {
      std::memcpy(at, text.data(), kBlock);
      const size_t plain = FirstSpecial<kBlock>(text.data());
      at += plain;
      text.remove_prefix(plain);
      if (plain == kBlock) continue;
    } else if (!IsSpecial(text.front())) {
      *at++ = text.front();
      text.remove_prefix(1);
      continue;
    }
    at = PutSpecial(&text, no_text, at);
  }
  out->append(piece, static_cast<size_t>(at - piece));
}

void AppendContents(absl::string_view text, NoText no_text, std::string* out) {
  const size_t plain = PlainJsonPrefix(text);
  out->append(text.data(), plain);
  if (plain < text.size()) AppendBehindPlain(text.substr(plain), no_text, out);
}

}  // namespace

bool IsPlainJson(absl::string_view text) { return PlainJsonPrefix(text) == text.size(); }

// Names are plain nearly always: many bytes at a time halve the time of writing a sidecar.
size_t PlainJsonPrefix(absl::string_view text) {
  if (text.size() >= 16) return FirstSpecialOf<16>(text);
  if (text.size() >= 8) return FirstSpecialOf<8>(text);
  return static_cast<size_t>(std::find_if(text.begin(), text.end(), IsSpecial) - text.begin());
}

void AppendJsonContents(absl::string_view text, std::string* out) {
  AppendContents(text, NoText::kReplaced, out);
}

absl::string_view InJson(absl::string_view text, std::string* buffer) {
  if (IsPlainJson(text)) return text;
  buffer->clear();
  AppendJsonContents(text, buffer);
  return *buffer;
}

void AppendJsonString(absl::string_view text, std::string* out) {
  out->push_back('"');
  AppendJsonContents(text, out);
  out->push_back('"');
}

void AppendExactJsonString(absl::string_view text, std::string* out) {
  out->push_back('"');
  AppendContents(text, NoText::kEscaped, out);
  out->push_back('"');
}

void AppendProbability(double value, std::string* out) {
  constexpr int kUnits = 10000;
  const int units = static_cast<int>(std::lround(std::clamp(value, 0.0, 1.0) * kUnits));
  if (units == kUnits) {
    *out += "1.0";
    return;
  }
  char digits[6] = {'0', '.', '0', '0', '0', '0'};
  int rest = units;
  for (int i = 5; i > 1; --i) {
    digits[i] = static_cast<char>('0' + rest % 10);
    rest /= 10;
  }
  size_t length = 6;
  while (length > 3 && digits[length - 1] == '0') --length;
  out->append(digits, length);
}

void JsonText::Real(double value) {
  if (!std::isfinite(value)) return Null();
  Separate();
  absl::StrAppendFormat(out_, "%.6g", value);
}

void JsonText::Number(int64_t number) {
  Separate();
  char buffer[24];
  const auto end = std::to_chars(buffer, buffer + sizeof(buffer), number).ptr;
  out_->append(buffer, static_cast<size_t>(end - buffer));
}

void JsonText::Unsigned(uint64_t number) {
  Separate();
  char buffer[24];
  const auto end = std::to_chars(buffer, buffer + sizeof(buffer), number).ptr;
  out_->append(buffer, static_cast<size_t>(end - buffer));
}

void AppendShape(const std::optional<std::vector<std::string>>& shape, JsonText& json) {
  if (!shape) return json.Null();
  json.BeginArray();
  for (const std::string& dim : *shape) {
    uint64_t number;
    if (absl::SimpleAtoi(dim, &number)) {
      json.Unsigned(number);
    } else {
      json.StringOrNull(dim);
    }
  }
  json.EndArray();
}

}  // namespace onnx_hier
