// SPDX-License-Identifier: Apache-2.0
#include <string>

#include "doctest/doctest.h"
#include "onnx_hier_program/text.h"

namespace onnx_hier {
namespace {

TEST_CASE("only what could steer a terminal is escaped") {
  CHECK(SafeForTerminal("") == "");
  CHECK(SafeForTerminal("/encoder/layer.1") == "/encoder/layer.1");
  CHECK(SafeForTerminal("Schicht \xC3\xA4 \xE2\x82\xAC \xF0\x9F\x99\x82") ==
        "Schicht \xC3\xA4 \xE2\x82\xAC \xF0\x9F\x99\x82");
  CHECK(SafeForTerminal("\x1B[2J") == "\\x1b[2J");
  CHECK(SafeForTerminal("a\nb\r\t\x7F") == "a\\x0ab\\x0d\\x09\\x7f");
  CHECK(SafeForTerminal(absl::string_view("\0", 1)) == "\\x00");
  CHECK(SafeForTerminal("\xC2\x9B"
                        "31m\xC2\xA0") == "\\xc2\\x9b31m\xC2\xA0");
  CHECK(SafeForTerminal("\xFF\xC3") == "\\xff\\xc3");
}

TEST_CASE("what turns or hides text is escaped, and nothing beside it") {
  struct Range {
    const char* before;
    const char* first;
    const char* last;
    const char* after;
  };
  for (const Range& range : {Range{"~", "\x7F", "\u009F", "\u00A0"},
                             {"\u061B", "\u061C", "\u061C", "\u061D"},
                             {"\u200A", "\u200B", "\u200F", "\u2010"},
                             {"\u2027", "\u2028", "\u202E", "\u202F"},
                             {"\u205F", "\u2060", "\u2069", "\u206A"},
                             {"\uFEFE", "\uFEFF", "\uFEFF", "\uFF00"},
                             {"\uFFF8", "\uFFF9", "\uFFFB", "\uFFFC"},
                             {"\uFFFD", "\uFFFE", "\uFFFF", "\U00010000"},
                             {"\U000DFFFF", "\U000E0000", "\U000E007F", "\U000E0080"}}) {
    CHECK(SafeForTerminal(range.before) == range.before);
    CHECK(SafeForTerminal(range.after) == range.after);
    for (const char* unsafe : {range.first, range.last}) {
      const std::string safe = SafeForTerminal(unsafe);
      CHECK(safe.size() == 4 * std::string(unsafe).size());
      CHECK(safe.substr(0, 2) == "\\x");
      CHECK(SafeForTerminal(safe) == safe);
    }
  }
}

TEST_CASE("text in a column") {
  CHECK(SafeForTerminal("abc", 3) == "abc");
  CHECK(SafeForTerminal("abcd", 3) == "ab…");
  CHECK(SafeForTerminal("äöüß", 3) == "äö…");
  CHECK(SafeForTerminal("a\x1b", 5) == "a\\x1b");
  // An escape is whole or absent.
  CHECK(SafeForTerminal("a\x1b", 4) == "a…");
  CHECK(SafeForTerminal("ab", 1) == "…");
  CHECK(SafeForTerminal("", 1) == "");
  CHECK(CharacterCount("aß漢") == 3);
}

}  // namespace
}  // namespace onnx_hier
