#include "lib/report/json_text.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>

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

}  // namespace

void AppendJsonString(absl::string_view text, std::string* out) {
  out->push_back('"');
  while (!text.empty()) {
    size_t plain = 0;
    while (plain < text.size() && !kSpecial[static_cast<uint8_t>(text[plain])]) ++plain;
    out->append(text.data(), plain);
    text.remove_prefix(plain);
    if (text.empty()) break;
    if (static_cast<uint8_t>(text[0]) < 0x80) {
      AppendEscape(text[0], out);
      text.remove_prefix(1);
      continue;
    }
    const size_t length = Utf8CharLength(text);
    if (length == 0) {
      *out += "\xEF\xBF\xBD";
      text.remove_prefix(1);
    } else {
      out->append(text.data(), length);
      text.remove_prefix(length);
    }
  }
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
