// SPDX-License-Identifier: Apache-2.0
#include "lib/base/fit_text.h"

#include <algorithm>
#include <cstdint>

#include "absl/strings/str_cat.h"
#include "lib/base/hash.h"
#include "lib/base/utf8.h"
#include "onnx_hier_program/json_text.h"

namespace onnx_hier {
namespace {

constexpr size_t kHashLength = 17;  // "~" and 16 digits

// Of the character that `text` starts with, which has `length` bytes; 0: they are not UTF-8.
size_t WrittenLengthOfCharacter(absl::string_view text, size_t length) {
  if (length == 0) return kReplacementCharacter.size();
  const auto byte = static_cast<uint8_t>(text[0]);
  if (byte == '"' || byte == '\\' || byte == '\n' || byte == '\r' || byte == '\t') return 2;
  return byte < 0x20 || byte == 0x7F ? 6 : length;
}

// As many characters as take at most `most` bytes when they are written.
std::string Beginning(absl::string_view text, size_t most) {
  std::string beginning;
  size_t written = 0;
  while (!text.empty()) {
    const size_t length = Utf8CharLength(text);
    written += WrittenLengthOfCharacter(text, length);
    if (written > most) break;
    const absl::string_view character =
        length == 0 ? kReplacementCharacter : text.substr(0, length);
    beginning.append(character.data(), character.size());
    text.remove_prefix(std::max<size_t>(length, 1));
  }
  return beginning;
}

}  // namespace

size_t WrittenLength(absl::string_view text) {
  size_t written = PlainJsonPrefix(text);
  text.remove_prefix(written);
  while (!text.empty()) {
    const size_t length = Utf8CharLength(text);
    written += WrittenLengthOfCharacter(text, length);
    text.remove_prefix(std::max<size_t>(length, 1));
  }
  return written;
}

std::string FitText(absl::string_view text, size_t most) {
  // What is written takes as many bytes as it has at least: most texts that are too long are
  // known by that.
  const bool may_fit = text.size() <= most;
  if (may_fit && (IsPlainJson(text) || (WrittenLength(text) <= most && IsUtf8(text)))) {
    return std::string(text);
  }
  return absl::StrCat(Beginning(text, most - kHashLength), "~",
                      absl::Hex(HashBytes(text), absl::kZeroPad16));
}

}  // namespace onnx_hier
