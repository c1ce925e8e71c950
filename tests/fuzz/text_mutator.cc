// SPDX-License-Identifier: Apache-2.0
#include "tests/fuzz/text_mutator.h"

#include <algorithm>
#include <iterator>
#include <utility>
#include <vector>

#include "absl/strings/ascii.h"

namespace onnx_hier::fuzz {
namespace {

constexpr absl::string_view kOddWords[] = {
    "/",
    "//",
    "",
    "/a/b/c/Relu",
    "/layer.0",
    "/layer.1/fc/MatMul",
    "layer.0.fc.weight",
    "layer.99999999999999999999",
    "/layer.-1/x",
    "/layer.00/x",
    "a;b/c;d",
    "A::a/B::b.0/x_3",
    "n0__2",
    "onnx::MatMul_12",
    "x:0",
    "^dep",
    "../../etc/passwd",
    "__root__",
    "%s%n",
    "+1",
    "=cmd|' /C calc'!A0",
    "</script><script>alert(1)</script>",
    "]]>",
    "<!--",
    "&amp;",
    "\\",
    "\"",
    "'",
    "a,b",
    "a\tb",
    "/a\nb/Relu",
    "\r\n",
    "\x1b[31mx\x1b]0;x\x07",
    "\x9b"
    "31m",
    "\xff\xfe",
    "\xed\xa0\x80",
    "\xef\xbb\xbf",
    "\xef\xbf\xbe",
    "/\xe2\x80\xaex/Relu",
    "\xe2\x80\xa8",
    "/e\xcc\x81/x",
    "/\xf0\x9f\x98\x80.0/x",
    "*",
    "**",
    "{a,b}",
    "[2-5]",
    "@Linear",
    "!x",
    "hierarchy_path",
    "onnx_hier.fold",
    "onnx_hier.namespace",
    "null",
    "1e999",
    "-1",
    "18446744073709551616",
    "[]",
    "{}",
};
constexpr size_t kLongest = 1 << 20;
constexpr uint64_t kDeepNesting = 100'000;

bool IsWordCharacter(char c) { return absl::ascii_isalnum(c) || c == '_' || c == '.' || c == '/'; }

// Where a word begins that stands at or behind a random place, and its length.
std::pair<size_t, size_t> AnyWord(absl::string_view text, testing::Random& random) {
  size_t begin = random.Below(text.size());
  while (begin < text.size() && !IsWordCharacter(text[begin])) ++begin;
  size_t end = begin;
  while (end < text.size() && IsWordCharacter(text[end])) ++end;
  return {begin, end - begin};
}

// A piece between two line ends, commas or brackets: an entry, more or less.
std::pair<size_t, size_t> AnyPiece(absl::string_view text, testing::Random& random) {
  const size_t at = random.Below(text.size());
  const size_t before = text.find_last_of(",[{\n", at);
  const size_t begin = before == absl::string_view::npos ? 0 : before + 1;
  const size_t end = text.find_first_of(",]}\n", at);
  return {begin, std::min(end, text.size()) - std::min(begin, std::min(end, text.size()))};
}

}  // namespace

absl::string_view OddWord(testing::Random& random) {
  return kOddWords[random.Below(std::size(kOddWords))];
}

void MutateText(std::string* text, testing::Random& random) {
  if (text->empty() || text->size() > kLongest) {
    *text = std::string(OddWord(random));
    return;
  }
  const auto [word, length] = AnyWord(*text, random);
  const auto [piece, size] = AnyPiece(*text, random);
  switch (random.Below(8)) {
    case 0:
      text->replace(word, length, std::string(OddWord(random)));
      return;
    case 1: {
      const auto [other, other_length] = AnyWord(*text, random);
      text->replace(word, length, text->substr(other, other_length));
      return;
    }
    case 2:
      text->erase(piece, size);
      return;
    case 3:
      text->insert(piece, text->substr(piece, size) + ",");
      return;
    case 4:
      text->insert(random.Below(text->size() + 1), std::string(OddWord(random)));
      return;
    case 5:
      (*text)[random.Below(text->size())] = static_cast<char>(random.Below(256));
      return;
    case 6:
      if (random.OneIn(4)) text->resize(random.Below(text->size()));
      return;
    default:
      if (random.OneIn(8)) text->insert(piece, std::string(random.Below(kDeepNesting), '['));
  }
}

}  // namespace onnx_hier::fuzz
