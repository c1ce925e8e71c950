#include "lib/base/json_text.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>

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

void AppendEscape(char c, std::string* out) {
  switch (c) {
    case '"':
      *out += "\\\"";
      return;
    case '\\':
      *out += "\\\\";
      return;
    case '\n':
      *out += "\\n";
      return;
    case '\r':
      *out += "\\r";
      return;
    case '\t':
      *out += "\\t";
      return;
    default: {
      constexpr char kHex[] = "0123456789abcdef";
      const auto byte = static_cast<uint8_t>(c);
      *out += "\\u00";
      out->push_back(kHex[byte >> 4]);
      out->push_back(kHex[byte & 15]);
    }
  }
}

constexpr uint64_t EveryByte(uint8_t byte) { return 0x0101010101010101ull * byte; }

// Whether any of the eight bytes is special; may say so of a word that has none.
bool MayHoldSpecial(uint64_t word) {
  // A byte below 0x20, or equal to one of the two characters, borrows from its top bit.
  const uint64_t quote = word ^ EveryByte('"');
  const uint64_t backslash = word ^ EveryByte('\\');
  const uint64_t low = (word - EveryByte(0x20)) | (quote - EveryByte(1)) |
                       (backslash - EveryByte(1)) | (word + EveryByte(1)) | word;
  return (low & EveryByte(0x80)) != 0;
}

}  // namespace

// Names are plain nearly always: eight bytes at a time halve the time of writing a sidecar.
size_t PlainJsonPrefix(absl::string_view text) {
  size_t plain = 0;
  while (plain + 8 <= text.size() && !MayHoldSpecial(LoadWord<uint64_t>(text.data() + plain))) {
    plain += 8;
  }
  // The rest, which is less than a word, together with some of what was looked at.
  const bool is_rest = plain > 0 && plain + 8 > text.size();
  if (is_rest && !MayHoldSpecial(LoadWord<uint64_t>(text.end() - 8))) return text.size();
  while (plain < text.size() && !kSpecial[static_cast<uint8_t>(text[plain])]) ++plain;
  return plain;
}

void AppendJsonContents(absl::string_view text, std::string* out) {
  for (;;) {
    const size_t plain = PlainJsonPrefix(text);
    out->append(text.data(), plain);
    text.remove_prefix(plain);
    if (text.empty()) return;
    if (static_cast<uint8_t>(text[0]) < 0x80) {
      AppendEscape(text[0], out);
      text.remove_prefix(1);
      continue;
    }
    const size_t length = Utf8CharLength(text);
    if (length == 0) {
      out->append(kReplacementCharacter.data(), kReplacementCharacter.size());
      text.remove_prefix(1);
    } else {
      out->append(text.data(), length);
      text.remove_prefix(length);
    }
  }
}

void AppendJsonString(absl::string_view text, std::string* out) {
  out->push_back('"');
  AppendJsonContents(text, out);
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

}  // namespace onnx_hier
