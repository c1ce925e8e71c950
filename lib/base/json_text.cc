// SPDX-License-Identifier: Apache-2.0
#include "onnx_hier_program/json_text.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>

#include "absl/base/casts.h"
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
using Bytes [[gnu::vector_size(kSize)]] = int8_t;

// Gathers which bytes are special, in any place of a block.
template <size_t kSize>
class SpecialBytes {
 public:
  void LookAt(const char* text) {
    const auto bytes = LoadWord<Bytes<kSize>>(text);
    // Those from 0x80 on are below 0 here.
    found_ |= (bytes < 0x20) | (bytes == 0x7F) | (bytes == '"') | (bytes == '\\');
  }
  bool any() const {
    const auto words = absl::bit_cast<std::array<uint64_t, kSize / 8>>(found_);
    return std::any_of(words.begin(), words.end(), [](uint64_t word) { return word != 0; });
  }

 private:
  Bytes<kSize> found_ = {};
};

// Of at least kSize bytes; the last block may overlap the one before.
template <size_t kSize>
bool HoldsNoSpecial(absl::string_view text) {
  SpecialBytes<kSize> special;
  const char* at = text.data();
  const char* const last = at + text.size() - kSize;
  for (; at < last; at += kSize) special.LookAt(at);
  special.LookAt(last);
  return !special.any();
}

bool IsSpecial(char c) { return kSpecial[static_cast<uint8_t>(c)]; }

enum class NoText : uint8_t { kReplaced, kEscaped };

void AppendContents(absl::string_view text, NoText no_text, std::string* out) {
  if (IsPlainJson(text)) {
    out->append(text.data(), text.size());
    return;
  }
  for (;;) {
    const size_t plain = PlainJsonPrefix(text);
    out->append(text.data(), plain);
    text.remove_prefix(plain);
    if (text.empty()) return;
    const auto byte = static_cast<uint8_t>(text[0]);
    const size_t length = byte < 0x80 ? 0 : Utf8CharLength(text);
    if (length > 0) {
      out->append(text.data(), length);
      text.remove_prefix(length);
      continue;
    }
    if (byte < 0x80) {
      AppendEscape(text[0], out);
    } else if (no_text == NoText::kEscaped) {
      *out += "\\udc";
      out->push_back(kHex[byte >> 4]);
      out->push_back(kHex[byte & 15]);
    } else {
      out->append(kReplacementCharacter.data(), kReplacementCharacter.size());
    }
    text.remove_prefix(1);
  }
}

}  // namespace

// Names are plain nearly always: many bytes at a time halve the time of writing a sidecar.
bool IsPlainJson(absl::string_view text) {
  if (text.size() >= 16) return HoldsNoSpecial<16>(text);
  if (text.size() >= 8) return HoldsNoSpecial<8>(text);
  return std::none_of(text.begin(), text.end(), IsSpecial);
}

size_t PlainJsonPrefix(absl::string_view text) {
  constexpr size_t kBlock = 16;
  size_t plain = 0;
  while (plain + kBlock <= text.size() && IsPlainJson(text.substr(plain, kBlock))) plain += kBlock;
  while (plain < text.size() && !IsSpecial(text[plain])) ++plain;
  return plain;
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

}  // namespace onnx_hier
