// SPDX-License-Identifier: Apache-2.0
#include "lib/names/python_list.h"

#include <algorithm>
#include <array>
#include <cstdint>

#include "absl/strings/ascii.h"
#include "absl/strings/match.h"
#include "absl/strings/numbers.h"
#include "lib/base/utf8.h"

namespace onnx_hier {
namespace {

class Parser {
 public:
  explicit Parser(absl::string_view text) : rest_(text) {}

  bool ParseList(std::vector<std::string>* items) {
    // What was in the list before gives its memory.
    size_t count = 0;
    if (!Take('[')) return false;
    if (!Take(']')) {
      do {
        if (count == items->size()) items->emplace_back();
        (*items)[count].clear();
        if (!ParseString(&(*items)[count++])) return false;
      } while (Take(','));
      if (!Take(']')) return false;
    }
    items->resize(count);
    return AtEnd();
  }

 private:
  void SkipSpace() {
    while (!rest_.empty() && absl::ascii_isspace(static_cast<unsigned char>(rest_[0]))) {
      rest_.remove_prefix(1);
    }
  }
  bool AtEnd() {
    SkipSpace();
    return rest_.empty();
  }
  bool Take(char c) {
    SkipSpace();
    if (rest_.empty() || rest_[0] != c) return false;
    rest_.remove_prefix(1);
    return true;
  }

  bool ParseString(std::string* out) {
    SkipSpace();
    if (rest_.empty() || (rest_[0] != '\'' && rest_[0] != '"')) return false;
    const char quote = rest_[0];
    rest_.remove_prefix(1);
    for (;;) {
      size_t plain = std::min(rest_.find(quote), rest_.size());
      plain = std::min(rest_.substr(0, plain).find('\\'), plain);
      out->append(rest_.data(), plain);
      rest_.remove_prefix(plain);
      if (rest_.empty() || rest_[0] == quote) return Take(quote);
      if (!ParseEscape(out)) return false;
    }
  }

  bool ParseEscape(std::string* out) {
    if (rest_.size() < 2) return false;
    const char kind = rest_[1];
    rest_.remove_prefix(2);
    switch (kind) {
      case 'n':
        out->push_back('\n');
        return true;
      case 'r':
        out->push_back('\r');
        return true;
      case 't':
        out->push_back('\t');
        return true;
      case 'x':
        return ParseCode(2, out);
      case 'u':
        return ParseCode(4, out);
      case 'U':
        return ParseCode(8, out);
      default:
        out->push_back(kind);
        return true;
    }
  }

  bool ParseCode(size_t digits, std::string* out) {
    uint32_t code = 0;
    if (rest_.size() < digits || !absl::SimpleHexAtoi(rest_.substr(0, digits), &code)) return false;
    if (code > 0x10FFFF) return false;
    rest_.remove_prefix(digits);
    AppendUtf8(code, out);
    return true;
  }

  absl::string_view rest_;
};

// Of what stands in a list, the ends of items and what is escaped.
constexpr std::array<bool, 256> MakeSpecial() {
  std::array<bool, 256> special{};
  special['\''] = special['"'] = special['\\'] = true;
  return special;
}
constexpr std::array<bool, 256> kSpecial = MakeSpecial();

}  // namespace

bool ParsePythonList(absl::string_view text, std::vector<std::string>* items) {
  return Parser(text).ParseList(items);
}

absl::string_view WithoutPlainLast(absl::string_view list) {
  constexpr absl::string_view kBegin = ", '", kEnd = "']";
  if (!absl::EndsWith(list, kEnd)) return list;
  size_t begin = list.size() - kEnd.size();
  while (begin > 0 && !kSpecial[static_cast<uint8_t>(list[begin - 1])]) --begin;
  const absl::string_view before = list.substr(0, begin);
  return absl::EndsWith(before, kBegin) ? before.substr(0, begin - kBegin.size()) : list;
}

}  // namespace onnx_hier
