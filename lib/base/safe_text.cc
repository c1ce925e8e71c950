// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <cstdint>
#include <iterator>

#include "absl/strings/ascii.h"
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_replace.h"
#include "lib/base/utf8.h"
#include "onnx_hier_program/text.h"

namespace onnx_hier {
namespace {

constexpr absl::string_view kEllipsis = "…";

struct CodeRange {
  uint32_t first;
  uint32_t last;
};
// Unicode 15: general categories Cc, Zl and Zp, those of Cf that are meant for layout, and two of
// Cn.
constexpr CodeRange kUnsafe[] = {
    {0x00, 0x1F},        // control characters
    {0x7F, 0x9F},        // more of them
    {0x061C, 0x061C},    // Arabic letter mark
    {0x200B, 0x200F},    // no width; marks of direction
    {0x2028, 0x202E},    // separators of lines and paragraphs; embeddings, overrides
    {0x2060, 0x2069},    // no width; isolates
    {0xFEFF, 0xFEFF},    // byte order mark
    {0xFFF9, 0xFFFB},    // interlinear annotation
    {0xFFFE, 0xFFFF},    // no characters, which XML forbids
    {0xE0000, 0xE007F},  // tags: invisible copies of ASCII
};

// The code point of a character in UTF-8 with `length` bytes.
uint32_t CodePoint(absl::string_view text, size_t length) {
  const auto lead = static_cast<uint8_t>(text[0]);
  if (length == 1) return lead;
  uint32_t code = lead & (0x7Fu >> length);
  for (size_t i = 1; i < length; ++i) code = code << 6 | (static_cast<uint8_t>(text[i]) & 0x3F);
  return code;
}

bool IsSafe(absl::string_view text, size_t length) {
  if (length == 0) return false;
  const uint32_t code = CodePoint(text, length);
  return std::none_of(std::begin(kUnsafe), std::end(kUnsafe), [code](const CodeRange& range) {
    return range.first <= code && code <= range.last;
  });
}

// Takes the character, or the byte, that `text` starts with.
std::string TakeSafe(absl::string_view& text) {
  const size_t length = Utf8CharLength(text);
  const absl::string_view taken = text.substr(0, std::max<size_t>(length, 1));
  text.remove_prefix(taken.size());
  if (IsSafe(taken, length)) return std::string(taken);
  std::string safe;
  for (char c : taken) {
    absl::StrAppend(&safe, "\\x", absl::Hex(static_cast<uint8_t>(c), absl::kZeroPad2));
  }
  return safe;
}

}  // namespace

std::string SafeForTerminal(absl::string_view text) {
  std::string safe;
  while (!text.empty()) safe += TakeSafe(text);
  return safe;
}

std::string SafeForTerminal(absl::string_view text, size_t columns) {
  std::string safe;
  size_t used = 0;
  size_t before_last = 0;  // where a text ends that leaves a column for the ellipsis
  while (!text.empty()) {
    const std::string next = TakeSafe(text);
    used += CharacterCount(next);
    if (used > columns) return absl::StrCat(safe.substr(0, before_last), kEllipsis);
    safe += next;
    if (used < columns) before_last = safe.size();
  }
  return safe;
}

std::string QuotedName(absl::string_view name) {
  return absl::StrCat("'", SafeForTerminal(name, kLongestShownName), "'");
}

size_t CharacterCount(absl::string_view text) {
  return static_cast<size_t>(std::count_if(
      text.begin(), text.end(), [](char c) { return (static_cast<uint8_t>(c) & 0xC0) != 0x80; }));
}

std::string ShellWord(absl::string_view file) {
  const auto is_plain = [](char c) {
    return absl::ascii_isalnum(static_cast<unsigned char>(c)) ||
           absl::string_view("_-./+=:,@%").find(c) != absl::string_view::npos;
  };
  std::string name = absl::StrCat(absl::StartsWith(file, "-") ? "./" : "", file);
  if (!name.empty() && std::all_of(name.begin(), name.end(), is_plain)) return name;
  return absl::StrCat("'", absl::StrReplaceAll(name, {{"'", "'\\''"}}), "'");
}

}  // namespace onnx_hier
