// SPDX-License-Identifier: Apache-2.0
#include "lib/tags/own_text.h"

#include <algorithm>
#include <cstddef>

#include "absl/strings/ascii.h"
#include "absl/strings/strip.h"
#include "lib/base/utf8.h"
#include "onnx_hier_program/json_text.h"

namespace onnx_hier {
namespace {

// Takes one piece after the other off the front of a text.
class TextPieces {
 public:
  explicit TextPieces(absl::string_view text) : rest_(text) {}

  bool Take(absl::string_view piece) { return absl::ConsumePrefix(&rest_, piece); }

  // A string of plain characters, quotes included.
  bool TakeString(absl::string_view* contents) {
    if (!Take("\"")) return false;
    const size_t length = PlainJsonPrefix(rest_);
    if (length == rest_.size() || rest_[length] != '"') return false;
    *contents = rest_.substr(0, length);
    rest_.remove_prefix(length + 1);
    return true;
  }

  // A string of any characters, with the escapes that AppendJsonString() writes.
  bool TakeText(std::string* text) {
    if (!Take("\"")) return false;
    while (!rest_.empty()) {
      size_t plain = PlainJsonPrefix(rest_);
      if (plain == 0) plain = Utf8CharLength(rest_) > 1 ? Utf8CharLength(rest_) : 0;
      text->append(rest_.data(), plain);
      rest_.remove_prefix(plain);
      if (plain > 0) continue;
      if (Take("\"")) return true;
      if (!TakeEscape(text)) return false;
    }
    return false;
  }

  // A number that counts, as JSON has it: no zeros in front.
  bool TakeCount() {
    const absl::string_view digits = TakeDigits();
    return !digits.empty() && (digits[0] != '0' || digits.size() == 1);
  }

  // As AppendProbability() writes it.
  bool TakeProbability(double* value) {
    *value = 1;
    if (Take("1.0")) return true;
    if (!Take("0.")) return false;
    const absl::string_view digits = TakeDigits();
    if (digits.empty() || digits.size() > kMostDecimals) return false;
    int units = 0;
    int unit = 1;
    for (char digit : digits) {
      units = units * 10 + (digit - '0');
      unit *= 10;
    }
    // Both are exact, so that the quotient is the number that is nearest to the decimal.
    *value = static_cast<double>(units) / unit;
    return true;
  }

  // Whether nothing is left but the spaces that align what follows in the file.
  bool IsAtEnd() const { return rest_.find_first_not_of(' ') == absl::string_view::npos; }

 private:
  static constexpr size_t kMostDecimals = 4;

  bool TakeEscape(std::string* text) {
    struct Escape {
      absl::string_view written;
      char meant;
    };
    constexpr Escape kEscapes[] = {
        {"\\n", '\n'}, {"\\\"", '"'}, {"\\\\", '\\'}, {"\\t", '\t'}, {"\\r", '\r'}};
    for (const Escape& escape : kEscapes) {
      if (!Take(escape.written)) continue;
      text->push_back(escape.meant);
      return true;
    }
    // What cannot be printed: "\u0001".
    constexpr absl::string_view kHex = "0123456789abcdef";
    if (!Take("\\u00") || rest_.size() < 2) return false;
    const size_t high = kHex.find(rest_[0]);
    const size_t low = kHex.find(rest_[1]);
    if (high >= 8 || low == absl::string_view::npos) return false;
    text->push_back(static_cast<char>(high * 16 + low));
    rest_.remove_prefix(2);
    return true;
  }

  absl::string_view TakeDigits() {
    const auto end = std::find_if_not(rest_.begin(), rest_.end(), absl::ascii_isdigit);
    const absl::string_view digits = rest_.substr(0, static_cast<size_t>(end - rest_.begin()));
    rest_.remove_prefix(digits.size());
    return digits;
  }

  absl::string_view rest_;
};

bool TakeTags(TextPieces& pieces, OwnText& own) {
  do {
    if (!pieces.TakeString(&own.tags.emplace_back())) return false;
  } while (pieces.Take(","));
  return true;
}

NameBefore TakeName(TextPieces& pieces) {
  for (NameBefore before : {NameBefore::kNone, NameBefore::kEmpty, NameBefore::kShared}) {
    if (pieces.Take(MarkOf(before))) return before;
  }
  return NameBefore::kSame;
}

bool TakeOriginal(TextPieces& pieces, OwnText& own) {
  own.name = TakeName(pieces);
  own.is_base64 = pieces.Take(R"(,"doc_string_base64":)");
  own.has_original = own.is_base64 || pieces.Take(R"(,"doc_string":)");
  return !own.has_original || pieces.TakeText(&own.original);
}

}  // namespace

std::optional<OwnText> ReadOwnText(absl::string_view text) {
  TextPieces pieces(text);
  if (!pieces.Take(R"({"hierarchy_path":)")) return std::nullopt;
  std::optional<OwnText> own(std::in_place);
  absl::string_view other;
  const bool is_ours =
      pieces.TakeString(&own->path) && pieces.Take(R"(,"hierarchy_method":)") &&
      pieces.TakeString(&own->method) && pieces.Take(R"(,"hierarchy_confidence":)") &&
      pieces.TakeProbability(&own->confidence) && pieces.Take(R"(,"hierarchy_tags":[)") &&
      TakeTags(pieces, *own) && pieces.Take(R"(],"hierarchy_count":)") && pieces.TakeCount() &&
      (!pieces.Take(R"(,"hierarchy_call":)") || pieces.TakeCount()) &&
      (!pieces.Take(R"(,"hierarchy_class_path":)") || pieces.TakeString(&other)) &&
      TakeOriginal(pieces, *own) && pieces.Take("}") && pieces.IsAtEnd();
  if (!is_ours) own.reset();
  return own;
}

}  // namespace onnx_hier
