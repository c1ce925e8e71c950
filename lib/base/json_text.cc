#include "lib/base/json_text.h"

#include <algorithm>
#include <array>
#include <bit>
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

// Bytes that are looked at together, as processors can; without such ones the compiler takes them
// one by one.
template <size_t kSize>
using Bytes [[gnu::vector_size(kSize)]] = uint8_t;

// Whether any of the bytes from `text` on is special.
template <size_t kSize>
bool HoldsSpecial(const char* text) {
  const auto bytes = LoadWord<Bytes<kSize>>(text);
  const auto special = (bytes < 0x20) | (bytes >= 0x7F) | (bytes == '"') | (bytes == '\\');
  const auto words = std::bit_cast<std::array<uint64_t, kSize / 8>>(special);
  return std::any_of(words.begin(), words.end(), [](uint64_t word) { return word != 0; });
}

// How many whole blocks of plain bytes stand at the start, and whether the rest, which is shorter
// than a block, is plain too: it is looked at together with some of what was looked at.
template <size_t kSize>
size_t PlainBlocks(absl::string_view text) {
  size_t plain = 0;
  while (plain + kSize <= text.size() && !HoldsSpecial<kSize>(text.data() + plain)) plain += kSize;
  const bool is_rest = plain > 0 && plain + kSize > text.size();
  return is_rest && !HoldsSpecial<kSize>(text.end() - kSize) ? text.size() : plain;
}

}  // namespace

// Names are plain nearly always: many bytes at a time halve the time of writing a sidecar.
size_t PlainJsonPrefix(absl::string_view text) {
  size_t plain = text.size() < 16 ? PlainBlocks<8>(text) : PlainBlocks<16>(text);
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

absl::string_view InJson(absl::string_view text, std::string* buffer) {
  if (PlainJsonPrefix(text) == text.size()) return text;
  buffer->clear();
  AppendJsonContents(text, buffer);
  return *buffer;
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
