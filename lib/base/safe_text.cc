#include "lib/base/safe_text.h"

#include <algorithm>

#include "absl/strings/str_cat.h"
#include "lib/base/utf8.h"

namespace onnx_hier {

std::string SafeForTerminal(absl::string_view text) {
  std::string safe;
  while (!text.empty()) {
    const auto byte = static_cast<uint8_t>(text[0]);
    const size_t length = Utf8CharLength(text);
    // U+0080 to U+009F are control characters too.
    const bool control = byte < 0x20 || byte == 0x7F ||
                         (byte == 0xC2 && length == 2 && static_cast<uint8_t>(text[1]) < 0xA0);
    if (length == 0 || control) {
      const size_t n = std::max<size_t>(length, 1);
      for (size_t i = 0; i < n; ++i) {
        absl::StrAppend(&safe, "\\x", absl::Hex(static_cast<uint8_t>(text[i]), absl::kZeroPad2));
      }
      text.remove_prefix(n);
      continue;
    }
    safe.append(text.data(), length);
    text.remove_prefix(length);
  }
  return safe;
}

}  // namespace onnx_hier
